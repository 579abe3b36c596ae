-- Receivables.
-- Author: Owen Hale
-- Invoices carry the order's external number in ref (SBxxxxx refs are subscriptions, no order).
-- amt_c is in the INVOICE currency. For balances convert with the closing rate of the month (kind C).

-- How much is overdue, in EUR? We give two weeks of grace after the due date.
SELECT	ROUND(SUM(t1.amt_c * t2.to_eur) / 100.0, 2) AS overdue_eur
FROM	invoice t1
INNER JOIN fx t2 ON t2.ccy = t1.ccy AND t2.ym = '2025-06' AND t2.kind = 'C'
WHERE	t1.paid IS NULL
	AND t1.due < DATE((SELECT v FROM param WHERE k = 'snap_dt'), '-14 day');

-- Overdue invoices by currency, number and amount in that currency
SELECT	t1.ccy,
	COUNT(*) AS n,
	SUM(t1.amt_c) / 100.0 AS amt
FROM	invoice t1
WHERE	t1.paid IS NULL
	AND t1.due < DATE((SELECT v FROM param WHERE k = 'snap_dt'), '-14 day')
GROUP BY t1.ccy
ORDER BY n DESC;

-- Which customers have the largest overdue balance (orders only), in EUR?
SELECT	t4.nm,
	ROUND(SUM(t1.amt_c * t2.to_eur) / 100.0, 2) AS overdue_eur
FROM	invoice t1
INNER JOIN fx t2 ON t2.ccy = t1.ccy AND t2.ym = '2025-06' AND t2.kind = 'C'
INNER JOIN orders t3 ON t3.ext_no = t1.ref
INNER JOIN cust t4 ON t4.leg_cd = t3.cust_cd
WHERE	t1.paid IS NULL
	AND t1.due < DATE((SELECT v FROM param WHERE k = 'snap_dt'), '-14 day')
	AND t4.acct_type <> 'Z'
GROUP BY t4.nm
ORDER BY overdue_eur DESC
LIMIT 20;

-- Average days from issue to payment, by country
SELECT	t5.ctry,
	ROUND(AVG(JULIANDAY(t1.paid) - JULIANDAY(t1.issued)), 1) AS days_to_pay
FROM	invoice t1
INNER JOIN orders t3 ON t3.ext_no = t1.ref
INNER JOIN cust t4 ON t4.leg_cd = t3.cust_cd
INNER JOIN region t5 ON t5.cd = t4.reg
WHERE	t1.paid IS NOT NULL
	AND t4.acct_type <> 'Z'
GROUP BY t5.ctry
ORDER BY days_to_pay DESC;

-- Overdue invoices aged 15-30, 31-60, over 60 days
SELECT	CASE	WHEN JULIANDAY(p.v) - JULIANDAY(t1.due) <= 30 THEN '15-30'
		WHEN JULIANDAY(p.v) - JULIANDAY(t1.due) <= 60 THEN '31-60'
		ELSE 'over 60' END AS bucket,
	COUNT(*) AS n
FROM	invoice t1
CROSS JOIN param p
WHERE	p.k = 'snap_dt'
	AND t1.paid IS NULL
	AND t1.due < DATE(p.v, '-14 day')
GROUP BY bucket;
