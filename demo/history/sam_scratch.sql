-- trying things out
-- by: Sam Okafor

select * from orders limit 20;

-- newsletter UK
SELECT nm, email
FROM cust
WHERE del_flg = 0 AND acct_type != 'Z' AND reg IN ('UKS', 'UKN');

-- why is this so high?? -> Marta: you forgot the Z accounts and the cancelled ones
select sum(gross_c) / 100 from orders where dt >= '2024-02-01' and dt < '2025-02-01';

-- better now (from Marta)
SELECT ROUND(SUM(a.gross_c - COALESCE(b.amt_c, 0)) / 100.0, 2) AS net_revenue
FROM orders AS a
JOIN cust AS k ON k.leg_cd = a.cust_cd
LEFT JOIN (SELECT ord_id, SUM(amt_c) AS amt_c FROM refund WHERE ok = 1 GROUP BY ord_id) AS b ON b.ord_id = a.id
WHERE a.st <> 7
  AND k.acct_type <> 'Z'
  AND a.dt >= '2024-02-01' AND a.dt < '2025-02-01';

-- does not run
SELECT c.nm, COUNT(*
FROM cust c
JOIN orders o ON o.cust_cd = c.leg_cd
GROUP BY c.nm;

-- no idea what is wrong here
selct reg, count(*) from cust group by reg;

-- active customers for the newsletter report
select count(distinct ev.uid) as active_customers
from event ev
join cust cu on cu.id = ev.uid
where ev.kind = 40
  and ev.ts >= date((select v from param where k = 'snap_dt'), '-90 day')
  and cu.acct_type <> 'Z'
  and cu.del_flg = 0;

SELECT nm, email FROM cust WHERE acct_type = 'B' AND nm = 'Ember Clinic;
