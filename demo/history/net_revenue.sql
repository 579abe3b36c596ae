-- author: Marta Lindqvist
-- updated: 2025-06-12
-- The revenue questions I get every month. Net revenue = gross_c minus refunds we really paid out,
-- without cancelled orders (st 7) and without the test/staff accounts (acct_type Z). gross_c is euro cents.

-- What was our net revenue in fiscal year 2025?
-- (the fiscal year starts on 1 February, FY25 = Feb 2024 to Jan 2025)
select round(sum(o.gross_c - coalesce(f.amt_c, 0)) / 100.0, 2) as net_revenue
from orders o
join cust c on c.leg_cd = o.cust_cd
left join (select ord_id, sum(amt_c) as amt_c from refund where ok = 1 group by ord_id) f on f.ord_id = o.id
where o.st <> 7
  and c.acct_type <> 'Z'
  and o.dt >= '2024-02-01' and o.dt < '2025-02-01';

-- Net revenue by area, fiscal year 2024
select r.area, round(sum(o.gross_c - coalesce(f.amt_c, 0)) / 100.0, 2) as net_revenue
from orders o
join cust c on c.leg_cd = o.cust_cd
join region r on r.cd = c.reg
left join (select ord_id, sum(amt_c) as amt_c from refund where ok = 1 group by ord_id) f on f.ord_id = o.id
where o.st <> 7
  and c.acct_type <> 'Z'
  and o.dt >= '2023-02-01' and o.dt < '2024-02-01'
group by r.area
order by net_revenue desc;

-- How does net revenue develop month by month since the start of fiscal year 2025?
select substr(o.dt, 1, 7) as month, round(sum(o.gross_c - coalesce(f.amt_c, 0)) / 100.0, 2) as net_revenue
from orders o
join cust c on c.leg_cd = o.cust_cd
left join (select ord_id, sum(amt_c) as amt_c from refund where ok = 1 group by ord_id) f on f.ord_id = o.id
where o.st <> 7
  and c.acct_type <> 'Z'
  and o.dt >= '2024-02-01'
group by substr(o.dt, 1, 7)
order by month;

-- Which months of 2024 had more than 120,000 euros of net revenue?
with paid_back as (
    select ord_id, sum(amt_c) as amt_c
    from refund
    where ok = 1
    group by ord_id
)
select substr(o.dt, 1, 7) as month,
       sum(o.gross_c - coalesce(p.amt_c, 0)) / 100.0 as net_revenue
from orders o
join cust c on c.leg_cd = o.cust_cd
left join paid_back p on p.ord_id = o.id
where o.st <> 7 and c.acct_type <> 'Z'
  and o.dt between '2024-01-01' and '2024-12-31'
group by month
having net_revenue > 120000
order by month;

-- net revenue per fiscal year, all years
-- trick: + 11 months turns "February 2024" into the calendar year 2025, which is how we name the fiscal year
select strftime('%Y', date(o.dt, '+11 months')) as fy,
       round(sum(o.gross_c - coalesce(f.amt_c, 0)) / 100.0) as net_revenue
from orders o
join cust c on c.leg_cd = o.cust_cd
left join (select ord_id, sum(amt_c) as amt_c from refund where ok = 1 group by ord_id) f on f.ord_id = o.id
where o.st <> 7 and c.acct_type <> 'Z'
group by fy
order by fy;

-- Christmas quarter (fiscal Q4, Nov to Jan) net revenue by country, this time for the sales meeting
select r.ctry, round(sum(o.gross_c - coalesce(f.amt_c, 0)) / 100.0, 2) as net_revenue
from orders o
join cust c on c.leg_cd = o.cust_cd
join region r on r.cd = c.reg
left join (select ord_id, sum(amt_c) as amt_c from refund where ok = 1 group by ord_id) f on f.ord_id = o.id
where o.st <> 7 and c.acct_type <> 'Z'
  and o.dt >= '2024-11-01' and o.dt < '2025-02-01'
group by r.ctry
order by net_revenue desc
limit 5;
