-- Top customers
-- Marta Lindqvist, 2025-01-09

-- Who were our ten best customers by net revenue in fiscal year 2024?
select c.nm, round(sum(o.gross_c - coalesce(f.amt_c, 0)) / 100.0, 2) as net_revenue
from orders o
join cust c on c.leg_cd = o.cust_cd
left join (select ord_id, sum(amt_c) as amt_c from refund where ok = 1 group by ord_id) f on f.ord_id = o.id
where o.st <> 7 and c.acct_type <> 'Z'
  and o.dt >= '2023-02-01' and o.dt < '2024-02-01'
group by c.id, c.nm
order by net_revenue desc
limit 10;

-- And the ten best partners (acct_type P) in fiscal year 2025?
select c.nm, round(sum(o.gross_c - coalesce(f.amt_c, 0)) / 100.0, 2) as net_revenue
from orders o
join cust c on c.leg_cd = o.cust_cd
left join (select ord_id, sum(amt_c) as amt_c from refund where ok = 1 group by ord_id) f on f.ord_id = o.id
where o.st <> 7 and c.acct_type = 'P'
  and o.dt >= '2024-02-01' and o.dt < '2025-02-01'
group by c.id, c.nm
order by net_revenue desc
limit 10;

-- Key accounts: more than 10,000 euros net in the twelve months to the snapshot
with net as (
    select c.id, c.nm, c.rep, sum(o.gross_c - coalesce(f.amt_c, 0)) / 100.0 as net_revenue
    from orders o
    join cust c on c.leg_cd = o.cust_cd
    left join (select ord_id, sum(amt_c) as amt_c from refund where ok = 1 group by ord_id) f on f.ord_id = o.id
    where o.st <> 7 and c.acct_type <> 'Z'
      and o.dt > date((select v from param where k = 'snap_dt'), '-12 months')
    group by c.id, c.nm, c.rep
)
select nm, coalesce(rep, 'nobody') as rep, round(net_revenue, 2) as net_revenue
from net
where net_revenue > 10000
order by net_revenue desc;
