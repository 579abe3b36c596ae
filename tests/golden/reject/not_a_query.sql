-- Statements that are no queries: counted as such.

-- # writes [all]
INSERT INTO t VALUES (1);
INSERT INTO t (a) SELECT b FROM u;
UPDATE t SET a = 1 WHERE b = 2;
DELETE FROM t WHERE a = 1;
--> not_a_query

-- # definitions [all]
CREATE TABLE t (a INT);
CREATE TABLE t AS SELECT a FROM u;
CREATE VIEW v AS SELECT a FROM t;
DROP TABLE t;
ALTER TABLE t ADD COLUMN a INT;
--> not_a_query

-- # session commands [postgres, mysql, snowflake]
SET x = 1;
SHOW TABLES;
BEGIN;
COMMIT;
--> not_a_query

-- # commands of Snowflake [snowflake]
rm @stage/file;
ALTER TABLE t RECLUSTER;
USE WAREHOUSE w;
PUT file://x.csv @stage;
COPY INTO t FROM @stage;
GRANT SELECT ON t TO ROLE r;
--> not_a_query

-- # commands of PostgreSQL [postgres]
COPY t TO 'x.csv';
DO $$ BEGIN DELETE FROM t; END $$;
VACUUM t;
GRANT SELECT ON t TO r;
TRUNCATE t;
--> not_a_query

-- # commands of SQLite and DuckDB [sqlite, duckdb]
PRAGMA table_info(t);
ATTACH 'x.db' AS x;
--> not_a_query

-- # commands of T-SQL [tsql]
USE shop;
EXEC sp_help;
DECLARE @x INT;
SET @x = 1;
--> not_a_query

-- # commands of BigQuery [bigquery]
MERGE INTO t USING u ON t.id = u.id WHEN MATCHED THEN DELETE;
TRUNCATE TABLE t;
--> not_a_query

-- # a write inside a CTE [postgres]
WITH d AS (DELETE FROM t RETURNING *) SELECT * FROM d;
--> not_a_query
