-- author: Marta Lindqvist
-- date: 2024-06-03
-- cust.created is useless for this: everybody from the old system has 2022-03-15. A customer is new in the
-- month of the first order that was not cancelled.

-- How many new customers did we win per month in fiscal year 2025?
with first_order as (
    select o.cust_cd, min(o.dt) as first_dt
    from orders o
    join cust c on c.leg_cd = o.cust_cd
    where o.st <> 7 and c.acct_type <> 'Z'
    group by o.cust_cd
)
select substr(first_dt, 1, 7) as month, count(*) as new_customers
from first_order
where first_dt >= '2024-02-01' and first_dt < '2025-02-01'
group by substr(first_dt, 1, 7)
order by month;

-- How many new customers per area in fiscal year 2024?
with first_order as (
    select o.cust_cd, c.reg, min(o.dt) as first_dt
    from orders o
    join cust c on c.leg_cd = o.cust_cd
    where o.st <> 7 and c.acct_type <> 'Z'
    group by o.cust_cd, c.reg
)
select r.area, count(*) as new_customers
from first_order n
join region r on r.cd = n.reg
where n.first_dt >= '2023-02-01' and n.first_dt < '2024-02-01'
group by r.area
order by new_customers desc;

-- new customers by channel of their first order, FY25. With a window because of the channel
select ch, count(*) as new_customers
from (
    select o.cust_cd, o.dt, o.ch, row_number() over (partition by o.cust_cd order by o.dt, o.id) as rn
    from orders o
    join cust c on c.leg_cd = o.cust_cd
    where o.st <> 7 and c.acct_type <> 'Z'
) t
where rn = 1 and dt >= '2024-02-01' and dt < '2025-02-01'
group by ch
order by new_customers desc;

-- How many of the customers won in FY24 ordered again within half a year?
with first_order as (
    select o.cust_cd, min(o.dt) as first_dt
    from orders o
    join cust c on c.leg_cd = o.cust_cd
    where o.st <> 7 and c.acct_type <> 'Z'
    group by o.cust_cd
)
select count(distinct n.cust_cd) as won,
       count(distinct o.cust_cd) as came_back
from first_order n
left join orders o on o.cust_cd = n.cust_cd and o.st <> 7 and o.dt > n.first_dt and o.dt <= date(n.first_dt, '+6 months')
where n.first_dt >= '2023-02-01' and n.first_dt < '2024-02-01';

-- Neukunden/new customers per fiscal year, for Tobias
with first_order as (
    select o.cust_cd, min(o.dt) as first_dt
    from orders o
    join cust c on c.leg_cd = o.cust_cd
    where o.st <> 7 and c.acct_type <> 'Z'
    group by o.cust_cd
)
select strftime('%Y', date(first_dt, '+11 months')) as fy, count(*) as new_customers
from first_order
group by fy
order by fy;
