-- CTEs, derived tables, set operations: where a fragment belongs, and what its names mean.

-- # a CTE: a computed column is its formula [all]
WITH x AS (SELECT publisher_id, COUNT(*) AS n FROM superhero GROUP BY publisher_id)
SELECT publisher_id FROM x WHERE n > 5;
--> calculation @cte:x: count(*)
--> dimension @cte:x: group by superhero.publisher_id
--> condition @main: count(*) > <val>

-- # a CTE: a column passed through is the base column [all]
WITH x AS (SELECT id AS hero, eye AS colour FROM superhero) SELECT hero FROM x WHERE colour = 'blue';
--> condition @main: superhero.eye = <val>

-- # a CTE with column names [sqlite, duckdb, postgres, mysql, tsql, snowflake]
WITH x(hero, colour) AS (SELECT id, eye FROM superhero) SELECT hero FROM x WHERE colour = 'blue';
--> condition @main: superhero.eye = <val>

-- # a CTE of a CTE [all]
WITH a AS (SELECT id, price * quantity AS total FROM orders), b AS (SELECT id, total FROM a WHERE total > 10)
SELECT AVG(total) FROM b;
--> calculation @cte:a: orders.price * orders.quantity
--> condition @cte:b: orders.price * orders.quantity > <val>
--> calculation @main: avg(orders.price * orders.quantity)

-- # a CTE named like the table it reads [all]
WITH orders AS (SELECT id, amount FROM orders WHERE amount > 0) SELECT SUM(amount) FROM orders;
--> condition @cte:orders: orders.amount > <val>
--> calculation @main: sum(orders.amount)

-- # one CTE name in two scopes [sqlite, duckdb, postgres, mysql, snowflake, bigquery] some
SELECT a.v FROM (WITH x AS (SELECT v FROM t WHERE v = 1) SELECT v FROM x WHERE v > 0) AS a
JOIN (WITH x AS (SELECT w FROM u WHERE w = 2) SELECT w FROM x WHERE w < 9) AS b ON a.v = b.w;
--> condition: t.v = <val>
--> condition: t.v > <val>
--> condition: u.w = <val>
--> condition: u.w < <val>
--> relation @main: t.v = u.w

-- # an alias that is another table's name [all]
SELECT publisher.name FROM superhero AS publisher WHERE publisher.eye = 'blue';
--> condition: superhero.eye = <val>

-- # a derived table: names of its columns mean nothing [all]
SELECT d.n FROM (SELECT full_name AS n FROM superhero) AS d WHERE d.n = 'x';
--> condition @main: superhero.full_name = <val>

-- # a derived table of a star [all]
SELECT d.full_name FROM (SELECT * FROM superhero) AS d WHERE d.full_name = 'x';
--> condition @main: superhero.full_name = <val>

-- # a derived table in a derived table [all]
SELECT MAX(e.m) FROM (SELECT d.n AS m FROM (SELECT COUNT(*) AS n FROM t GROUP BY a) AS d WHERE d.n > 1) AS e;
--> calculation @main: max(count(*))
--> condition @main/subquery:1: count(*) > <val>
--> calculation @main/subquery:1/subquery:1: count(*)
--> dimension @main/subquery:1/subquery:1: group by t.a

-- # UNION: each side has its scope [sqlite, duckdb, postgres, mysql, tsql, snowflake]
SELECT a FROM t WHERE b = 1 UNION SELECT c FROM u WHERE d = 2;
--> condition @main/union:1: t.b = <val>
--> condition @main/union:2: u.d = <val>

-- # UNION ALL of three [all]
SELECT SUM(a) FROM t UNION ALL SELECT SUM(b) FROM u UNION ALL SELECT SUM(c) FROM v;
--> calculation @main/union:1: sum(t.a)
--> calculation @main/union:2: sum(u.b)
--> calculation @main/union:3: sum(v.c)

-- # INTERSECT and EXCEPT are read like UNION [sqlite, duckdb, postgres, tsql, snowflake]
SELECT a FROM t WHERE b = 1 EXCEPT SELECT c FROM u WHERE d = 2;
--> condition @main/union:1: t.b = <val>
--> condition @main/union:2: u.d = <val>

-- # the ORDER BY of a union [sqlite, duckdb, postgres, mysql, snowflake, bigquery] some
SELECT a FROM t UNION ALL SELECT a FROM u ORDER BY a DESC LIMIT 3;
--> output: order by t.a desc limit <val>

-- # a union in a CTE [all]
WITH x AS (SELECT a FROM t WHERE a > 1 UNION ALL SELECT b FROM u WHERE b < 2) SELECT COUNT(*) FROM x;
--> condition @cte:x/union:1: t.a > <val>
--> condition @cte:x/union:2: u.b < <val>
--> calculation @main: count(*)

-- # a recursive CTE [sqlite, duckdb, postgres, mysql, snowflake, bigquery] some
WITH RECURSIVE r AS (
  SELECT id, boss FROM staff WHERE boss IS NULL
  UNION ALL
  SELECT s.id, s.boss FROM staff AS s JOIN r ON s.boss = r.id
)
SELECT COUNT(*) FROM r;
--> condition @cte:r/union:1: staff.boss is null
--> calculation @main: count(*)

-- # a CTE in a subquery [sqlite, duckdb, postgres, mysql, snowflake, bigquery] some
SELECT id FROM t WHERE a IN (WITH x AS (SELECT b FROM u WHERE c = 1) SELECT b FROM x);
--> condition: u.c = <val>

-- # a query in parentheses [sqlite, duckdb, postgres, mysql, snowflake] some
(SELECT a FROM t WHERE b = 1) UNION (SELECT a FROM u WHERE b = 2);
--> condition: t.b = <val>
--> condition: u.b = <val>
