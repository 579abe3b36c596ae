-- Placeholders of real logs are literals.

-- # a question mark [sqlite, duckdb, mysql, bigquery, snowflake]
SELECT id FROM t WHERE a = ? AND b IN (?, ?);
--> condition: t.a = <val>
--> condition: t.b in (<val>)

-- # numbered, as in pg_stat_statements [postgres, duckdb]
SELECT id FROM t WHERE a = $1 AND b BETWEEN $2 AND $3 LIMIT $4;
--> condition: t.a = <val>
--> condition: t.b between <val> and <val>
--> output: limit <val>

-- # named with a colon [sqlite, postgres, mysql, snowflake]
SELECT id FROM t WHERE a = :name AND b > :since;
--> condition: t.a = <val>
--> condition: t.b > <val>

-- # of Python's drivers [postgres, mysql, snowflake]
SELECT id FROM t WHERE a = %(name)s AND b = %s;
--> condition: t.a = <val>
--> condition: t.b = <val>

-- # with an at sign [tsql, bigquery, sqlite]
SELECT id FROM t WHERE a = @p AND b > @since;
--> condition: t.a = <val>
--> condition: t.b > <val>

-- # of the Stack Exchange Data Explorer [tsql]
SELECT id FROM posts WHERE owner = ##UserId## AND score > ##MinScore:int?5##;
--> condition: posts.owner = <val>
--> condition: posts.score > <val>

-- # TOP of a parameter [tsql]
SELECT TOP ##n:int?100## id FROM posts ORDER BY score DESC;
--> output: order by posts.score desc limit <val>

-- # of templates [all]
SELECT id FROM t WHERE a = {{ name }} AND b = '{{ day }}';
--> condition: t.a = <val>
--> condition: t.b = <val>

-- # of shells [all]
SELECT id FROM t WHERE a = ${name} AND b > ${ since };
--> condition: t.a = <val>
--> condition: t.b > <val>

-- # an interval from a log of PostgreSQL [postgres] some
SELECT * FROM t WHERE a = $1 AND d > now() - interval $2;
--> condition: t.a = <val>

-- # a dbt model [postgres, snowflake, bigquery]
SELECT SUM(amount) FROM {{ ref('orders') }} WHERE status = 'paid';
--> calculation: sum(orders.amount)
--> condition: orders.status = <val>

-- # a dbt model with a source and a block [snowflake, postgres, bigquery] some
{{ config(materialized='table') }}
SELECT customer_id, SUM(amount) AS total FROM {{ source('shop', 'orders') }} WHERE status = 'paid'
{% if is_incremental() %} AND day > '2024-01-01' {% endif %}
GROUP BY customer_id;
--> calculation: sum(shop.orders.amount)
--> condition: shop.orders.status = <val>
--> dimension: group by shop.orders.customer_id

-- # strings with quotes and semicolons inside [sqlite, duckdb, postgres, mysql, tsql, snowflake]
SELECT id FROM t WHERE a = 'it''s; -- no comment' AND b = 1;
--> condition: t.a = <val>
--> condition: t.b = <val>

-- # booleans are literals [duckdb, postgres, mysql, snowflake, bigquery]
SELECT id FROM t WHERE a = TRUE AND b = false;
--> condition: t.a = <val>
--> condition: t.b = <val>
