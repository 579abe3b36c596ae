-- Knowledge that is different in its structure: joins, groups, order, set operations, names.

-- # INNER and LEFT JOIN [all]
SELECT a.x FROM a JOIN b ON a.id = b.id;
SELECT a.x FROM a LEFT JOIN b ON a.id = b.id;
--> relation

-- # LEFT and RIGHT JOIN [all]
SELECT a.x FROM a LEFT JOIN b ON a.id = b.id;
SELECT a.x FROM a RIGHT JOIN b ON a.id = b.id;
--> relation

-- # LEFT and FULL JOIN [sqlite, duckdb, postgres, tsql, snowflake, bigquery]
SELECT a.x FROM a LEFT JOIN b ON a.id = b.id;
SELECT a.x FROM a FULL JOIN b ON a.id = b.id;
--> relation

-- # a join on another column [all]
SELECT a.x FROM a JOIN b ON a.id = b.id;
SELECT a.x FROM a JOIN b ON a.id = b.a_id;
--> relation

-- # a join on two columns [all]
SELECT a.x FROM a JOIN b ON a.id = b.id;
SELECT a.x FROM a JOIN b ON a.id = b.id AND a.day = b.day;
--> relation

-- # a join and none [all]
SELECT a.x FROM a;
SELECT a.x FROM a JOIN b ON a.id = b.id;
--> relation

-- # two roles of one table [all]
SELECT g.id FROM game AS g JOIN team AS t ON g.home_id = t.id;
SELECT g.id FROM game AS g JOIN team AS t ON g.away_id = t.id;
--> relation

-- # the direction of a self join [all]
SELECT e.name FROM staff AS e JOIN staff AS m ON e.boss = m.id WHERE e.pay > m.pay;
SELECT e.name FROM staff AS e JOIN staff AS m ON e.boss = m.id WHERE e.pay < m.pay;
--> condition

-- # two schemas with a table of one name [duckdb, postgres, mysql, tsql, snowflake, bigquery]
SELECT x FROM s1.t WHERE a = 1;
SELECT x FROM s2.t WHERE a = 1;
--> condition

-- # two schemas in a join [duckdb, postgres, mysql, tsql, snowflake, bigquery]
SELECT a.x FROM s1.t AS a JOIN u ON a.id = u.id;
SELECT a.x FROM s2.t AS a JOIN u ON a.id = u.id;
--> relation

-- # a schema and the default schema [duckdb, postgres, tsql, snowflake]
SELECT x FROM s1.t WHERE a = 1;
SELECT x FROM t WHERE a = 1;
--> condition

-- # another table of the same columns [all]
SELECT x FROM t WHERE a = 1;
SELECT x FROM u WHERE a = 1;
--> condition

-- # quoted mixed case, PostgreSQL [postgres]
SELECT x FROM t WHERE "Total" > 1;
SELECT x FROM t WHERE total > 1;
--> condition

-- # quoted lower case, Snowflake [snowflake]
SELECT x FROM t WHERE "total" > 1;
SELECT x FROM t WHERE total > 1;
--> condition

-- # ASC and DESC [all]
SELECT x FROM t ORDER BY a;
SELECT x FROM t ORDER BY a DESC;
--> output

-- # the order of ORDER BY [all]
SELECT x FROM t ORDER BY a, b;
SELECT x FROM t ORDER BY b, a;
--> output

-- # ORDER BY and none [all]
SELECT x FROM t ORDER BY a;
SELECT x FROM t;
--> output

-- # NULLS FIRST and NULLS LAST [sqlite, duckdb, postgres, snowflake, bigquery]
SELECT x FROM t ORDER BY a NULLS FIRST;
SELECT x FROM t ORDER BY a NULLS LAST;
--> output

-- # LIMIT and none [sqlite, duckdb, postgres, mysql, snowflake, bigquery]
SELECT x FROM t ORDER BY a LIMIT 1;
SELECT x FROM t ORDER BY a;
--> output

-- # OFFSET and none [sqlite, duckdb, postgres, mysql, snowflake, bigquery]
SELECT x FROM t ORDER BY a LIMIT 1;
SELECT x FROM t ORDER BY a LIMIT 1 OFFSET 1;
--> output

-- # TOP and none [tsql]
SELECT TOP 1 x FROM t ORDER BY a;
SELECT x FROM t ORDER BY a;
--> output

-- # TOP and TOP WITH TIES [tsql]
SELECT TOP 1 x FROM t ORDER BY a;
SELECT TOP 1 WITH TIES x FROM t ORDER BY a;
--> output

-- # DISTINCT and none [all]
SELECT DISTINCT a FROM t;
SELECT a FROM t;
--> output

-- # GROUP BY one column and two [all]
SELECT COUNT(*) FROM t GROUP BY a;
SELECT COUNT(*) FROM t GROUP BY a, b;
--> dimension

-- # GROUP BY and none [all]
SELECT COUNT(*) FROM t GROUP BY a;
SELECT COUNT(*) FROM t;
--> dimension

-- # GROUP BY a column and a formula of it [all]
SELECT COUNT(*) FROM t GROUP BY a;
SELECT COUNT(*) FROM t GROUP BY UPPER(a);
--> dimension

-- # GROUP BY and ROLLUP [duckdb, postgres, tsql, snowflake, bigquery]
SELECT COUNT(*) FROM t GROUP BY a, b;
SELECT COUNT(*) FROM t GROUP BY ROLLUP (a, b);
--> dimension

-- # UNION and UNION ALL [sqlite, duckdb, postgres, mysql, tsql, snowflake]
SELECT a FROM t UNION SELECT a FROM u;
SELECT a FROM t UNION ALL SELECT a FROM u;

-- # UNION DISTINCT and UNION ALL, BigQuery [bigquery]
SELECT a FROM t UNION DISTINCT SELECT a FROM u;
SELECT a FROM t UNION ALL SELECT a FROM u;

-- # INTERSECT and EXCEPT [sqlite, duckdb, postgres, tsql, snowflake]
SELECT a FROM t INTERSECT SELECT a FROM u;
SELECT a FROM t EXCEPT SELECT a FROM u;

-- # the sides of EXCEPT [sqlite, duckdb, postgres, tsql, snowflake]
SELECT a FROM t EXCEPT SELECT a FROM u;
SELECT a FROM u EXCEPT SELECT a FROM t;

-- # IN and NOT IN a subquery [all]
SELECT x FROM t WHERE a IN (SELECT b FROM u);
SELECT x FROM t WHERE a NOT IN (SELECT b FROM u);
--> condition

-- # ANY and ALL [postgres, mysql, tsql, snowflake]
SELECT x FROM t WHERE a > ANY (SELECT b FROM u);
SELECT x FROM t WHERE a > ALL (SELECT b FROM u);
--> condition

-- # a correlated subquery and one that is not [all]
SELECT x FROM t WHERE a = (SELECT MAX(u.b) FROM u WHERE u.id = t.id);
SELECT x FROM t WHERE a = (SELECT MAX(u.b) FROM u WHERE u.id = u.k);
--> condition
