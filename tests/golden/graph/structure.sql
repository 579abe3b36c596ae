-- The graph of a query: its nodes in the order of computing, what reads from what, and runnable queries.

-- # one table [all]
-- schema: hero(id INTEGER, name TEXT, cm REAL)
SELECT name, cm / 100 AS metres FROM hero WHERE cm > 200 ORDER BY cm DESC LIMIT 3;
--> nodes: table:hero, main
--> edges: table:hero from main
--> columns main: name TEXT, metres REAL
--> items main: where: cm > 200; select: cm / 100; order: ORDER BY cm DESC LIMIT 3

-- # CTEs that read each other come first, in order, and only those that are needed [sqlite, duckdb, postgres, snowflake]
-- schema: sale(id INTEGER, shop INTEGER, amount REAL)
WITH big AS (SELECT * FROM sale WHERE amount > 10),
  small AS (SELECT id FROM sale WHERE amount < 1),
  total AS (SELECT shop, SUM(amount) AS s FROM big GROUP BY shop)
SELECT s FROM total WHERE s > 5;
--> nodes: table:sale, cte:big, cte:small, cte:total, main
--> edges: cte:big from cte:total; cte:total from main; table:sale from cte:big; table:sale from cte:small
--> sql cte:big: SELECT * FROM sale WHERE amount > 10
--> columns cte:big: id INTEGER, shop INTEGER, amount REAL
--> items cte:big: where: amount > 10
--> sql cte:small: SELECT id FROM sale WHERE amount < 1
--> columns cte:small: id INTEGER
--> items cte:small: where: amount < 1
--> sql cte:total: WITH big AS (SELECT * FROM sale WHERE amount > 10) SELECT shop, SUM(amount) AS s FROM big GROUP BY shop
--> columns cte:total: shop INTEGER, s REAL
--> items cte:total: group: GROUP BY shop; select: SUM(amount)
--> columns main: s REAL
--> items main: where: s > 5

-- # a CTE with named columns is read by its name [sqlite, duckdb, postgres, mysql]
-- schema: sale(id INTEGER, shop INTEGER, amount REAL)
WITH t(place, much) AS (SELECT shop, MAX(amount) FROM sale GROUP BY shop) SELECT place FROM t;
--> nodes: table:sale, cte:t, main
--> edges: cte:t from main; table:sale from cte:t
--> sql cte:t: WITH t(place, much) AS (SELECT shop, MAX(amount) FROM sale GROUP BY shop) SELECT * FROM t
--> columns cte:t: place INTEGER, much REAL
--> items cte:t: group: GROUP BY shop; select: MAX(amount)
--> columns main: place INTEGER

-- # a recursive CTE reads itself [sqlite, duckdb, postgres, mysql]
-- schema: emp(id INTEGER, boss INTEGER)
WITH RECURSIVE up(id, steps) AS (
  SELECT id, 0 FROM emp WHERE boss IS NULL
  UNION ALL SELECT e.id, u.steps + 1 FROM emp e JOIN up u ON e.boss = u.id
) SELECT MAX(steps) FROM up;
--> nodes: table:emp, cte:up/union:1, cte:up/union:2, cte:up, main
--> edges: cte:up from main; cte:up recursion cte:up/union:2; cte:up/union:1 branch cte:up; cte:up/union:2 branch cte:up; table:emp from cte:up/union:1; table:emp from cte:up/union:2
--> sql cte:up/union:1: SELECT id, 0 FROM emp WHERE boss IS NULL
--> columns cte:up/union:1: id INTEGER, 0 INTEGER
--> items cte:up/union:1: where: boss IS NULL
--> sql cte:up/union:2: WITH RECURSIVE up(id, steps) AS ( SELECT id, 0 FROM emp WHERE boss IS NULL UNION ALL SELECT e.id, u.steps + 1 FROM emp e JOIN up u ON e.boss = u.id ) SELECT e.id, u.steps + 1 FROM emp e JOIN up u ON e.boss = u.id
--> reason cte:up/union:2: over all rows that the recursion gives, in place of one step at a time
--> columns cte:up/union:2: id INTEGER, u.steps + 1 INTEGER
--> items cte:up/union:2: from: FROM emp e JOIN up u ON e.boss = u.id; from: e.boss = u.id; select: u.steps + 1
--> sql cte:up: WITH RECURSIVE up(id, steps) AS ( SELECT id, 0 FROM emp WHERE boss IS NULL UNION ALL SELECT e.id, u.steps + 1 FROM emp e JOIN up u ON e.boss = u.id ) SELECT * FROM up
--> columns cte:up: id INTEGER, steps INTEGER
--> columns main: MAX(steps) INTEGER
--> items main: select: MAX(steps)

-- # a WITH inside a subquery hides the one outside [sqlite, duckdb, postgres]
-- schema: a(x INTEGER), c(y INTEGER)
WITH t AS (SELECT x FROM a) SELECT t.x, (WITH t AS (SELECT y FROM c) SELECT MAX(y) FROM t) AS top FROM t;
--> nodes: table:a, table:c, cte:t, cte:t#2, main/subquery:1, main
--> edges: cte:t from main; cte:t#2 from main/subquery:1; main/subquery:1 subquery main; table:a from cte:t; table:c from cte:t#2
--> sql cte:t: SELECT x FROM a
--> columns cte:t: x INTEGER
--> sql cte:t#2: SELECT y FROM c
--> columns cte:t#2: y INTEGER
--> sql main/subquery:1: WITH t AS (SELECT y FROM c) SELECT MAX(y) FROM t
--> columns main/subquery:1: MAX(y) INTEGER
--> items main/subquery:1: select: MAX(y)
--> columns main: x INTEGER, top INTEGER

-- # nested subqueries in FROM [all]
-- schema: e(d TEXT, p REAL)
SELECT q.s FROM (SELECT r.d, SUM(r.p) AS s FROM (SELECT d, p FROM e WHERE p > 0) AS r GROUP BY r.d) AS q;
--> nodes: table:e, main/subquery:1/subquery:1, main/subquery:1, main
--> edges: main/subquery:1 from main; main/subquery:1/subquery:1 from main/subquery:1; table:e from main/subquery:1/subquery:1
--> sql main/subquery:1/subquery:1: SELECT d, p FROM e WHERE p > 0
--> columns main/subquery:1/subquery:1: d TEXT, p REAL
--> items main/subquery:1/subquery:1: where: p > 0
--> sql main/subquery:1: SELECT r.d, SUM(r.p) AS s FROM (SELECT d, p FROM e WHERE p > 0) AS r GROUP BY r.d
--> columns main/subquery:1: d TEXT, s REAL
--> items main/subquery:1: group: GROUP BY r.d; select: SUM(r.p)
--> columns main: s REAL

-- # subqueries as value and behind IN run alone [all]
-- schema: t(id INTEGER, x INTEGER), u(y INTEGER)
SELECT id FROM t WHERE x = (SELECT MAX(y) FROM u) AND id IN (SELECT y FROM u WHERE y > 2);
--> nodes: table:t, table:u, main/subquery:1, main/subquery:2, main
--> edges: main/subquery:1 subquery main; main/subquery:2 subquery main; table:t from main; table:u from main/subquery:1; table:u from main/subquery:2
--> sql main/subquery:1: SELECT MAX(y) FROM u
--> columns main/subquery:1: MAX(y) INTEGER
--> items main/subquery:1: select: MAX(y)
--> sql main/subquery:2: SELECT y FROM u WHERE y > 2
--> columns main/subquery:2: y INTEGER
--> items main/subquery:2: where: y > 2
--> columns main: id INTEGER
--> items main: where: x = (SELECT MAX(y) FROM u); where: id IN (SELECT y FROM u WHERE y > 2)

-- # a correlated value is asked once for each outer row [all]
-- schema: t(id INTEGER, k INTEGER), u(k INTEGER, v REAL)
SELECT t.id, (SELECT SUM(u.v) FROM u WHERE u.k = t.k) AS total FROM t JOIN u AS w ON w.k = t.id;
--> nodes: table:t, table:u, main/subquery:1, main
--> edges: main/subquery:1 subquery main; table:t from main; table:t outer main/subquery:1; table:u from main; table:u from main/subquery:1
--> sql main/subquery:1: SELECT t.k, (SELECT SUM(u.v) FROM u WHERE u.k = t.k) AS value FROM (SELECT DISTINCT t.k FROM t JOIN u AS w ON w.k = t.id) AS t
--> reason main/subquery:1: a row for each row of the outer query, with the outer columns it is asked with
--> columns main/subquery:1: SUM(u.v) REAL
--> items main/subquery:1: where: u.k = t.k; select: SUM(u.v)
--> columns main: id INTEGER, total REAL
--> items main: from: FROM t JOIN u AS w ON w.k = t.id; from: w.k = t.id

-- # correlated EXISTS and IN [sqlite, duckdb, postgres]
-- schema: t(id INTEGER, k INTEGER), u(k INTEGER, v REAL)
SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.k = t.k) AND id NOT IN (SELECT v FROM u WHERE k > t.k);
--> nodes: table:t, table:u, main/subquery:1, main/subquery:2, main
--> edges: main/subquery:1 subquery main; main/subquery:2 subquery main; table:t from main; table:t outer main/subquery:1; table:t outer main/subquery:2; table:u from main/subquery:1; table:u from main/subquery:2
--> sql main/subquery:1: SELECT t.k, EXISTS (SELECT 1 FROM u WHERE u.k = t.k) AS matches FROM (SELECT DISTINCT t.k FROM t) AS t
--> reason main/subquery:1: a row for each row of the outer query, with the outer columns it is asked with
--> columns main/subquery:1: 1 INTEGER
--> items main/subquery:1: where: u.k = t.k
--> sql main/subquery:2: SELECT t.k, (SELECT COUNT(*) FROM (SELECT v FROM u WHERE k > t.k) AS asked) AS row_count FROM (SELECT DISTINCT t.k FROM t) AS t
--> reason main/subquery:2: a row for each row of the outer query, with the outer columns it is asked with
--> columns main/subquery:2: v REAL
--> items main/subquery:2: where: k > t.k
--> columns main: id INTEGER
--> items main: where: EXISTS (SELECT 1 FROM u WHERE u.k = t.k); where: id NOT IN (SELECT v FROM u WHERE k > t.k)

-- # a bare column of the outer query makes it correlated [sqlite, duckdb, postgres]
-- schema: t(id INTEGER, k INTEGER), u(m INTEGER)
SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE m = k);
--> nodes: table:t, table:u, main/subquery:1, main
--> edges: main/subquery:1 subquery main; table:t from main; table:t outer main/subquery:1; table:u from main/subquery:1
--> sql main/subquery:1: SELECT k, EXISTS (SELECT 1 FROM u WHERE m = k) AS matches FROM (SELECT DISTINCT k FROM t) AS asked
--> reason main/subquery:1: a row for each row of the outer query, with the outer columns it is asked with
--> columns main/subquery:1: 1 INTEGER
--> items main/subquery:1: where: m = k
--> columns main: id INTEGER
--> items main: where: EXISTS (SELECT 1 FROM u WHERE m = k)

-- # a subquery two levels inside asks for rows of both [sqlite, duckdb, postgres]
-- schema: a(x INTEGER), b(y INTEGER), c(z INTEGER)
SELECT x FROM a WHERE EXISTS (SELECT 1 FROM b WHERE EXISTS (SELECT 1 FROM c WHERE c.z = a.x AND c.z = b.y));
--> nodes: table:a, table:b, table:c, main/subquery:1/subquery:1, main/subquery:1, main
--> edges: main/subquery:1 subquery main; main/subquery:1/subquery:1 subquery main/subquery:1; table:a from main; table:a outer main/subquery:1; table:a outer main/subquery:1/subquery:1; table:b from main/subquery:1; table:b outer main/subquery:1/subquery:1; table:c from main/subquery:1/subquery:1
--> sql main/subquery:1/subquery:1: SELECT DISTINCT a.x, b.y, EXISTS (SELECT 1 FROM c WHERE c.z = a.x AND c.z = b.y) AS matches FROM a, b
--> reason main/subquery:1/subquery:1: a row for each row of the outer query, with the outer columns it is asked with
--> columns main/subquery:1/subquery:1: 1 INTEGER
--> items main/subquery:1/subquery:1: where: c.z = a.x; where: c.z = b.y
--> sql main/subquery:1: SELECT a.x, EXISTS (SELECT 1 FROM b WHERE EXISTS (SELECT 1 FROM c WHERE c.z = a.x AND c.z = b.y)) AS matches FROM (SELECT DISTINCT a.x FROM a) AS a
--> reason main/subquery:1: a row for each row of the outer query, with the outer columns it is asked with
--> columns main/subquery:1: 1 INTEGER
--> items main/subquery:1: where: EXISTS (SELECT 1 FROM c WHERE c.z = a.x AND c.z = b.y)
--> columns main: x INTEGER
--> items main: where: EXISTS (SELECT 1 FROM b WHERE EXISTS (SELECT 1 FROM c WHERE c.z = a.x AND c.z = b.y))

-- # rows of two outer queries with one name cannot be had together [sqlite, duckdb, postgres]
-- schema: a(x INTEGER, y INTEGER), c(z INTEGER)
SELECT p.x FROM a p, a o WHERE EXISTS (SELECT 1 FROM a p WHERE EXISTS (SELECT 1 FROM c WHERE z = o.y AND z = p.x));
--> nodes: table:a, table:c, main/subquery:1/subquery:1, main/subquery:1, main
--> edges: main/subquery:1 subquery main; main/subquery:1/subquery:1 subquery main/subquery:1; table:a from main; table:a from main/subquery:1; table:a outer main/subquery:1; table:a outer main/subquery:1/subquery:1; table:c from main/subquery:1/subquery:1
--> reason main/subquery:1/subquery:1: it reads rows of two outer queries whose sources share a name
--> columns main/subquery:1/subquery:1: 1 INTEGER
--> items main/subquery:1/subquery:1: where: z = o.y; where: z = p.x
--> sql main/subquery:1: SELECT o.y, EXISTS (SELECT 1 FROM a p WHERE EXISTS (SELECT 1 FROM c WHERE z = o.y AND z = p.x)) AS matches FROM (SELECT DISTINCT o.y FROM a p, a o) AS o
--> reason main/subquery:1: a row for each row of the outer query, with the outer columns it is asked with
--> columns main/subquery:1: 1 INTEGER
--> items main/subquery:1: where: EXISTS (SELECT 1 FROM c WHERE z = o.y AND z = p.x)
--> columns main: x INTEGER
--> items main: from: FROM a p, a o; where: EXISTS (SELECT 1 FROM a p WHERE EXISTS (SELECT 1 FROM c WHERE z = o.y AND z = p.x))

-- # set operations and what bounds them [sqlite, duckdb, postgres, mysql]
-- schema: t(a INTEGER, x INTEGER), u(b INTEGER)
SELECT a FROM t WHERE x = 1 UNION SELECT b FROM u UNION ALL SELECT x FROM t ORDER BY 1 LIMIT 2;
--> nodes: table:t, table:u, main/union:1, main/union:2, main/union:3, main
--> edges: main/union:1 branch main; main/union:2 branch main; main/union:3 branch main; table:t from main/union:1; table:t from main/union:3; table:u from main/union:2
--> sql main/union:1: SELECT a FROM t WHERE x = 1
--> columns main/union:1: a INTEGER
--> items main/union:1: where: x = 1
--> sql main/union:2: SELECT b FROM u
--> columns main/union:2: b INTEGER
--> sql main/union:3: SELECT x FROM t
--> columns main/union:3: x INTEGER
--> columns main: a INTEGER
--> items main: order: ORDER BY 1 LIMIT 2

-- # set operations in brackets [duckdb, postgres]
SELECT n FROM ((SELECT 1 AS n) UNION (SELECT 2 ORDER BY 1 LIMIT 1)) AS s WHERE n > 0;
--> nodes: main/subquery:1/union:1, main/subquery:1/union:2, main/subquery:1, main
--> edges: main/subquery:1 from main; main/subquery:1/union:1 branch main/subquery:1; main/subquery:1/union:2 branch main/subquery:1
--> sql main/subquery:1/union:1: SELECT 1 AS n
--> columns main/subquery:1/union:1: n INTEGER
--> sql main/subquery:1/union:2: SELECT 2 ORDER BY 1 LIMIT 1
--> columns main/subquery:1/union:2: 2 INTEGER
--> items main/subquery:1/union:2: order: ORDER BY 1 LIMIT 1
--> sql main/subquery:1: (SELECT 1 AS n) UNION (SELECT 2 ORDER BY 1 LIMIT 1)
--> columns main/subquery:1: n INTEGER
--> columns main: n INTEGER
--> items main: where: n > 0

-- # a query in brackets with its own limit [duckdb, postgres]
-- schema: t(a INTEGER)
(SELECT a FROM t ORDER BY a) LIMIT 3;
--> nodes: table:t, main/subquery:1, main
--> edges: main/subquery:1 subquery main; table:t from main/subquery:1
--> sql main/subquery:1: SELECT a FROM t ORDER BY a
--> columns main/subquery:1: a INTEGER
--> items main/subquery:1: order: ORDER BY a
--> columns main: a INTEGER
--> items main: order: LIMIT 3

-- # rows written out [sqlite, duckdb, postgres]
SELECT v.column1 FROM (VALUES (1, 'a'), (2, 'b')) AS v;
--> nodes: values:v, main
--> edges: values:v from main
--> sql values:v: SELECT * FROM (VALUES (1, 'a'), (2, 'b')) AS v
--> columns values:v: column1 INTEGER, column2 TEXT
--> columns main: column1 INTEGER

-- # rows written out in a CTE [sqlite, duckdb, postgres]
WITH v(n, s) AS (VALUES (1, 'a'), (2, 'b')) SELECT s FROM v WHERE n > 1;
--> nodes: cte:v, main
--> edges: cte:v from main
--> sql cte:v: WITH v(n, s) AS (VALUES (1, 'a'), (2, 'b')) SELECT * FROM v
--> columns cte:v: n INTEGER, s TEXT
--> columns main: s TEXT
--> items main: where: n > 1

-- # LATERAL reads the sources before it [duckdb, postgres]
-- schema: t(id INTEGER, k INTEGER), u(k INTEGER, v REAL)
SELECT x.top FROM t CROSS JOIN LATERAL (SELECT MAX(u.v) AS top FROM u WHERE u.k = t.k) AS x;
--> nodes: table:t, table:u, main/subquery:1, main
--> edges: main/subquery:1 from main; table:t from main; table:t outer main/subquery:1; table:u from main/subquery:1
--> sql main/subquery:1: SELECT x.* FROM t CROSS JOIN LATERAL (SELECT MAX(u.v) AS top FROM u WHERE u.k = t.k) AS x
--> reason main/subquery:1: its rows for all rows of the sources before it
--> columns main/subquery:1: top REAL
--> items main/subquery:1: where: u.k = t.k; select: MAX(u.v)
--> columns main: top REAL
--> items main: from: FROM t CROSS JOIN LATERAL (SELECT MAX(u.v) AS top FROM u WHERE u.k = t.k) AS x

-- # CROSS APPLY is LATERAL [tsql]
-- schema: t(id INTEGER, k INTEGER), u(k INTEGER, v REAL)
SELECT x.top FROM t CROSS APPLY (SELECT MAX(u.v) AS top FROM u WHERE u.k = t.k) AS x;
--> nodes: table:t, table:u, main/subquery:1, main
--> edges: main/subquery:1 from main; table:t from main; table:t outer main/subquery:1; table:u from main/subquery:1
--> sql main/subquery:1: SELECT x.* FROM t CROSS APPLY (SELECT MAX(u.v) AS top FROM u WHERE u.k = t.k) AS x
--> reason main/subquery:1: its rows for all rows of the sources before it
--> columns main/subquery:1: top REAL
--> items main/subquery:1: where: u.k = t.k; select: MAX(u.v)
--> columns main: top REAL
--> items main: from: FROM t CROSS APPLY (SELECT MAX(u.v) AS top FROM u WHERE u.k = t.k) AS x

-- # a table function, alone and of each row [sqlite]
-- schema: t(id INTEGER, j TEXT)
SELECT a.value, b.value FROM json_each('[1, 2]') AS a, t, json_each(t.j) AS b;
--> nodes: function:a, table:t, function:b, main
--> edges: function:a from main; function:b from main; table:t from main
--> sql function:a: SELECT * FROM json_each('[1, 2]') AS a
--> columns function:a:  and others
--> sql function:b: SELECT b.* FROM json_each('[1, 2]') AS a, t, json_each(t.j) AS b
--> columns function:b:  and others
--> columns main: value, value
--> items main: from: FROM json_each('[1, 2]') AS a, t, json_each(t.j) AS b

-- # generate_series [duckdb, postgres]
-- schema: t(id INTEGER)
SELECT g.n, id FROM generate_series(1, 3) AS g(n), t;
--> nodes: function:g, table:t, main
--> edges: function:g from main; table:t from main
--> sql function:g: SELECT * FROM generate_series(1, 3) AS g(n)
--> columns function:g: n
--> columns main: n, id INTEGER
--> items main: from: FROM generate_series(1, 3) AS g(n), t

-- # windows [sqlite, duckdb, postgres, snowflake]
-- schema: e(d TEXT, p REAL)
SELECT d, RANK() OVER (PARTITION BY d ORDER BY p DESC) AS r FROM e WHERE p > 1;
--> nodes: table:e, main
--> edges: table:e from main
--> columns main: d TEXT, r INTEGER
--> items main: where: p > 1; window: PARTITION BY d; window: ORDER BY p DESC; select: RANK() OVER (PARTITION BY d ORDER BY p DESC)

-- # FROM comes first [duckdb]
-- schema: e(d TEXT, p REAL)
FROM e SELECT d WHERE p > 1;
--> nodes: table:e, main
--> edges: table:e from main
--> columns main: d TEXT
--> items main: where: p > 1

-- # a table that is read twice is one node [all]
-- schema: emp(id INTEGER, boss INTEGER, name TEXT)
SELECT e.name, b.name AS boss FROM emp e LEFT JOIN emp b ON e.boss = b.id;
--> nodes: table:emp, main
--> edges: table:emp from main
--> columns main: name TEXT, boss TEXT
--> items main: from: FROM emp e LEFT JOIN emp b ON e.boss = b.id; from: e.boss = b.id

-- # stars [all]
-- schema: t(id INTEGER, a TEXT), u(id INTEGER, b REAL)
SELECT u.*, q.* FROM u JOIN (SELECT * FROM t) AS q ON q.id = u.id;
--> nodes: table:u, table:t, main/subquery:1, main
--> edges: main/subquery:1 from main; table:t from main/subquery:1; table:u from main
--> sql main/subquery:1: SELECT * FROM t
--> columns main/subquery:1: id INTEGER, a TEXT
--> columns main: id INTEGER, b REAL, id INTEGER, a TEXT
--> items main: from: FROM u JOIN (SELECT * FROM t) AS q ON q.id = u.id; from: q.id = u.id

-- # a placeholder is a missing value, where it stands [sqlite, duckdb, postgres]
-- schema: t(id INTEGER, a TEXT), u(id INTEGER)
WITH some AS (SELECT id FROM t WHERE a = :name) SELECT COUNT(*) FROM some WHERE id IN (SELECT id FROM u);
--> nodes: table:t, table:u, cte:some, main/subquery:1, main
--> edges: cte:some from main; main/subquery:1 subquery main; table:t from cte:some; table:u from main/subquery:1
--> reason cte:some: it holds a placeholder: a value is missing
--> columns cte:some: id INTEGER
--> items cte:some: where: a = :name
--> sql main/subquery:1: SELECT id FROM u
--> columns main/subquery:1: id INTEGER
--> reason main: it holds a placeholder: a value is missing
--> columns main: COUNT(*) INTEGER
--> items main: where: id IN (SELECT id FROM u); select: COUNT(*)

-- # joins and clauses in the order of computing [all]
-- schema: t(id INTEGER, k INTEGER), u(k INTEGER, v REAL)
SELECT DISTINCT t.k, SUM(u.v) AS s FROM t JOIN u ON u.k = t.k AND u.v > 0 WHERE t.id > 3
GROUP BY t.k HAVING COUNT(*) > 1 ORDER BY s;
--> nodes: table:t, table:u, main
--> edges: table:t from main; table:u from main
--> columns main: k INTEGER, s REAL
--> items main: from: FROM t JOIN u ON u.k = t.k AND u.v > 0; from: u.k = t.k; from: u.v > 0; where: t.id > 3; group: GROUP BY t.k; having: COUNT(*) > 1; select: SUM(u.v); distinct: DISTINCT; order: ORDER BY s

-- # two schemas [postgres, duckdb, snowflake]
SELECT a.x FROM s1.t a JOIN s2.t b ON a.x = b.x;
--> nodes: table:s1.t, table:s2.t, main
--> edges: table:s1.t from main; table:s2.t from main
--> columns main: x
--> items main: from: FROM s1.t a JOIN s2.t b ON a.x = b.x; from: a.x = b.x

-- # what reads a CTE with a placeholder cannot run either [sqlite, duckdb, postgres]
-- schema: t(id INTEGER, a TEXT)
WITH p AS (SELECT id FROM t WHERE a = ?), q AS (SELECT id FROM p WHERE id > 1) SELECT COUNT(*) FROM q;
--> nodes: table:t, cte:p, cte:q, main
--> edges: cte:p from cte:q; cte:q from main; table:t from cte:p
--> reason cte:p: it holds a placeholder: a value is missing
--> columns cte:p: id INTEGER
--> items cte:p: where: a = ?
--> reason cte:q: what it reads holds a placeholder: a value is missing (p)
--> columns cte:q: id INTEGER
--> items cte:q: where: id > 1
--> reason main: it holds a placeholder: a value is missing
--> columns main: COUNT(*) INTEGER
--> items main: select: COUNT(*)

-- # VALUES of one alias in two places are two [sqlite, duckdb, postgres]
SELECT v.a FROM (VALUES (1)) AS v(a) WHERE v.a IN (SELECT v.a FROM (VALUES (2), (3)) AS v(a));
--> nodes: values:v, values:v#2, main/subquery:1, main
--> edges: main/subquery:1 subquery main; values:v from main; values:v#2 from main/subquery:1
--> sql values:v: SELECT * FROM (VALUES (1)) AS v(a)
--> columns values:v: a INTEGER
--> sql values:v#2: SELECT * FROM (VALUES (2), (3)) AS v(a)
--> columns values:v#2: a INTEGER
--> sql main/subquery:1: SELECT v.a FROM (VALUES (2), (3)) AS v(a)
--> columns main/subquery:1: a INTEGER
--> columns main: a INTEGER
--> items main: where: v.a IN (SELECT v.a FROM (VALUES (2), (3)) AS v(a))

-- # two CTEs of one name cannot stand in one WITH [sqlite, duckdb, postgres]
-- schema: a(x INTEGER)
WITH t AS (SELECT x FROM a) SELECT x FROM t WHERE x IN (WITH u AS (SELECT x FROM t), t AS (SELECT x FROM u) SELECT x FROM t);
--> nodes: table:a, cte:t, cte:u, cte:t#2, main/subquery:1, main
--> edges: cte:t from cte:u; cte:t from main; cte:t#2 from main/subquery:1; cte:u from cte:t#2; main/subquery:1 subquery main; table:a from cte:t
--> sql cte:t: SELECT x FROM a
--> columns cte:t: x INTEGER
--> sql cte:u: WITH t AS (SELECT x FROM a) SELECT x FROM t
--> columns cte:u: x INTEGER
--> sql cte:t#2: WITH t AS (SELECT x FROM a), u AS (SELECT x FROM t) SELECT x FROM u
--> columns cte:t#2: x INTEGER
--> reason main/subquery:1: it depends on two CTEs of one name, t
--> columns main/subquery:1: x INTEGER
--> columns main: x INTEGER
--> items main: where: x IN (WITH u AS (SELECT x FROM t), t AS (SELECT x FROM u) SELECT x FROM t)
