// What the model of the browser tests says. A key is part of the prompt.
const fence = (sql) => "```sql\n" + sql + "\n```";

export const NET = "What was our net revenue by country in fiscal year 2025?";
export const NET_SQL = `SELECT r.ctry, ROUND(SUM(o.gross_c - COALESCE(f.amt_c, 0)) / 100.0, 2) AS net_revenue
FROM orders o
JOIN cust c ON c.leg_cd = o.cust_cd
JOIN region r ON r.cd = c.reg
LEFT JOIN (
  SELECT ord_id, SUM(amt_c) AS amt_c
  FROM refund
  WHERE ok = 1
  GROUP BY ord_id
) f ON f.ord_id = o.id
WHERE o.st <> 7
  AND c.acct_type <> 'Z'
  AND o.dt >= '2024-02-01' AND o.dt < '2025-02-01'
GROUP BY r.ctry
ORDER BY net_revenue DESC`;

export const CHURN = "Why did consumers churn in calendar year 2024?";
export const CHURN_SQL = `SELECT s.end_rsn, COUNT(*) AS churned
FROM sub s
JOIN cust c ON c.id = s.cust_id
WHERE s.end_dt BETWEEN '2024-01-01' AND '2024-12-31'
  AND s.end_rsn NOT IN ('UP', 'MG', 'TR')
  AND c.acct_type = 'C'
GROUP BY s.end_rsn
ORDER BY churned DESC`;

/** A wish about one piece, and the piece that the model writes for it. */
export const WISH = "only what was ordered since June 2024";
export const WISHED = "o.dt >= '2024-06-01'";

/** The beginning of a description, and how the model goes on. */
export const BEGUN = "state of";
export const WHOLE = "state of the order";

export const answers = {
  [NET]: fence(NET_SQL),
  [CHURN]: fence(CHURN_SQL),
  [`Wish: ${WISH}`]: fence(WISHED),
  [`The description begins: ${BEGUN}`]: WHOLE,
};
