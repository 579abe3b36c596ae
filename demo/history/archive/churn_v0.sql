-- DO NOT USE ANY MORE, counts upgrades and the reshuffle as churn. See churn.sql
-- owner: priya nair
-- date: 2023-02-09

select
    substr(end_dt, 1, 7) as month
    , count(*) as churned
from sub
where st = 'X'
group by substr(end_dt, 1, 7)
order by month
;
