-- mrr
-- owner: priya nair
-- updated: 2025-05-06
-- only live subscriptions (st L). trials (T) and paused ones (P) pay nothing. yearly and quarterly fees are spread.

-- what is our monthly recurring revenue?
select
    round(sum(s.qty * p.fee_c / case p.cad when 'Y' then 12.0 when 'Q' then 3.0 else 1.0 end) / 100.0, 2) as mrr
from sub s
join plan p on p.id = s.plan_id
join cust c on c.id = s.cust_id
where s.st = 'L'
    and c.acct_type <> 'Z'
;

-- mrr per plan
select
    p.nm as plan
    , round(sum(s.qty * p.fee_c / case p.cad when 'Y' then 12.0 when 'Q' then 3.0 else 1.0 end) / 100.0, 2) as mrr
    , count(*) as subs
from sub s
join plan p on p.id = s.plan_id
join cust c on c.id = s.cust_id
where s.st = 'L'
    and c.acct_type <> 'Z'
group by p.nm
order by mrr desc
;

-- how much mrr is at risk, i.e. live but not active (no brew synced in 90 days)?
with live as (
    select
        s.cust_id
        , s.qty * p.fee_c / case p.cad when 'Y' then 12.0 when 'Q' then 3.0 else 1.0 end / 100.0 as mrr
    from sub s
    join plan p on p.id = s.plan_id
    join cust c on c.id = s.cust_id
    where s.st = 'L'
        and c.acct_type <> 'Z'
)
, act as (
    select distinct uid
    from event
    where kind = 40
        and ts >= date((select v from param where k = 'snap_dt'), '-90 day')
)
select
    round(sum(case when a.uid is null then l.mrr else 0 end), 2) as at_risk
    , round(sum(l.mrr), 2) as total
from live l
left join act a on a.uid = l.cust_id
;
