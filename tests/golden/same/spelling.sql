-- Spellings that say the same, and so must give the same fragments: names, quotes, case, blanks.

-- # table aliases [all]
SELECT T1.name FROM superhero AS T1 INNER JOIN publisher AS T2 ON T1.publisher_id = T2.id WHERE T2.name = 'x';
SELECT s.name FROM superhero AS s INNER JOIN publisher AS p ON s.publisher_id = p.id WHERE p.name = 'x';
SELECT superhero.name FROM superhero INNER JOIN publisher ON superhero.publisher_id = publisher.id WHERE publisher.name = 'x';

-- # aliases exchanged [all]
SELECT a.x, b.y FROM t AS a JOIN u AS b ON a.id = b.id WHERE a.k = 1 AND b.k > 2;
SELECT b.x, a.y FROM t AS b JOIN u AS a ON b.id = a.id WHERE b.k = 1 AND a.k > 2;

-- # qualified and bare columns of one table [all]
SELECT name FROM superhero WHERE eye = 'blue' ORDER BY name;
SELECT superhero.name FROM superhero WHERE superhero.eye = 'blue' ORDER BY superhero.name;
SELECT s.name FROM superhero s WHERE s.eye = 'blue' ORDER BY s.name;

-- # bare columns of a join, told by the schema [all]
-- schema: orders(id, amount), refunds(order_id, reason)
SELECT amount FROM orders AS o JOIN refunds AS r ON r.order_id = o.id WHERE reason = 'late' ORDER BY amount;
SELECT o.amount FROM orders AS o JOIN refunds AS r ON order_id = id WHERE r.reason = 'late' ORDER BY o.amount;

-- # column aliases [all]
SELECT COUNT(*) AS n, SUM(a) total FROM t;
SELECT COUNT(*) AS many, SUM(a) FROM t;

-- # a column alias by an equals sign [tsql]
SELECT total = SUM(a) FROM t;
SELECT SUM(a) AS total FROM t;

-- # keyword and function case [all]
select count(*), max(a) from t where b is not null group by c order by max(a) desc;
SELECT COUNT(*), MAX(a) FROM t WHERE b IS NOT NULL GROUP BY c ORDER BY MAX(a) DESC;
Select Count(*), Max(a) From t Where b Is Not Null Group By c Order By Max(a) Desc;

-- # blanks, line ends and comments [all]
SELECT a , COUNT( * ) FROM t WHERE b=1 GROUP BY a;
SELECT a,COUNT(*) /* how many */
FROM t -- the table
WHERE   b  =  1

GROUP   BY a;

-- # a leading comment [all]
/* why */ SELECT a FROM t WHERE b = 1;
SELECT a FROM t WHERE b = 1;

-- # the case of names [sqlite, duckdb, tsql]
SELECT Superhero.Full_Name FROM SUPERHERO WHERE EYE = 'x';
SELECT superhero.full_name FROM superhero WHERE eye = 'x';

-- # the case of unquoted names [postgres, snowflake]
SELECT S.Full_Name FROM SUPERHERO AS S WHERE s.EYE = 'x';
SELECT s.full_name FROM superhero AS s WHERE s.eye = 'x';

-- # the case of columns and functions [bigquery, mysql]
SELECT Full_Name, max(A) FROM superhero WHERE EYE = 'x';
SELECT full_name, MAX(a) FROM superhero WHERE eye = 'x';

-- # quotes that change nothing, SQLite [sqlite]
SELECT "a" FROM "t" WHERE "b" = 1;
SELECT [a] FROM [t] WHERE [b] = 1;
SELECT `a` FROM `t` WHERE `b` = 1;
SELECT a FROM t WHERE b = 1;

-- # quotes that change nothing, MySQL and BigQuery [mysql, bigquery]
SELECT `a` FROM `t` WHERE `b` = 1;
SELECT a FROM t WHERE b = 1;

-- # quotes that change nothing, T-SQL [tsql]
SELECT [A] FROM [t] WHERE "B" = 1;
SELECT a FROM T WHERE b = 1;

-- # quotes that change nothing, PostgreSQL [postgres]
SELECT "a" FROM "t" WHERE "b" = 1;
SELECT A FROM T WHERE B = 1;

-- # quotes that change nothing, Snowflake [snowflake]
SELECT "A" FROM "T" WHERE "B" = 1;
SELECT a FROM t WHERE b = 1;

-- # quotes that change nothing, DuckDB [duckdb]
SELECT "A" FROM "T" WHERE "b" = 1;
SELECT a FROM t WHERE b = 1;

-- # letters of other scripts, quoted or not [sqlite, duckdb, postgres]
SELECT 名 FROM 表 WHERE "価格" > 1;
SELECT "名" FROM "表" WHERE 価格 > 1;

-- # the default schema of PostgreSQL [postgres]
SELECT a FROM public.t WHERE b = 1;
SELECT a FROM t WHERE t.b = 1;
SELECT a FROM "public"."t" WHERE public.t.b = 1;

-- # the default schema of T-SQL [tsql]
SELECT a FROM dbo.t WHERE b = 1;
SELECT a FROM [dbo].[t] WHERE dbo.t.b = 1;
SELECT a FROM t WHERE b = 1;

-- # the default schema of SQLite and DuckDB [sqlite, duckdb]
SELECT a FROM main.t WHERE b = 1;
SELECT a FROM t WHERE b = 1;

-- # CTE names and the names of their columns [all]
WITH x AS (SELECT a, COUNT(*) AS n FROM t GROUP BY a) SELECT a FROM x WHERE n > 1 ORDER BY n DESC;
WITH per_a AS (SELECT a AS aa, COUNT(*) AS c FROM t GROUP BY a) SELECT p.aa FROM per_a AS p WHERE p.c > 1 ORDER BY p.c DESC;

-- # CTE names in a join [all]
WITH x AS (SELECT a, MAX(b) AS m FROM t GROUP BY a) SELECT u.c FROM u JOIN x ON x.a = u.a WHERE x.m > 1;
WITH top_b AS (SELECT a AS k, MAX(b) AS best FROM t GROUP BY a) SELECT u.c FROM u JOIN top_b AS y ON u.a = y.k WHERE y.best > 1;

-- # names of derived tables and of their columns [all]
SELECT d.n FROM (SELECT a, COUNT(*) AS n FROM t GROUP BY a) AS d WHERE d.n > 1;
SELECT q.c FROM (SELECT a, COUNT(*) AS c FROM t GROUP BY a) AS q WHERE c > 1;

-- # aliases in a correlated subquery [all]
SELECT s.a FROM t AS s WHERE EXISTS (SELECT 1 FROM u AS v WHERE v.id = s.id AND v.k = 1);
SELECT t.a FROM t WHERE EXISTS (SELECT 2 FROM u WHERE u.id = t.id AND u.k = 9);
