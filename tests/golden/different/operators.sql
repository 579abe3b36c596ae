-- Knowledge that is different and must stay so. Each pair differs in the kinds named and in no other.

-- # > and >= [all]
SELECT x FROM t WHERE a > 1;
SELECT x FROM t WHERE a >= 1;
--> condition

-- # < and > [all]
SELECT x FROM t WHERE a < 1;
SELECT x FROM t WHERE a > 1;
--> condition

-- # = and <> [all]
SELECT x FROM t WHERE a = 1;
SELECT x FROM t WHERE a <> 1;
--> condition

-- # the direction of an inequality of columns [all]
SELECT x FROM t WHERE a > b;
SELECT x FROM t WHERE a < b;
--> condition

-- # IN and NOT IN [all]
SELECT x FROM t WHERE a IN (1, 2);
SELECT x FROM t WHERE a NOT IN (1, 2);
--> condition

-- # = and IN of several [all]
SELECT x FROM t WHERE a = 1;
SELECT x FROM t WHERE a IN (1, 2);
--> condition

-- # = and IN of a placeholder, which may be several [all]
SELECT x FROM t WHERE a = ?;
SELECT x FROM t WHERE a IN (?);
--> condition

-- # LIKE and NOT LIKE [all]
SELECT x FROM t WHERE a LIKE 'x';
SELECT x FROM t WHERE a NOT LIKE 'x';
--> condition

-- # LIKE and ILIKE [postgres, duckdb, snowflake]
SELECT x FROM t WHERE a LIKE 'x';
SELECT x FROM t WHERE a ILIKE 'x';
--> condition

-- # IS NULL and IS NOT NULL [all]
SELECT x FROM t WHERE a IS NULL;
SELECT x FROM t WHERE a IS NOT NULL;
--> condition

-- # BETWEEN and NOT BETWEEN [all]
SELECT x FROM t WHERE a BETWEEN 1 AND 2;
SELECT x FROM t WHERE a NOT BETWEEN 1 AND 2;
--> condition

-- # EXISTS and NOT EXISTS [all]
SELECT x FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.id = t.id);
SELECT x FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.id = t.id);
--> condition

-- # NOT over AND and over OR [all]
SELECT x FROM t WHERE NOT (a = 1 AND b = 2);
SELECT x FROM t WHERE NOT (a = 1 OR b = 2);
--> condition

-- # NULL is no literal like others [all]
SELECT CASE WHEN a = 1 THEN 2 ELSE NULL END FROM t;
SELECT CASE WHEN a = 1 THEN 2 ELSE 0 END FROM t;
--> calculation

-- # COUNT(x) and COUNT(DISTINCT x) [all]
SELECT COUNT(a) FROM t;
SELECT COUNT(DISTINCT a) FROM t;
--> calculation

-- # COUNT(*) and COUNT(x) [all]
SELECT COUNT(*) FROM t;
SELECT COUNT(a) FROM t;
--> calculation

-- # SUM(x) and SUM(DISTINCT x) [all]
SELECT SUM(a) FROM t;
SELECT SUM(DISTINCT a) FROM t;
--> calculation

-- # MIN and MAX [all]
SELECT MIN(a) FROM t;
SELECT MAX(a) FROM t;
--> calculation

-- # a / b and b / a [all]
SELECT a / b FROM t;
SELECT b / a FROM t;
--> calculation

-- # a - b and b - a [all]
SELECT a - b FROM t;
SELECT b - a FROM t;
--> calculation

-- # parentheses that matter [all]
SELECT (a + b) * c FROM t;
SELECT a + b * c FROM t;
--> calculation

-- # parentheses of a difference [all]
SELECT a - (b - c) FROM t;
SELECT a - b - c FROM t;
--> calculation

-- # AND and OR inside CASE [all]
SELECT SUM(CASE WHEN a = 1 AND b = 2 THEN 1 ELSE 0 END) FROM t;
SELECT SUM(CASE WHEN a = 1 OR b = 2 THEN 1 ELSE 0 END) FROM t;
--> calculation

-- # AND and OR grouped otherwise inside CASE [all]
SELECT CASE WHEN a = 1 AND (b = 2 OR c = 3) THEN 1 ELSE 0 END FROM t;
SELECT CASE WHEN (a = 1 AND b = 2) OR c = 3 THEN 1 ELSE 0 END FROM t;
--> calculation

-- # CAST to another type [all]
SELECT CAST(a AS INT) FROM t;
SELECT CAST(a AS DATE) FROM t;
--> calculation

-- # COALESCE in another order [all]
SELECT COALESCE(a, b) FROM t;
SELECT COALESCE(b, a) FROM t;
--> calculation

-- # a window and no window [all]
SELECT SUM(a) OVER () FROM t;
SELECT SUM(a) FROM t;
--> calculation

-- # a window with and without partition [all]
SELECT SUM(a) OVER (PARTITION BY b) FROM t;
SELECT SUM(a) OVER () FROM t;
--> calculation
--> dimension

-- # a window ordered the other way [all]
SELECT ROW_NUMBER() OVER (ORDER BY a) FROM t;
SELECT ROW_NUMBER() OVER (ORDER BY a DESC) FROM t;
--> calculation
--> output

-- # ranks [all]
SELECT RANK() OVER (ORDER BY a) FROM t;
SELECT DENSE_RANK() OVER (ORDER BY a) FROM t;
--> calculation

-- # HAVING SUM and HAVING COUNT [all]
SELECT a FROM t GROUP BY a HAVING SUM(b) > 1;
SELECT a FROM t GROUP BY a HAVING COUNT(b) > 1;
--> condition

-- # HAVING and no HAVING [all]
SELECT a FROM t GROUP BY a HAVING COUNT(*) > 1;
SELECT a FROM t GROUP BY a;
--> condition

-- # AND and OR between conditions change the query alone [all]
SELECT x FROM t WHERE a = 1 AND b = 2;
SELECT x FROM t WHERE a = 1 OR b = 2;

-- # another column selected changes the query alone [all]
SELECT a FROM t WHERE c = 1;
SELECT b FROM t WHERE c = 1;

-- # not equal to any, and unequal to one [postgres]
SELECT x FROM t WHERE NOT a = ANY(b);
SELECT x FROM t WHERE a <> ANY(b);
--> condition
