-- DO NOT USE ANY MORE, counts upgrades and the reshuffle as churn. See churn.sql
-- priya nair 2023-02

select
    substr(end_dt, 1, 7) as month
    , count(*) as churned
from sub
where st = 'X'
group by substr(end_dt, 1, 7)
order by month
;
