-- churn
-- owner: priya nair
-- updated: 2025-02-11
-- rewritten after the plan reshuffle of October 2023 broke all the old churn numbers
--
-- churn = the subscription ended and the reason is none of
--   UP  moved to a bigger plan (there is a new row in sub)
--   MG  re-issued in the October 2023 reshuffle (new row too)
--   TR  trial that was never converted

-- how many subscriptions churned in each month of 2024?
select
    substr(s.end_dt, 1, 7) as month
    , count(*) as churned
from sub s
join cust c on c.id = s.cust_id
where s.end_dt between '2024-01-01' and '2024-12-31'
    and s.end_rsn not in ('UP', 'MG', 'TR')
    and c.acct_type <> 'Z'
group by substr(s.end_dt, 1, 7)
order by month
;

-- churned subscriptions by plan in fiscal year 2025
select
    p.nm as plan
    , count(*) as churned
from sub s
join plan p on p.id = s.plan_id
join cust c on c.id = s.cust_id
where s.end_dt >= '2024-02-01' and s.end_dt < '2025-02-01'
    and s.end_rsn not in ('UP', 'MG', 'TR')
    and c.acct_type <> 'Z'
group by p.nm
order by churned desc
;

-- why do enterprise customers (tier 4+) leave? fiscal year 2024, by reason
select
    s.end_rsn
    , count(*) as churned
from sub s
join plan p on p.id = s.plan_id
join cust c on c.id = s.cust_id
where p.tier >= 4
    and s.end_dt >= '2023-02-01' and s.end_dt < '2024-02-01'
    and s.end_rsn not in ('UP', 'MG', 'TR')
    and c.acct_type <> 'Z'
group by s.end_rsn
order by churned desc
;

-- monthly churn rate in percent: churned in the month / running on the 1st. last twelve months
with recursive m as (
    select '2024-07-01' as d
    union all
    select date(d, '+1 month') from m where d < '2025-06-01'
)
, s as (
    select s.start_dt, s.end_dt, s.end_rsn
    from sub s
    join cust c on c.id = s.cust_id
    where c.acct_type <> 'Z'
)
select
    substr(m.d, 1, 7) as month
    , round(100.0
        * sum(case when s.end_dt >= m.d and s.end_dt < date(m.d, '+1 month')
                    and s.end_rsn not in ('UP', 'MG', 'TR') then 1 else 0 end)
        / sum(case when s.start_dt < m.d and (s.end_dt is null or s.end_dt >= m.d) then 1 else 0 end), 2) as churn_pct
from m
cross join s
group by m.d
order by m.d
;

-- churn by country, consumers only, calendar year 2024
select
    r.ctry
    , count(*) as churned
from sub s
join cust c on c.id = s.cust_id
join region r on r.cd = c.reg
where s.end_dt between '2024-01-01' and '2024-12-31'
    and s.end_rsn not in ('UP', 'MG', 'TR')
    and c.acct_type = 'C'
group by r.ctry
order by churned desc
;
