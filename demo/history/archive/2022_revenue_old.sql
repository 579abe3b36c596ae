-- Author: Owen Hale
-- Date: 2022-11-28
-- NB before we had acct_type Z: test accounts are those with a QA mail address

-- Monthly revenue without QA accounts
SELECT	SUBSTR(o.dt, 1, 7) AS mth,
	SUM(o.gross_c) / 100.0 AS revenue
FROM	orders o
INNER JOIN cust c ON c.leg_cd = o.cust_cd
WHERE	o.st <> 7
	AND c.email NOT LIKE '%@qa.fernhill.example'
	AND o.dt < '2022-12-01'
GROUP BY SUBSTR(o.dt, 1, 7)
ORDER BY mth;

-- Customers by region
SELECT	r.nm,
	COUNT(*) AS customers
FROM	cust c
INNER JOIN region r ON r.cd = c.reg
WHERE	c.email NOT LIKE '%@qa.fernhill.example'
GROUP BY r.nm
ORDER BY customers DESC;
