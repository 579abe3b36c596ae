-- copy of Marta's for my own slides
-- Author: Tobias Renner

-- What was our net revenue in fiscal year 2025?
select round(sum(o.gross_c - coalesce(f.amt_c, 0)) / 100.0, 2) as net_revenue
from orders o
join cust c on c.leg_cd = o.cust_cd
left join (select ord_id, sum(amt_c) as amt_c from refund where ok = 1 group by ord_id) f on f.ord_id = o.id
where o.st <> 7
  and c.acct_type <> 'Z'
  and o.dt >= '2024-02-01' and o.dt < '2025-02-01';

-- What was our net revenue in fiscal year 2023?
select round(sum(o.gross_c - coalesce(f.amt_c, 0)) / 100.0, 2) as net_revenue
from orders o
join cust c on c.leg_cd = o.cust_cd
left join (select ord_id, sum(amt_c) as amt_c from refund where ok = 1 group by ord_id) f on f.ord_id = o.id
where o.st <> 7
  and c.acct_type <> 'Z'
  and o.dt >= '2022-02-01' and o.dt < '2023-02-01';

-- Active customers, for the annual report
select
    count(distinct e.uid) as active_customers
from event e
join cust c on c.id = e.uid
where e.kind = 40
    and e.ts >= date((select v from param where k = 'snap_dt'), '-90 day')
    and c.acct_type <> 'Z'
    and c.del_flg = 0
;
