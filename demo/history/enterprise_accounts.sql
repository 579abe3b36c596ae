-- Author: Owen Hale
-- Date: 2025-04-12
-- Enterprise = plan tier 4 or above. Do not go by the plan name.

-- Enterprise customers and their account reps
SELECT	t1.nm,
	t1.rep,
	t3.nm AS plan_nm
FROM	cust t1
INNER JOIN sub t2 ON t2.cust_id = t1.id
INNER JOIN plan t3 ON t3.id = t2.plan_id
WHERE	t3.tier >= 4
	AND t2.st = 'L'
	AND t1.acct_type <> 'Z'
ORDER BY t1.nm;

-- How many enterprise customers does each rep look after?
SELECT	t1.rep,
	COUNT(DISTINCT t1.id) AS customers
FROM	cust t1
INNER JOIN sub t2 ON t2.cust_id = t1.id
INNER JOIN plan t3 ON t3.id = t2.plan_id
WHERE	t3.tier >= 4
	AND t2.st = 'L'
	AND t1.acct_type <> 'Z'
	AND t1.rep IS NOT NULL
GROUP BY t1.rep
ORDER BY customers DESC;

-- Monthly recurring revenue of enterprise, in EUR (fee_c is per billing period: M month, Q quarter, Y year)
SELECT	ROUND(SUM(t2.qty * t3.fee_c / CASE t3.cad WHEN 'Y' THEN 12.0 WHEN 'Q' THEN 3.0 ELSE 1.0 END) / 100.0, 2) AS mrr
FROM	sub t2
INNER JOIN plan t3 ON t3.id = t2.plan_id
INNER JOIN cust t1 ON t1.id = t2.cust_id
WHERE	t3.tier >= 4
	AND t2.st = 'L'
	AND t1.acct_type <> 'Z';

-- Enterprise churn by reason, fiscal 2025 (copied from Priya, her definition)
SELECT	t2.end_rsn,
	COUNT(*) AS churned
FROM	sub t2
INNER JOIN plan t3 ON t3.id = t2.plan_id
INNER JOIN cust t1 ON t1.id = t2.cust_id
WHERE	t3.tier >= 4
	AND t2.end_dt >= '2024-02-01' AND t2.end_dt < '2025-02-01'
	AND t2.end_rsn NOT IN ('UP', 'MG', 'TR')
	AND t1.acct_type <> 'Z'
GROUP BY t2.end_rsn
ORDER BY churned DESC;
