-- What must be looked through to see that it is the same.

-- # the formula of a derived column [all]
SELECT s.n FROM (SELECT a + b AS n FROM t) AS s WHERE s.n * 2 > 4;
SELECT q.m FROM (SELECT a + b AS m FROM t) AS q WHERE q.m * 3 > 5;

-- # a literal beside a formula [all]
SELECT MAX(a) FROM t HAVING MAX(a) > 1;
SELECT MAX(t.a) FROM t HAVING 2 < MAX(a);

-- # an alias that is also another column's name, in ORDER BY [all]
SELECT a AS b, b AS a FROM t ORDER BY a;
SELECT a AS x, b AS y FROM t ORDER BY y;

-- # a correlated subquery on the same table [all]
SELECT t1.x FROM t AS t1 WHERE t1.x = (SELECT MAX(t2.x) FROM t AS t2 WHERE t2.y = t1.y);
SELECT q.x FROM t AS q WHERE q.x = (SELECT MAX(x) FROM t AS z WHERE z.y = q.y);

-- # NOT twice [all]
SELECT a FROM t WHERE NOT (NOT (a = 1));
SELECT a FROM t WHERE a = 1;

-- # CASE with an operand [all]
SELECT CASE a WHEN 1 THEN 2 ELSE 3 END FROM t;
SELECT CASE t.a WHEN 'x' THEN 'y' ELSE 'z' END FROM t;

-- # a date as a cast text [postgres, duckdb, snowflake]
SELECT a FROM t WHERE d > '2024-01-01'::DATE;
SELECT a FROM t WHERE d > DATE '2024-01-01';
SELECT a FROM t WHERE d > CAST('2024-01-01' AS DATE);

-- # a dataset in one pair of backticks [bigquery]
SELECT a FROM `ds.t` WHERE b = 1;
SELECT a FROM ds.t WHERE b = 1;

-- # ordinal and name in the ORDER BY of a set operation [sqlite, postgres, duckdb, tsql, snowflake]
SELECT a FROM t EXCEPT SELECT a FROM u ORDER BY 1;
SELECT a FROM t EXCEPT SELECT a FROM u ORDER BY a;

-- # the columns of an unnested array [postgres]
SELECT x FROM t, UNNEST(t.arr) AS u(v) WHERE u.v = 3;
SELECT x FROM t, UNNEST(t.arr) AS w(z) WHERE z = 3;

-- # a parenthesised table [sqlite, duckdb, postgres, mysql]
SELECT a FROM (t) WHERE b = 1;
SELECT a FROM t WHERE b = 1;

-- # query options that change no row [tsql]
SELECT a FROM t WHERE d >= 1 OPTION (RECOMPILE);
SELECT a FROM t WHERE d >= 1;
