-- Calculations: each formula of SELECT and ORDER BY, whole, without its alias.

-- # bare columns, stars and literals are no formulas [all]
SELECT a, t.b, 1, 'x', NULL, t.* FROM t;

-- # COUNT(*) [all]
SELECT COUNT(*) AS n FROM superhero;
--> calculation: count(*)

-- # COUNT(1) is COUNT(*) [all]
SELECT COUNT(1) FROM superhero;
--> calculation: count(*)

-- # COUNT DISTINCT of a qualified column [all]
SELECT COUNT(DISTINCT T2.district_id) FROM district AS T2;
--> calculation: count(distinct district.district_id)

-- # nested formulas whole [sqlite]
SELECT CAST(SUM(weight_kg) AS REAL) / COUNT(id) FROM superhero;
--> calculation: cast(sum(superhero.weight_kg) as real) / count(superhero.id)

-- # a sum over a case, over a join [all]
SELECT SUM(CASE WHEN T2.publisher_name = 'Marvel Comics' THEN 1 ELSE 0 END)
FROM superhero AS T1 INNER JOIN publisher AS T2 ON T1.publisher_id = T2.id;
--> calculation: sum(case when publisher.publisher_name = <val> then <val> else <val> end)
--> relation: publisher.id = superhero.publisher_id
--> relation: from publisher join superhero on publisher.id = superhero.publisher_id

-- # a function of the dialect [sqlite]
SELECT STRFTIME('%Y', T1.birth_date) FROM client AS T1;
--> calculation: strftime(<val>, client.birth_date)

-- # several formulas are several [all]
SELECT MIN(a), MAX(a) AS biggest, a FROM t GROUP BY a;
--> calculation: min(t.a)
--> calculation: max(t.a)
--> dimension: group by t.a

-- # arithmetic, with the parentheses that matter [all]
SELECT (price + tax) * quantity FROM orders;
--> calculation: (orders.price + orders.tax) * orders.quantity

-- # redundant parentheses go [all]
SELECT ((price)) * ((quantity)) FROM orders;
--> calculation: orders.price * orders.quantity

-- # a cast of a column [sqlite, duckdb, postgres, tsql, snowflake]
SELECT CAST(created AS DATE) FROM orders;
--> calculation: cast(orders.created as date)

-- # a cast by two colons [postgres, duckdb, snowflake]
SELECT created::DATE FROM orders;
--> calculation: cast(orders.created as date)

-- # concatenation [sqlite, duckdb, postgres, snowflake, bigquery]
SELECT first_name || ' ' || last_name FROM person;
--> calculation: person.first_name || <val> || person.last_name

-- # a comparison in SELECT [sqlite, duckdb, postgres, mysql, bigquery, snowflake]
SELECT height_cm > 200 FROM superhero;
--> calculation: superhero.height_cm > <val>

-- # EXISTS in SELECT [sqlite, duckdb, postgres, mysql, bigquery]
SELECT EXISTS(SELECT 1 FROM t WHERE a = 2);
--> calculation @main: exists(select <val> from t where t.a = <val>)
--> condition @main/subquery:1: t.a = <val>

-- # a bare scalar subquery is no formula, what is in it is [all]
SELECT (SELECT MAX(height_cm) FROM superhero) AS tallest;
--> calculation @main/subquery:1: max(superhero.height_cm)

-- # a formula of scalar subqueries is one, and recursed into [all]
SELECT (SELECT COUNT(*) FROM t) - (SELECT COUNT(*) FROM u WHERE a = 1) AS difference;
--> calculation @main: (select count(*) from t) - (select count(*) from u where u.a = <val>)
--> calculation @main/subquery:1: count(*)
--> calculation @main/subquery:2: count(*)
--> condition @main/subquery:2: u.a = <val>

-- # a formula of ORDER BY that is not selected [all]
SELECT name FROM t GROUP BY name ORDER BY SUM(a) DESC;
--> calculation: sum(t.a)
--> dimension: group by t.name
--> output: order by sum(t.a) desc

-- # ORDER BY an alias is no second formula, but its expression [all]
SELECT a, COUNT(*) AS n FROM t GROUP BY a ORDER BY n DESC;
--> calculation: count(*)
--> dimension: group by t.a
--> output: order by count(*) desc

-- # ORDER BY an ordinal is its expression [all]
SELECT a, SUM(b) FROM t GROUP BY a ORDER BY 2;
--> calculation: sum(t.b)
--> dimension: group by t.a
--> output: order by sum(t.b) asc

-- # a window function with its own grouping and order [all]
SELECT RANK() OVER (PARTITION BY publisher_id ORDER BY height_cm DESC) FROM superhero;
--> calculation: rank() over (partition by superhero.publisher_id order by superhero.height_cm desc)
--> dimension: partition by superhero.publisher_id
--> output: order by superhero.height_cm desc

-- # an aggregate over a window without order [all]
SELECT SUM(a) OVER (PARTITION BY b) FROM t;
--> calculation: sum(t.a) over (partition by t.b)
--> dimension: partition by t.b

-- # CASE with AND and OR inside is one formula [all]
SELECT CASE WHEN a = 1 AND (b = 2 OR c = 3) THEN 'x' ELSE 'y' END FROM t;
--> calculation: case when t.a = <val> and (t.b = <val> or t.c = <val>) then <val> else <val> end

-- # a ratio as people write it [all]
SELECT SUM(CASE WHEN a = 'x' THEN 1 ELSE 0 END) * 100.0 / COUNT(*) FROM t;
--> calculation: sum(case when t.a = <val> then <val> else <val> end) * <val> / count(*)

-- # a bare column of two tables, told by the schema [all]
-- schema: orders(id, amount), refunds(order_id, reason)
SELECT SUM(amount) FROM orders AS o JOIN refunds AS r ON r.order_id = o.id WHERE reason = 'late';
--> calculation: sum(orders.amount)
--> condition: refunds.reason = <val>
--> relation: orders.id = refunds.order_id
--> relation: from orders join refunds on orders.id = refunds.order_id
