-- app and machine usage
-- owner: priya nair
-- event kinds: 20 page seen, 25 signed in, 30 basket changed, 40 brew synced. 90 is the monitoring probe, always out

-- brews synced per month and source
select
    substr(e.ts, 1, 7) as month
    , e.src
    , count(*) as brews
from event e
join cust c on c.id = e.uid
where e.kind = 40
    and c.acct_type <> 'Z'
group by substr(e.ts, 1, 7), e.src
order by month, e.src
;

-- which active customers have no live subscription? (upsell list)
select distinct
    c.id
    , c.nm
    , c.email
from event e
join cust c on c.id = e.uid
where e.kind = 40
    and e.ts >= date((select v from param where k = 'snap_dt'), '-90 day')
    and c.acct_type <> 'Z'
    and c.del_flg = 0
    and c.id not in (select cust_id from sub where st = 'L')
order by c.nm
;

-- average number of brews per active customer by account type
select
    c.acct_type
    , round(1.0 * count(*) / count(distinct e.uid), 2) as brews_per_customer
from event e
join cust c on c.id = e.uid
where e.kind = 40
    and e.ts >= date((select v from param where k = 'snap_dt'), '-90 day')
    and c.acct_type <> 'Z'
    and c.del_flg = 0
group by c.acct_type
;
