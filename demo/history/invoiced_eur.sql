-- Invoiced amounts in EUR
-- Author: Owen Hale
-- Date: 2025-02-03
-- Anything over a period uses the month's AVERAGE rate (kind A), not the closing rate.

-- Invoiced amount per month in EUR, fiscal 2025
SELECT	SUBSTR(t1.issued, 1, 7) AS mth,
	ROUND(SUM(t1.amt_c * t2.to_eur) / 100.0, 2) AS invoiced_eur
FROM	invoice t1
INNER JOIN fx t2 ON t2.ccy = t1.ccy AND t2.ym = SUBSTR(t1.issued, 1, 7) AND t2.kind = 'A'
WHERE	t1.issued >= '2024-02-01' AND t1.issued < '2025-02-01'
GROUP BY SUBSTR(t1.issued, 1, 7)
ORDER BY mth;

-- Invoiced amount by currency in EUR, calendar 2024
SELECT	t1.ccy,
	ROUND(SUM(t1.amt_c * t2.to_eur) / 100.0, 2) AS invoiced_eur
FROM	invoice t1
INNER JOIN fx t2 ON t2.ccy = t1.ccy AND t2.ym = SUBSTR(t1.issued, 1, 7) AND t2.kind = 'A'
WHERE	t1.issued BETWEEN '2024-01-01' AND '2024-12-31'
GROUP BY t1.ccy
ORDER BY invoiced_eur DESC;

-- Top 10 customers by invoiced amount in EUR, calendar 2024
SELECT	t4.nm,
	ROUND(SUM(t1.amt_c * t2.to_eur) / 100.0, 2) AS invoiced_eur
FROM	invoice t1
INNER JOIN fx t2 ON t2.ccy = t1.ccy AND t2.ym = SUBSTR(t1.issued, 1, 7) AND t2.kind = 'A'
INNER JOIN orders t3 ON t3.ext_no = t1.ref
INNER JOIN cust t4 ON t4.leg_cd = t3.cust_cd
WHERE	t1.issued BETWEEN '2024-01-01' AND '2024-12-31'
	AND t4.acct_type <> 'Z'
GROUP BY t4.id, t4.nm
ORDER BY invoiced_eur DESC
LIMIT 10;

-- Invoiced subscription fees against invoiced goods, in EUR, per fiscal year
SELECT	STRFTIME('%Y', DATE(t1.issued, '+11 months')) AS fy,
	ROUND(SUM(CASE WHEN t1.ref LIKE 'SB%' THEN t1.amt_c * t2.to_eur ELSE 0 END) / 100.0) AS fees_eur,
	ROUND(SUM(CASE WHEN t1.ref LIKE 'SB%' THEN 0 ELSE t1.amt_c * t2.to_eur END) / 100.0) AS goods_eur
FROM	invoice t1
INNER JOIN fx t2 ON t2.ccy = t1.ccy AND t2.ym = SUBSTR(t1.issued, 1, 7) AND t2.kind = 'A'
GROUP BY fy
ORDER BY fy;
