-- What only some dialects have.

-- # DISTINCT ON [postgres, duckdb]
SELECT DISTINCT ON (a) a, b FROM t ORDER BY a, b DESC;
--> output: distinct on (t.a)
--> output: order by t.a asc, t.b desc

-- # a named window is written out [postgres, duckdb, mysql, sqlite, bigquery]
SELECT SUM(a) OVER w FROM t WINDOW w AS (PARTITION BY b ORDER BY c);
--> calculation: sum(t.a) over (partition by t.b order by t.c asc)
--> dimension: partition by t.b
--> output: order by t.c asc

-- # QUALIFY with the literal on the left [snowflake, duckdb, bigquery]
SELECT a FROM t QUALIFY 1 = ROW_NUMBER() OVER (PARTITION BY b ORDER BY c);
--> condition: row_number() over (partition by t.b order by t.c asc) = <val>
--> dimension: partition by t.b
--> output: order by t.c asc

-- # FROM first [duckdb]
FROM t SELECT a WHERE b = 1;
--> condition: t.b = <val>

-- # CROSS APPLY with a column passed through [tsql] some
SELECT t.x FROM t CROSS APPLY (SELECT TOP 1 u.a FROM u WHERE u.tid = t.id ORDER BY u.b DESC) AS z WHERE z.a > 1;
--> condition @main: u.a > <val>
--> condition @main/subquery:1: t.id = u.tid
--> output @main/subquery:1: order by u.b desc limit <val>

-- # a table hint says nothing [tsql]
SELECT x FROM t WITH (NOLOCK) WHERE YEAR(d) = 2020;
--> condition: year(t.d) = <val>

-- # a join in parentheses [sqlite, postgres, duckdb, mysql, tsql, snowflake, bigquery]
SELECT a.x FROM a JOIN (b JOIN c ON b.k = c.k) ON a.id = b.id;
--> relation: b.k = c.k
--> relation: a.id = b.id
--> relation: from a join b join c on a.id = b.id and b.k = c.k

-- # a join on formulas is a condition [all] some
SELECT a.x FROM a JOIN b ON LOWER(a.name) = LOWER(b.name);
--> condition: lower(a.name) = lower(b.name)

-- # an inner join after a left join, clause in its order [all]
SELECT a.x FROM a LEFT JOIN b ON a.id = b.id JOIN c ON c.k = b.k;
--> relation: a left join b on a.id = b.id
--> relation: b.k = c.k
--> relation: from a left join b on a.id = b.id join c on b.k = c.k

-- # text in double quotes is a literal in MySQL and BigQuery [mysql, bigquery]
SELECT x FROM t WHERE a = "Bob";
--> condition: t.a = <val>

-- # text in double quotes is a literal in SQLite where no column has that name [sqlite]
-- schema: t(x, a)
SELECT x FROM t WHERE a = "Bob" AND "x" = 1;
--> condition: t.a = <val>
--> condition: t.x = <val>

-- # a column of a JSON document [postgres]
SELECT a->>'k' FROM t WHERE a->>'k' = 'v';
--> calculation: t.a ->> <val>
--> condition: t.a ->> <val> = <val>

-- # bare booleans are conditions [postgres, duckdb, mysql, snowflake, bigquery, sqlite]
SELECT x FROM t WHERE active AND NOT deleted;
--> condition: t.active
--> condition: not t.deleted

-- # a subquery of a union [sqlite, duckdb, postgres, mysql, tsql, snowflake] some
SELECT x FROM t WHERE a IN (SELECT b FROM u UNION SELECT c FROM v WHERE d = 1);
--> condition @main/subquery:1/union:2: v.d = <val>

-- # other columns in the place of some of a star [duckdb, bigquery]
SELECT * REPLACE (lower(b) AS b) FROM t WHERE REPLACE(b, 'x', '') = 'y';
--> condition: replace(t.b, <val>, <val>) = <val>

-- # a star of a table with some columns left out and others in their place [duckdb]
SELECT t.* EXCLUDE (a) REPLACE (REPLACE(b, 'x', 'y') AS b) FROM t WHERE 2 * replace(c, 'x', '') > 1;
--> condition: <val> * replace(t.c, <val>, <val>) > <val>

-- # temporary tables of all sessions [tsql]
SELECT x FROM ##a AS a JOIN ##b AS b ON a.i = b.i;
--> relation: from ##a join ##b on ##a.i = ##b.i
--> relation: ##a.i = ##b.i
