-- Spellings that say the same: operators, joins, literals, order.

-- # a = b and b = a [all]
SELECT a.x FROM a JOIN b ON a.id = b.id;
SELECT a.x FROM a JOIN b ON b.id = a.id;

-- # a = b and b = a in a condition [all]
SELECT x FROM t WHERE a = b;
SELECT x FROM t WHERE b = a;

-- # != and <> [all]
SELECT x FROM t WHERE a != 1;
SELECT x FROM t WHERE a <> 1;

-- # = and == [sqlite, duckdb]
SELECT x FROM t WHERE a = 1;
SELECT x FROM t WHERE a == 1;

-- # NOT = and <> [all]
SELECT x FROM t WHERE NOT a = 1;
SELECT x FROM t WHERE a <> 1;
SELECT x FROM t WHERE NOT (a = 1);

-- # NOT before and within IN, LIKE, BETWEEN, IS NULL [all]
SELECT x FROM t WHERE NOT a IN (1, 2) AND NOT b LIKE 'x' AND NOT c BETWEEN 1 AND 2 AND NOT d IS NULL;
SELECT x FROM t WHERE a NOT IN (1, 2) AND b NOT LIKE 'x' AND c NOT BETWEEN 1 AND 2 AND d IS NOT NULL;

-- # NOT over an inequality [all]
SELECT x FROM t WHERE NOT a <> 1;
SELECT x FROM t WHERE a = 1;

-- # the literal on either side [all]
SELECT x FROM t WHERE a > 5 AND b <= 3 AND c = 1;
SELECT x FROM t WHERE 5 < a AND 3 >= b AND 1 = c;

-- # JOIN and INNER JOIN [all]
SELECT a.x FROM a JOIN b ON a.id = b.id;
SELECT a.x FROM a INNER JOIN b ON a.id = b.id;

-- # LEFT JOIN and LEFT OUTER JOIN [all]
SELECT a.x FROM a LEFT JOIN b ON a.id = b.id;
SELECT a.x FROM a LEFT OUTER JOIN b ON b.id = a.id;

-- # comma join, CROSS JOIN and JOIN [all]
SELECT a.x FROM a, b WHERE a.id = b.id AND b.k = 1;
SELECT a.x FROM a CROSS JOIN b WHERE b.id = a.id AND b.k = 1;
SELECT a.x FROM a JOIN b ON a.id = b.id WHERE b.k = 1;

-- # comma join of three [all]
SELECT a.x FROM a, b, c WHERE a.id = b.id AND b.k = c.k AND c.y > 1;
SELECT a.x FROM a JOIN b ON a.id = b.id JOIN c ON c.k = b.k WHERE c.y > 1;

-- # the order of inner joined tables [all]
SELECT a.x FROM a JOIN b ON a.id = b.id WHERE b.k = 1;
SELECT a.x FROM b JOIN a ON a.id = b.id WHERE b.k = 1;

-- # USING and ON [sqlite, duckdb, postgres, mysql, snowflake, bigquery]
SELECT a.x FROM a JOIN b USING (id);
SELECT a.x FROM a JOIN b ON a.id = b.id;

-- # USING of two columns in any order [sqlite, duckdb, postgres, mysql, snowflake, bigquery]
SELECT a.x FROM a JOIN b USING (id, day);
SELECT a.x FROM a JOIN b USING (day, id);
SELECT a.x FROM a JOIN b ON b.day = a.day AND a.id = b.id;

-- # LEFT JOIN with USING [sqlite, duckdb, postgres, mysql, snowflake, bigquery]
SELECT a.x FROM a LEFT JOIN b USING (id);
SELECT a.x FROM a LEFT JOIN b ON b.id = a.id;

-- # NATURAL JOIN and USING [sqlite, duckdb, postgres, mysql, snowflake]
-- schema: a(id, x), b(id, y)
SELECT a.x FROM a NATURAL JOIN b;
SELECT a.x FROM a JOIN b USING (id);
SELECT a.x FROM a JOIN b ON a.id = b.id;

-- # RIGHT JOIN and LEFT JOIN turned round [all]
SELECT b.x FROM a RIGHT JOIN b ON a.id = b.id;
SELECT b.x FROM b LEFT JOIN a ON a.id = b.id;

-- # parentheses around ON [all]
SELECT a.x FROM a JOIN b ON (a.id = b.id);
SELECT a.x FROM a JOIN b ON a.id = b.id;

-- # redundant parentheses [all]
SELECT (a) + ((b)) FROM t WHERE ((c = 1) AND (d > 2)) GROUP BY (e);
SELECT a + b FROM t WHERE c = 1 AND d > 2 GROUP BY e;

-- # the instances of a self join exchanged [all]
SELECT e.name FROM staff AS e JOIN staff AS m ON e.boss = m.id WHERE e.pay > m.pay;
SELECT x.name FROM staff AS x JOIN staff AS y ON y.id = x.boss WHERE x.pay > y.pay;

-- # COUNT(1) and COUNT(*) [all]
SELECT COUNT(1) FROM t GROUP BY a HAVING COUNT(1) > 2;
SELECT COUNT(*) FROM t GROUP BY a HAVING COUNT(*) > 2;

-- # the direction of ORDER BY said or not [all]
SELECT a FROM t ORDER BY a, b DESC;
SELECT a FROM t ORDER BY a ASC, b DESC;

-- # the order of GROUP BY [all]
SELECT COUNT(*) FROM t GROUP BY a, b;
SELECT COUNT(*) FROM t GROUP BY b, a;

-- # alias, ordinal and formula in ORDER BY, but the formula is one more calculation [all]
SELECT a, SUM(b) AS s FROM t GROUP BY a ORDER BY s DESC;
SELECT a, SUM(b) AS s FROM t GROUP BY a ORDER BY 2 DESC;
SELECT a, SUM(b) FROM t GROUP BY a ORDER BY SUM(b) DESC;

-- # alias, ordinal and formula in GROUP BY [duckdb, postgres, mysql, sqlite, snowflake, bigquery]
SELECT UPPER(a) AS u, COUNT(*) FROM t GROUP BY u;
SELECT UPPER(a) AS u, COUNT(*) FROM t GROUP BY 1;
SELECT UPPER(a), COUNT(*) FROM t GROUP BY UPPER(a);

-- # UNION and UNION DISTINCT [duckdb, mysql, postgres]
SELECT a FROM t UNION SELECT a FROM u;
SELECT a FROM t UNION DISTINCT SELECT a FROM u;

-- # CAST and :: [postgres, duckdb, snowflake]
SELECT CAST(a AS DATE) FROM t WHERE CAST(b AS INT) = 1;
SELECT a::DATE FROM t WHERE b::INT = 1;

-- # a statement with its semicolon [all]
SELECT a FROM t WHERE b = 1;;
SELECT a FROM t WHERE b = 1;
