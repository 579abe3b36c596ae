-- author: Marta Lindqvist
-- average order value and baskets
-- ch X are replacements that we send for free (gross_c 0), they spoil every average: leave them out

-- What is the average order value per channel in fiscal year 2025?
select o.ch, round(avg(o.gross_c) / 100.0, 2) as aov
from orders o
join cust c on c.leg_cd = o.cust_cd
where o.st <> 7 and o.ch <> 'X' and c.acct_type <> 'Z'
  and o.dt >= '2024-02-01' and o.dt < '2025-02-01'
group by o.ch
order by aov desc;

-- Average order value of consumers by month
select substr(o.dt, 1, 7) as month, round(avg(o.gross_c) / 100.0, 2) as aov
from orders o
join cust c on c.leg_cd = o.cust_cd
where o.st <> 7 and o.ch <> 'X' and c.acct_type = 'C'
  and o.dt >= '2024-02-01'
group by substr(o.dt, 1, 7)
order by month;

-- Orders per customer in FY25: how many ordered once, twice, three times, more?
select case when n >= 4 then '4 or more' else cast(n as text) end as orders, count(*) as customers
from (
    select o.cust_cd, count(*) as n
    from orders o
    join cust c on c.leg_cd = o.cust_cd
    where o.st <> 7 and o.ch <> 'X' and c.acct_type <> 'Z'
      and o.dt >= '2024-02-01' and o.dt < '2025-02-01'
    group by o.cust_cd
) t
group by case when n >= 4 then '4 or more' else cast(n as text) end
order by orders;
