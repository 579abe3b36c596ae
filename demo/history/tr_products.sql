-- Produktauswertungen (product reports)
-- Author: Tobias Renner
-- Gift cards (cat GC) and services (SV) are not merchandise and never in a margin report!

-- Margin per category, merchandise only, fiscal year 2025
SELECT P.CAT, SUM(L.AMT_C - L.QTY * P.COST_C) / 100.0 AS MARGIN
  FROM ORDER_LINE L, ORDERS O, PRODUCT P, CUST K
 WHERE L.ORD_ID = O.ID
   AND P.SKU = L.SKU
   AND K.LEG_CD = O.CUST_CD
   AND O.ST <> 7
   AND K.ACCT_TYPE <> 'Z'
   AND P.CAT NOT IN ('GC', 'SV')
   AND O.DT >= '2024-02-01' AND O.DT < '2025-02-01'
 GROUP BY P.CAT
 ORDER BY MARGIN DESC;

-- Top 10 products by margin in 2024
SELECT P.SKU, P.NM, SUM(L.AMT_C - L.QTY * P.COST_C) / 100.0 AS MARGIN
  FROM ORDER_LINE L, ORDERS O, PRODUCT P, CUST K
 WHERE L.ORD_ID = O.ID
   AND P.SKU = L.SKU
   AND K.LEG_CD = O.CUST_CD
   AND O.ST <> 7
   AND K.ACCT_TYPE <> 'Z'
   AND P.CAT NOT IN ('GC', 'SV')
   AND O.DT BETWEEN '2024-01-01' AND '2024-12-31'
 GROUP BY P.SKU, P.NM
 ORDER BY MARGIN DESC
 LIMIT 10;

-- same for 2023
SELECT P.SKU, P.NM, SUM(L.AMT_C - L.QTY * P.COST_C) / 100.0 AS MARGIN
  FROM ORDER_LINE L, ORDERS O, PRODUCT P, CUST K
 WHERE L.ORD_ID = O.ID
   AND P.SKU = L.SKU
   AND K.LEG_CD = O.CUST_CD
   AND O.ST <> 7
   AND K.ACCT_TYPE <> 'Z'
   AND P.CAT NOT IN ('GC', 'SV')
   AND O.DT BETWEEN '2023-01-01' AND '2023-12-31'
 GROUP BY P.SKU, P.NM
 ORDER BY MARGIN DESC
 LIMIT 10;

-- Which machines (cat MC) sell best by pieces? dropped ones left out
SELECT P.NM, SUM(L.QTY) AS PIECES
  FROM ORDER_LINE L, ORDERS O, PRODUCT P
 WHERE L.ORD_ID = O.ID
   AND P.SKU = L.SKU
   AND O.ST <> 7
   AND P.CAT = 'MC'
   AND P.DROPPED_ON IS NULL
 GROUP BY P.NM
 ORDER BY PIECES DESC
 LIMIT 8;

SELECT P.CAT, ROUND(100.0 * SUM(L.AMT_C - L.QTY * P.COST_C) / SUM(L.AMT_C), 1) AS MARGIN_PCT
  FROM ORDER_LINE L, ORDERS O, PRODUCT P, CUST K
 WHERE L.ORD_ID = O.ID
   AND P.SKU = L.SKU
   AND K.LEG_CD = O.CUST_CD
   AND O.ST <> 7
   AND K.ACCT_TYPE <> 'Z'
   AND P.CAT NOT IN ('GC', 'SV')
 GROUP BY P.CAT;

-- Products in the list that nobody has ordered for a year
SELECT P.SKU, P.NM, P.CAT
  FROM PRODUCT P
 WHERE P.DROPPED_ON IS NULL
   AND P.CAT NOT IN ('GC', 'SV')
   AND NOT EXISTS (SELECT 1
                     FROM ORDER_LINE L, ORDERS O
                    WHERE L.ORD_ID = O.ID AND L.SKU = P.SKU AND O.ST <> 7
                      AND O.DT >= DATE((SELECT V FROM PARAM WHERE K = 'snap_dt'), '-1 year'));
