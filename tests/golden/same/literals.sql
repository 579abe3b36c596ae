-- Literals and placeholders of every style are one.

-- # other literals of any type [all]
SELECT x FROM t WHERE a = 1 AND b > 2.5 AND c LIKE 'x%';
SELECT x FROM t WHERE a = 'one' AND b > -3 AND c LIKE '%yy%';

-- # IN lists of any length [all]
SELECT x FROM t WHERE a IN (1, 2);
SELECT x FROM t WHERE a IN (1, 2, 3, 4, 5, 6, 7, 8, 9);
SELECT x FROM t WHERE a IN ('x', 'y');

-- # a list of one value [all]
SELECT x FROM t WHERE a IN (1) AND b NOT IN ('y') AND lower(c) IN ('z');
SELECT x FROM t WHERE a = 1 AND b <> 'y' AND lower(c) = 'z';
SELECT x FROM t WHERE 'one' = a AND NOT b IN (-3) AND NOT lower(c) NOT IN (('z'));

-- # date literals [postgres, duckdb, mysql, snowflake, bigquery]
SELECT x FROM t WHERE d > DATE '2024-01-01';
SELECT x FROM t WHERE d > '2024-01-01';
SELECT x FROM t WHERE d > TIMESTAMP '2024-01-01 00:00:00';

-- # intervals [postgres, duckdb]
SELECT x FROM t WHERE d > e - INTERVAL '7 days';
SELECT x FROM t WHERE d > e - INTERVAL '1 month';

-- # numbers of LIMIT [sqlite, duckdb, postgres, mysql, snowflake, bigquery]
SELECT x FROM t ORDER BY y LIMIT 1;
SELECT x FROM t ORDER BY y LIMIT 100;

-- # LIMIT and FETCH FIRST [postgres, snowflake]
SELECT x FROM t ORDER BY y DESC LIMIT 5;
SELECT x FROM t ORDER BY y DESC FETCH FIRST 5 ROWS ONLY;

-- # LIMIT and TOP [snowflake]
SELECT x FROM t ORDER BY y DESC LIMIT 5;
SELECT TOP 5 x FROM t ORDER BY y DESC;

-- # TOP with and without parentheses [tsql]
SELECT TOP 5 x FROM t ORDER BY y;
SELECT TOP (5) x FROM t ORDER BY y ASC;

-- # LIMIT with its offset before and after [mysql, sqlite]
SELECT x FROM t LIMIT 20, 10;
SELECT x FROM t LIMIT 10 OFFSET 20;

-- # placeholders, SQLite [sqlite]
SELECT x FROM t WHERE a = 1 AND b IN (1, 2);
SELECT x FROM t WHERE a = ? AND b IN (?, ?);
SELECT x FROM t WHERE a = ?1 AND b IN (?2, ?3);
SELECT x FROM t WHERE a = :name AND b IN (:one, :two);
SELECT x FROM t WHERE a = @name AND b IN (@one);
SELECT x FROM t WHERE a = $1 AND b IN ($2, $3);
SELECT x FROM t WHERE a = $name AND b IN ($one);
SELECT x FROM t WHERE a = {{ name }} AND b IN ({{ one }}, {{ two }});
SELECT x FROM t WHERE a = '{{ name }}' AND b IN (${one});

-- # placeholders, PostgreSQL [postgres]
SELECT x FROM t WHERE a = 1 AND b > 2;
SELECT x FROM t WHERE a = $1 AND b > $2;
SELECT x FROM t WHERE a = :name AND b > :since;
SELECT x FROM t WHERE a = %(name)s AND b > %(since)s;
SELECT x FROM t WHERE a = %s AND b > %s;
SELECT x FROM t WHERE a = ${name} AND b > {{ since }};

-- # placeholders, MySQL [mysql]
SELECT x FROM t WHERE a = 1 AND b > 2;
SELECT x FROM t WHERE a = ? AND b > ?;
SELECT x FROM t WHERE a = %s AND b > %(since)s;
SELECT x FROM t WHERE a = :name AND b > @since;

-- # placeholders, T-SQL [tsql]
SELECT x FROM t WHERE a = 1 AND b > 2;
SELECT x FROM t WHERE a = @p1 AND b > @p2;
SELECT x FROM t WHERE a = ##a## AND b > ##since:int?5##;
SELECT x FROM t WHERE a = ##a:string## AND b > {{ since }};
SELECT x FROM t WHERE a = ? AND b > ?;

-- # placeholders, Snowflake [snowflake]
SELECT x FROM t WHERE a = 1 AND b > 2;
SELECT x FROM t WHERE a = ? AND b > ?;
SELECT x FROM t WHERE a = :1 AND b > :2;
SELECT x FROM t WHERE a = %(name)s AND b > {{ since }};

-- # placeholders, BigQuery and DuckDB [bigquery, duckdb]
SELECT x FROM t WHERE a = 1 AND b > 2;
SELECT x FROM t WHERE a = ? AND b > ?;
SELECT x FROM t WHERE a = {{ name }} AND b > ${since};

-- # named parameters, BigQuery [bigquery]
SELECT x FROM t WHERE a = 1;
SELECT x FROM t WHERE a = @name;

-- # numbered and named parameters, DuckDB [duckdb]
SELECT x FROM t WHERE a = 1;
SELECT x FROM t WHERE a = $1;
SELECT x FROM t WHERE a = $name;

-- # a dbt reference and the table [all]
SELECT a FROM {{ ref('orders') }} WHERE b = 1;
SELECT a FROM orders WHERE b = 1;
