-- Names: how they are folded, and when they are quoted.

-- # upper and lower case are one [sqlite, duckdb, tsql]
SELECT SUM(Weight_KG) FROM SuperHero WHERE FULL_NAME IS NULL;
--> calculation: sum(superhero.weight_kg)
--> condition: superhero.full_name is null

-- # unquoted names of PostgreSQL and Snowflake are folded [postgres, snowflake]
SELECT SUM(Weight_KG) FROM SuperHero WHERE FULL_NAME IS NULL;
--> calculation: sum(superhero.weight_kg)
--> condition: superhero.full_name is null

-- # columns of BigQuery and MySQL have no case [bigquery, mysql]
SELECT SUM(Weight_KG) FROM superhero WHERE FULL_NAME IS NULL;
--> calculation: sum(superhero.weight_kg)
--> condition: superhero.full_name is null

-- # quoted mixed case is another name in PostgreSQL [postgres]
SELECT SUM("Total") FROM "Orders" AS o WHERE o."Id" = 1 AND o.day = 2;
--> calculation: sum("Orders"."Total")
--> condition: "Orders"."Id" = <val>
--> condition: "Orders".day = <val>

-- # quoted lower case is another name in Snowflake, quoted upper case is not [snowflake]
SELECT SUM("total") FROM orders WHERE "DAY" = 2;
--> calculation: sum(orders."total")
--> condition: orders.day = <val>

-- # quoted mixed case is the same name in DuckDB [duckdb]
SELECT SUM("Total") FROM "Orders" WHERE "Id" = 1;
--> calculation: sum(orders.total)
--> condition: orders.id = <val>

-- # names with blanks and parentheses, in backticks [sqlite]
SELECT `Free Meal Count (K-12)` / `Enrollment (K-12)` FROM frpm WHERE `County Name` = 'Alameda';
--> calculation: frpm."free meal count (k-12)" / frpm."enrollment (k-12)"
--> condition: frpm."county name" = <val>

-- # names with blanks in brackets [tsql, sqlite]
SELECT [User Link] FROM posts WHERE [Average Score] > 3;
--> condition: posts."average score" > <val>

-- # reserved words as names [sqlite, duckdb]
SELECT "order" FROM t WHERE "group" = 1 AND "from" > 2;
--> condition: t."group" = <val>
--> condition: t."from" > <val>

-- # reserved words in backticks [mysql, bigquery]
SELECT `order` FROM t WHERE `group` = 1;
--> condition: t."group" = <val>

-- # a quote in a name [sqlite, duckdb, postgres]
SELECT x FROM t WHERE "a""b" = 1;
--> condition: t."a""b" = <val>

-- # a table with a hyphen [sqlite, duckdb, postgres]
SELECT x FROM "table-name" WHERE x = 1;
--> condition: "table-name".x = <val>
