-- by: Sam Okafor
-- working student marketing, summer 2025

-- who gets the newsletter in Germany? (not deleted, no test accounts!!)
SELECT nm, email
FROM cust
WHERE del_flg = 0 AND acct_type != 'Z' AND reg IN ('DEN', 'DES');

-- how many mails did we send and how many were opened in May 2025
SELECT SUM(CASE WHEN kind = 10 THEN 1 ELSE 0 END) AS sent, SUM(CASE WHEN kind = 12 THEN 1 ELSE 0 END) AS opened
FROM event
WHERE ts LIKE '2025-05%';

-- open rate per account type. kind 10 = sent, kind 12 = opened (asked Priya)
SELECT c.acct_type, ROUND(100.0 * SUM(CASE WHEN e.kind = 12 THEN 1 ELSE 0 END) / SUM(CASE WHEN e.kind = 10 THEN 1 ELSE 0 END), 1) AS open_rate
FROM event e
JOIN cust c ON c.id = e.uid
WHERE e.kind IN (10, 12) AND c.acct_type != 'Z' AND c.del_flg = 0
GROUP BY c.acct_type;

-- consumers who bought beans in the last 60 days but have no subscription
SELECT DISTINCT c.nm, c.email
FROM cust c
JOIN orders o ON o.cust_cd = c.leg_cd
JOIN order_line l ON l.ord_id = o.id
JOIN product p ON p.sku = l.sku
WHERE p.cat = 'BN'
  AND o.st <> 7
  AND o.dt >= date((SELECT v FROM param WHERE k = 'snap_dt'), '-60 day')
  AND c.acct_type = 'C'
  AND c.del_flg = 0
  AND c.id NOT IN (SELECT cust_id FROM sub WHERE st IN ('L', 'T'));

-- lapsed: last order more than a year ago
SELECT c.nm, c.email, MAX(o.dt) AS last_order
FROM cust c
JOIN orders o ON o.cust_cd = c.leg_cd
WHERE o.st <> 7 AND c.acct_type != 'Z' AND c.del_flg = 0
GROUP BY c.id
HAVING MAX(o.dt) < date((SELECT v FROM param WHERE k = 'snap_dt'), '-1 year')
ORDER BY last_order DESC;
