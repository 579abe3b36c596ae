-- month end, Owen
PRAGMA case_sensitive_like = ON;

CREATE TEMP TABLE tmp_open AS
SELECT	ref, amt_c, ccy
FROM	invoice
WHERE	paid IS NULL;

-- write off small change
UPDATE invoice SET paid = due WHERE amt_c < 100 AND paid IS NULL;

-- Open invoices (not only overdue) in EUR at closing rate, May 2025
SELECT	t1.ccy,
	COUNT(*) AS n,
	ROUND(SUM(t1.amt_c * t2.to_eur) / 100.0, 2) AS open_eur
FROM	invoice t1
INNER JOIN fx t2 ON t2.ccy = t1.ccy AND t2.ym = '2025-05' AND t2.kind = 'C'
WHERE	t1.paid IS NULL
	AND t1.issued < '2025-06-01'
GROUP BY t1.ccy;

SET search_path = finance;

DROP TABLE tmp_open;
