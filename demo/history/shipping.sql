-- jolanta, 2025-07-01
-- on time = out of the door within 2 days. orders placed on sat or sun are not counted (nobody packs on weekends)

-- on time rate last month
select round(100.0 * sum(case when julianday(ship_dt) - julianday(dt) <= 2 then 1 else 0 end) / count(*), 1) ontime
from orders
where st in (3,4,9) and strftime('%w', dt) not in ('0','6') and dt between '2025-06-01' and '2025-06-30';

-- on time rate per month, 2024
select substr(dt,1,7) m, round(100.0 * sum(case when julianday(ship_dt) - julianday(dt) <= 2 then 1 else 0 end) / count(*), 1) ontime
from orders
where st in (3,4,9) and strftime('%w', dt) not in ('0','6') and dt between '2024-01-01' and '2024-12-31'
group by substr(dt,1,7) order by m;

-- and per channel
select ch, count(*) n, round(100.0 * sum(case when julianday(ship_dt) - julianday(dt) <= 2 then 1 else 0 end) / count(*), 1) ontime
from orders
where st in (3,4,9) and strftime('%w', dt) not in ('0','6') and dt between '2024-01-01' and '2024-12-31'
group by ch order by ontime;

-- shipped (3) but still not delivered after 10 days, call the carrier
select ext_no, cust_cd, ship_dt from orders
where st = 3 and ship_dt < date((select v from param where k='snap_dt'), '-10 day')
order by ship_dt desc limit 50;

-- average days to ship by country, weekdays only
select r.ctry, round(avg(julianday(o.ship_dt) - julianday(o.dt)), 2) days
from orders o, cust c, region r
where c.leg_cd = o.cust_cd and r.cd = c.reg
and o.st in (3,4,9) and strftime('%w', o.dt) not in ('0','6')
group by r.ctry order by days desc;
