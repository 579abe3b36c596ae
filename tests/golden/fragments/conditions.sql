-- Conditions: the atomic predicates of WHERE, HAVING, QUALIFY and of join conditions.

-- # IS NULL on a bare column [all]
SELECT superhero_name FROM superhero WHERE full_name IS NULL;
--> condition: superhero.full_name is null

-- # a filter with its whole query [all]
SELECT s.name FROM superhero AS s WHERE s.eye = 'blue';
--> condition: superhero.eye = <val>
--> query: select superhero.name from superhero where superhero.eye = <val>

-- # BETWEEN is one condition, its AND does not split it [all]
SELECT id FROM superhero WHERE height_cm BETWEEN 150 AND 180 AND weight_kg > 70;
--> condition: superhero.height_cm between <val> and <val>
--> condition: superhero.weight_kg > <val>

-- # AND, OR and nested parentheses [all]
SELECT id FROM t WHERE (a = 1 OR (b > 2 AND c < 3)) AND d IS NOT NULL;
--> condition: t.a = <val>
--> condition: t.b > <val>
--> condition: t.c < <val>
--> condition: t.d is not null

-- # NOT over a compound stays whole [all]
SELECT id FROM t WHERE NOT (a = 1 OR b = 2) AND c = 3;
--> condition: not (t.a = <val> or t.b = <val>)
--> condition: t.c = <val>

-- # NOT over one comparison is the other comparison [all]
SELECT id FROM t WHERE NOT a = 1;
--> condition: t.a <> <val>

-- # a list of literals of any length is one [all]
SELECT id FROM t WHERE a IN (1, 2, 3) AND b NOT IN ('x', 'y');
--> condition: t.a in (<val>)
--> condition: t.b not in (<val>)

-- # the literal stands on the right [all]
SELECT id FROM t WHERE 5 < a AND 'x' = b;
--> condition: t.a > <val>
--> condition: t.b = <val>

-- # negative numbers are literals [all]
SELECT id FROM t WHERE a > -5 AND b IN (-1, +2);
--> condition: t.a > <val>
--> condition: t.b in (<val>)

-- # LIKE and NOT LIKE [all]
SELECT id FROM t WHERE a LIKE 'J%' AND b NOT LIKE '%x%';
--> condition: t.a like <val>
--> condition: t.b not like <val>

-- # ILIKE [postgres, duckdb, snowflake]
SELECT id FROM t WHERE a ILIKE 'j%';
--> condition: t.a ilike <val>

-- # two columns compared within one table [all]
SELECT id FROM orders WHERE shipped > promised;
--> condition: orders.shipped > orders.promised

-- # a formula compared [all]
SELECT id FROM orders WHERE price * quantity > 100;
--> condition: orders.price * orders.quantity > <val>

-- # HAVING [all]
SELECT hero_id FROM hero_power AS T1 GROUP BY hero_id HAVING COUNT(T1.power_id) > 3;
--> condition: count(hero_power.power_id) > <val>
--> dimension: group by hero_power.hero_id

-- # HAVING split at AND [all]
SELECT a FROM t GROUP BY a HAVING MIN(b) > 1 AND MAX(b) <= 9;
--> condition: min(t.b) > <val>
--> condition: max(t.b) <= <val>
--> dimension: group by t.a

-- # HAVING by alias is the formula [mysql, sqlite, duckdb, bigquery, snowflake]
SELECT a, SUM(b) AS total FROM t GROUP BY a HAVING total > 5;
--> calculation: sum(t.b)
--> condition: sum(t.b) > <val>
--> dimension: group by t.a

-- # QUALIFY [duckdb, snowflake, bigquery]
SELECT id FROM t QUALIFY ROW_NUMBER() OVER (PARTITION BY a ORDER BY b DESC) = 1;
--> condition: row_number() over (partition by t.a order by t.b desc) = <val>
--> dimension: partition by t.a
--> output: order by t.b desc

-- # a comparison with a scalar subquery, and what is inside it [all]
SELECT hero_id FROM hero_attribute WHERE attribute_value = (SELECT MAX(attribute_value) FROM hero_attribute);
--> condition @main: hero_attribute.attribute_value = (select max(hero_attribute.attribute_value) from hero_attribute)
--> calculation @main/subquery:1: max(hero_attribute.attribute_value)

-- # IN with a subquery [all]
SELECT name FROM superhero WHERE id IN (SELECT hero_id FROM hero_power WHERE power_id = 5);
--> condition @main: superhero.id in (select hero_power.hero_id from hero_power where hero_power.power_id = <val>)
--> condition @main/subquery:1: hero_power.power_id = <val>

-- # EXISTS with a correlated condition, which is no join edge [all]
SELECT name FROM superhero AS s WHERE EXISTS (SELECT 1 FROM hero_power AS hp WHERE hp.hero_id = s.id);
--> condition @main: exists(select <val> from hero_power where hero_power.hero_id = superhero.id)
--> condition @main/subquery:1: hero_power.hero_id = superhero.id

-- # two subqueries are counted in the order of the text [all]
SELECT id FROM t WHERE a > (SELECT AVG(b) FROM u) AND c < (SELECT MIN(d) FROM v);
--> condition @main: t.a > (select avg(u.b) from u)
--> condition @main: t.c < (select min(v.d) from v)
--> calculation @main/subquery:1: avg(u.b)
--> calculation @main/subquery:2: min(v.d)

-- # a subquery in a subquery [all]
SELECT id FROM t WHERE a IN (SELECT b FROM u WHERE c = (SELECT MAX(d) FROM v));
--> condition @main: t.a in (select u.b from u where u.c = (select max(v.d) from v))
--> condition @main/subquery:1: u.c = (select max(v.d) from v)
--> calculation @main/subquery:1/subquery:1: max(v.d)

-- # CASE in a condition stays whole [all]
SELECT id FROM t WHERE CASE WHEN a = 1 AND b = 2 THEN 1 ELSE 0 END = 1;
--> condition: case when t.a = <val> and t.b = <val> then <val> else <val> end = <val>

-- # a condition of LEFT JOIN that is no equality of columns [all] some
SELECT u.id FROM users AS u LEFT JOIN orders AS o ON o.user_id = u.id AND o.status = 'paid';
--> condition: orders.status = <val>
--> relation: users left join orders on orders.user_id = users.id

-- # a join on an inequality is a condition [all] some
SELECT u.id FROM users AS u JOIN periods AS p ON u.created >= p.start_day AND u.created < p.end_day;
--> condition: users.created >= periods.start_day
--> condition: users.created < periods.end_day

-- # a date literal is a literal [postgres, mysql, duckdb, bigquery, snowflake]
SELECT id FROM orders WHERE day >= DATE '2024-01-01';
--> condition: orders.day >= <val>

-- # NULL stays in a formula [all]
SELECT CASE WHEN a = 1 THEN 2 ELSE NULL END FROM t;
--> calculation: case when t.a = <val> then <val> else null end
