-- active customers
-- owner: priya nair
-- last run: 2025-06-30
-- DEFINITION (agreed with product, Oct 2023): a customer is active when the machine or the app synced a brew
-- (event kind 40) in the 90 days up to the snapshot date in param. Page views and mail opens do NOT count.
-- never count deleted customers (del_flg) or test accounts.

-- how many active customers do we have?
select
    count(distinct e.uid) as active_customers
from event e
join cust c on c.id = e.uid
where e.kind = 40
    and e.ts >= date((select v from param where k = 'snap_dt'), '-90 day')
    and c.acct_type <> 'Z'
    and c.del_flg = 0
;

-- active customers by account type
select
    c.acct_type
    , count(distinct e.uid) as active_customers
from event e
join cust c on c.id = e.uid
where e.kind = 40
    and e.ts >= date((select v from param where k = 'snap_dt'), '-90 day')
    and c.acct_type <> 'Z'
    and c.del_flg = 0
group by c.acct_type
order by active_customers desc
;

-- active customers by country
select
    r.ctry
    , count(distinct e.uid) as active_customers
from event e
join cust c on c.id = e.uid
join region r on r.cd = c.reg
where e.kind = 40
    and e.ts >= date((select v from param where k = 'snap_dt'), '-90 day')
    and c.acct_type <> 'Z'
    and c.del_flg = 0
group by r.ctry
order by active_customers desc
;

-- what percentage of our customers is active?
with base as (
    select id from cust where acct_type <> 'Z' and del_flg = 0
)
, act as (
    select distinct e.uid
    from event e
    where e.kind = 40
        and e.ts >= date((select v from param where k = 'snap_dt'), '-90 day')
)
select
    round(100.0 * count(a.uid) / count(*), 1) as pct_active
from base b
left join act a on a.uid = b.id
;

-- customers with a live subscription who are not active: the save list for the success team
select
    c.id
    , c.nm
    , p.nm as plan
from cust c
join sub s on s.cust_id = c.id
join plan p on p.id = s.plan_id
where s.st = 'L'
    and c.acct_type <> 'Z'
    and c.del_flg = 0
    and not exists (
        select 1
        from event e
        where e.uid = c.id
            and e.kind = 40
            and e.ts >= date((select v from param where k = 'snap_dt'), '-90 day')
    )
order by p.tier desc, c.id
limit 100
;
