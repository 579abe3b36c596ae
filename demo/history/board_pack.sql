/* Board pack, figures for the slides
   author: Marta Lindqvist
   date: 2025-05-19
   always on booked orders: st <> 7, no Z accounts */

-- slide 3: How many orders and how many ordering customers per fiscal year?
select strftime('%Y', date(o.dt, '+11 months')) as fy, count(*) as orders, count(distinct o.cust_cd) as buyers
from orders o
join cust c on c.leg_cd = o.cust_cd
where o.st <> 7 and o.ch <> 'X' and c.acct_type <> 'Z'
group by fy
order by fy;

-- slide 4: net revenue by fiscal quarter of FY25. Q1 is February to April
select (cast(strftime('%m', o.dt) as integer) + 10) % 12 / 3 + 1 as fq,
       round(sum(o.gross_c - coalesce(f.amt_c, 0)) / 100.0, 2) as net_revenue
from orders o
join cust c on c.leg_cd = o.cust_cd
left join (select ord_id, sum(amt_c) as amt_c from refund where ok = 1 group by ord_id) f on f.ord_id = o.id
where o.st <> 7 and c.acct_type <> 'Z'
  and o.dt >= '2024-02-01' and o.dt < '2025-02-01'
group by fq
order by fq;

-- slide 5: What is the net revenue of the running fiscal year (FY26) against the same months a year before?
select 'FY26 so far' as period, sum(o.gross_c - coalesce(f.amt_c, 0)) / 100.0 as net_revenue
from orders o
join cust c on c.leg_cd = o.cust_cd
left join (select ord_id, sum(amt_c) as amt_c from refund where ok = 1 group by ord_id) f on f.ord_id = o.id
where o.st <> 7 and c.acct_type <> 'Z' and o.dt >= '2025-02-01' and o.dt <= '2025-06-30'
union all
select 'FY25 same months', sum(o.gross_c - coalesce(f.amt_c, 0)) / 100.0
from orders o
join cust c on c.leg_cd = o.cust_cd
left join (select ord_id, sum(amt_c) as amt_c from refund where ok = 1 group by ord_id) f on f.ord_id = o.id
where o.st <> 7 and c.acct_type <> 'Z' and o.dt >= '2024-02-01' and o.dt <= '2024-06-30';

-- slide 7: live enterprise subscriptions (enterprise means plan tier 4 and up, "Enterprise Lite" is NOT enterprise)
select p.nm as plan, count(*) as live, sum(s.qty) as sites
from sub s
join plan p on p.id = s.plan_id
join cust c on c.id = s.cust_id
where s.st = 'L' and p.tier >= 4 and c.acct_type <> 'Z'
group by p.nm
order by live desc;

-- slide 8: What share of the orders left on time in FY25? Two days, placed Monday to Friday (Jolanta's rule)
select round(100.0 * avg(julianday(o.ship_dt) - julianday(o.dt) <= 2), 1) as on_time_pct
from orders o
join cust c on c.leg_cd = o.cust_cd
where o.st in (3, 4, 9) and o.ch <> 'X' and c.acct_type <> 'Z'
  and strftime('%w', o.dt) not in ('0', '6')
  and o.dt >= '2024-02-01' and o.dt < '2025-02-01';

-- backup slide. Which five regions lost most net revenue between FY24 and FY25?
with by_fy as (
    select r.nm as region,
           sum(case when o.dt < '2024-02-01' then o.gross_c - coalesce(f.amt_c, 0) else 0 end) / 100.0 as fy24,
           sum(case when o.dt >= '2024-02-01' then o.gross_c - coalesce(f.amt_c, 0) else 0 end) / 100.0 as fy25
    from orders o
    join cust c on c.leg_cd = o.cust_cd
    join region r on r.cd = c.reg
    left join (select ord_id, sum(amt_c) as amt_c from refund where ok = 1 group by ord_id) f on f.ord_id = o.id
    where o.st <> 7 and c.acct_type <> 'Z'
      and o.dt >= '2023-02-01' and o.dt < '2025-02-01'
    group by r.nm
)
select region, round(fy25 - fy24, 2) as change
from by_fy
order by change
limit 5;
