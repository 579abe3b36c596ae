-- GROUP BY, ORDER BY, LIMIT in all its spellings, DISTINCT.

-- # GROUP BY one column [all]
SELECT a FROM t GROUP BY a;
--> dimension: group by t.a

-- # GROUP BY columns are sorted [all]
SELECT T2.a2 FROM district AS T2 GROUP BY T2.district_id, T2.a2;
--> dimension: group by district.a2, district.district_id

-- # GROUP BY an alias is its expression [sqlite, duckdb, mysql, postgres, bigquery, snowflake]
SELECT UPPER(a) AS big FROM t GROUP BY big;
--> calculation: upper(t.a)
--> dimension: group by upper(t.a)

-- # GROUP BY an ordinal is its expression [sqlite, duckdb, mysql, postgres, bigquery, snowflake]
SELECT a, COUNT(*) FROM t GROUP BY 1;
--> calculation: count(*)
--> dimension: group by t.a

-- # DISTINCT [all]
SELECT DISTINCT a FROM t;
--> output: distinct

-- # DISTINCT and ORDER BY are two [all]
SELECT DISTINCT a FROM t ORDER BY a;
--> output: distinct
--> output: order by t.a asc

-- # ORDER BY with LIMIT is one [sqlite, duckdb, postgres, mysql, snowflake, bigquery]
SELECT name FROM superhero ORDER BY weight_kg DESC LIMIT 1;
--> output: order by superhero.weight_kg desc limit <val>

-- # LIMIT alone [sqlite, duckdb, postgres, mysql, snowflake, bigquery]
SELECT name FROM superhero LIMIT 10;
--> output: limit <val>

-- # LIMIT with OFFSET [sqlite, duckdb, postgres, mysql, snowflake, bigquery]
SELECT name FROM superhero ORDER BY id LIMIT 10 OFFSET 20;
--> output: order by superhero.id asc limit <val> offset <val>

-- # LIMIT with the offset before it [mysql, sqlite]
SELECT name FROM superhero ORDER BY id LIMIT 20, 10;
--> output: order by superhero.id asc limit <val> offset <val>

-- # TOP [tsql]
SELECT TOP 10 name FROM superhero ORDER BY weight_kg DESC;
--> output: order by superhero.weight_kg desc limit <val>

-- # TOP in parentheses without ORDER BY [tsql]
SELECT TOP (10) name FROM superhero;
--> output: limit <val>

-- # FETCH FIRST [postgres, snowflake]
SELECT name FROM superhero ORDER BY weight_kg DESC FETCH FIRST 10 ROWS ONLY;
--> output: order by superhero.weight_kg desc limit <val>

-- # OFFSET and FETCH NEXT [tsql]
SELECT name FROM superhero ORDER BY weight_kg DESC OFFSET 20 ROWS FETCH NEXT 10 ROWS ONLY;
--> output: order by superhero.weight_kg desc limit <val> offset <val>

-- # ORDER BY two columns, their order kept [all]
SELECT a FROM t ORDER BY b, a DESC;
--> output: order by t.b asc, t.a desc

-- # ORDER BY a renamed column is the column [all]
SELECT a AS b FROM t ORDER BY b;
--> output: order by t.a asc

-- # ORDER BY and LIMIT in a subquery [sqlite, duckdb, postgres, snowflake, bigquery]
SELECT name FROM superhero WHERE id = (SELECT hero_id FROM hero_attribute ORDER BY attribute_value DESC LIMIT 1);
--> condition @main: superhero.id = (select hero_attribute.hero_id from hero_attribute order by hero_attribute.attribute_value desc limit <val>)
--> output @main/subquery:1: order by hero_attribute.attribute_value desc limit <val>

-- # a formula grouped by and selected [sqlite]
SELECT STRFTIME('%Y', day), COUNT(*) FROM orders GROUP BY STRFTIME('%Y', day);
--> calculation: strftime(<val>, orders.day)
--> calculation: count(*)
--> dimension: group by strftime(<val>, orders.day)
