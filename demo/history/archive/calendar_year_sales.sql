-- Sales per calendar year, as the tax office wants them (this is the one place where the fiscal year does not count)
-- Tobias Renner 2024-01-17
SELECT STRFTIME('%Y', O.DT) AS JAHR, SUM(O.GROSS_C) / 100.0 AS BRUTTO
  FROM ORDERS O, CUST K
 WHERE K.LEG_CD = O.CUST_CD AND O.ST <> 7 AND K.ACCT_TYPE <> 'Z'
 GROUP BY JAHR;
