-- Relations: the FROM clause where it joins, and each join edge.

-- # INNER JOIN [all]
SELECT T1.name FROM superhero AS T1 INNER JOIN publisher AS T2 ON T1.publisher_id = T2.id;
--> relation: publisher.id = superhero.publisher_id
--> relation: from publisher join superhero on publisher.id = superhero.publisher_id

-- # one table is no relation [all]
SELECT name FROM superhero;

-- # a join of three tables, tables and edges sorted [all]
SELECT s.name FROM superhero AS s
JOIN hero_power AS hp ON hp.hero_id = s.id
JOIN superpower AS p ON hp.power_id = p.id;
--> relation: hero_power.hero_id = superhero.id
--> relation: hero_power.power_id = superpower.id
--> relation: from hero_power join superhero join superpower on hero_power.hero_id = superhero.id and hero_power.power_id = superpower.id

-- # a comma join with its equality in WHERE [all]
SELECT s.name FROM superhero AS s, publisher AS p WHERE s.publisher_id = p.id AND p.name = 'x';
--> condition: publisher.name = <val>
--> relation: publisher.id = superhero.publisher_id
--> relation: from publisher join superhero on publisher.id = superhero.publisher_id

-- # CROSS JOIN with its equality in WHERE [all]
SELECT s.name FROM superhero AS s CROSS JOIN publisher AS p WHERE s.publisher_id = p.id;
--> relation: publisher.id = superhero.publisher_id
--> relation: from publisher join superhero on publisher.id = superhero.publisher_id

-- # USING gives one edge a column [sqlite, duckdb, postgres, mysql, snowflake, bigquery]
SELECT a.x FROM a JOIN b USING (id, day);
--> relation: a.id = b.id
--> relation: a.day = b.day
--> relation: from a join b on a.day = b.day and a.id = b.id

-- # NATURAL JOIN with a schema: the common columns [sqlite, duckdb, postgres, mysql, snowflake]
-- schema: a(id, day, x), b(id, day, y)
SELECT x FROM a NATURAL JOIN b WHERE y = 1;
--> condition: b.y = <val>
--> relation: a.id = b.id
--> relation: a.day = b.day
--> relation: from a join b on a.day = b.day and a.id = b.id

-- # two equalities in one ON are two edges [all]
SELECT a.x FROM a JOIN b ON a.id = b.id AND a.day = b.day;
--> relation: a.id = b.id
--> relation: a.day = b.day
--> relation: from a join b on a.day = b.day and a.id = b.id

-- # LEFT JOIN [all]
SELECT s.name FROM superhero AS s LEFT JOIN publisher AS p ON p.id = s.publisher_id;
--> relation: superhero left join publisher on publisher.id = superhero.publisher_id
--> relation: from superhero left join publisher on publisher.id = superhero.publisher_id

-- # RIGHT JOIN is LEFT JOIN turned round [sqlite, duckdb, postgres, mysql, tsql, snowflake, bigquery]
SELECT s.name FROM superhero AS s RIGHT JOIN publisher AS p ON p.id = s.publisher_id;
--> relation: publisher left join superhero on publisher.id = superhero.publisher_id
--> relation: from publisher left join superhero on publisher.id = superhero.publisher_id

-- # a join without a condition has a clause and no edge [all] some
SELECT a.x FROM a CROSS JOIN b;

-- # a self join [all] some
SELECT e.name FROM employee AS e JOIN employee AS m ON e.manager_id = m.id WHERE e.salary > m.salary;
--> condition: employee.salary > employee#2.salary

-- # a condition on the second instance alone has no number [all] some
SELECT e.name FROM employee AS e JOIN employee AS m ON e.manager_id = m.id WHERE m.grade = 3;
--> condition: employee.grade = <val>

-- # two schemas with a table of one name [duckdb, postgres, mysql, tsql, snowflake, bigquery]
SELECT a.x FROM s1.t AS a JOIN s2.t AS b ON a.id = b.id;
--> relation: s1.t.id = s2.t.id
--> relation: from s1.t join s2.t on s1.t.id = s2.t.id

-- # a column of a table in a schema [duckdb, postgres, mysql, tsql, snowflake, bigquery]
SELECT SUM(t.a) FROM sales.t WHERE t.b = 1;
--> calculation: sum(sales.t.a)
--> condition: sales.t.b = <val>

-- # the default schema is dropped [postgres]
SELECT SUM(orders.a) FROM public.orders WHERE public.orders.b = 1;
--> calculation: sum(orders.a)
--> condition: orders.b = <val>

-- # the default schema of T-SQL is dropped [tsql]
SELECT SUM(o.a) FROM [dbo].[Orders] o WHERE o.b = 1;
--> calculation: sum(orders.a)
--> condition: orders.b = <val>

-- # the default schema of SQLite and DuckDB is dropped [sqlite, duckdb]
SELECT SUM(a) FROM main.orders;
--> calculation: sum(orders.a)

-- # two roles of one table are two edges [all] some
SELECT m.id FROM game AS m JOIN team AS h ON m.home_id = h.id JOIN team AS a ON m.away_id = a.id;
--> relation: game.home_id = team.id
--> relation: game.away_id = team.id

-- # a join in a subquery belongs to the subquery [all] some
SELECT id FROM t WHERE id IN (SELECT a.id FROM a JOIN b ON a.k = b.k);
--> relation @main/subquery:1: a.k = b.k
--> relation @main/subquery:1: from a join b on a.k = b.k

-- # a join with a derived table goes through to the base column [all] some
SELECT p.name FROM publisher AS p
JOIN (SELECT publisher_id AS pid, COUNT(*) AS n FROM superhero GROUP BY publisher_id) AS c ON c.pid = p.id
WHERE c.n > 5;
--> relation @main: publisher.id = superhero.publisher_id
--> condition @main: count(*) > <val>
--> calculation @main/subquery:1: count(*)
--> dimension @main/subquery:1: group by superhero.publisher_id
