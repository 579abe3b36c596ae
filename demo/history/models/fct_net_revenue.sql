{{ config(materialized='table') }}

-- one row per order with its net amount in euros; the model behind the revenue dashboard (priya)
with refunds as (

    select ord_id, sum(amt_c) as refunded_c
    from {{ ref('refund') }}
    where ok = 1
    group by ord_id

)

select
    o.id as order_id
    , o.dt
    , c.id as cust_id
    , (o.gross_c - coalesce(r.refunded_c, 0)) / 100.0 as net_revenue
from {{ ref('orders') }} o
join {{ ref('cust') }} c on c.leg_cd = o.cust_cd
left join refunds r on r.ord_id = o.id
where o.st <> 7
    and c.acct_type <> 'Z'
