-- Author: Tobias Renner
-- Date: 14.02.2025
-- Umsatz = net revenue. Wie immer ohne Storno (ST = 7) und ohne Testkonten. Bitte nicht ändern!

-- Net revenue by sales channel in fiscal year 2025 (für die Präsentation in München)
SELECT O.CH, ROUND(SUM(O.GROSS_C - COALESCE(R.BACK, 0)) / 100.0, 2) AS UMSATZ
  FROM ORDERS O
  JOIN CUST K ON K.LEG_CD = O.CUST_CD
  LEFT JOIN (SELECT ORD_ID, SUM(AMT_C) AS BACK FROM REFUND WHERE OK = 1 GROUP BY ORD_ID) R ON R.ORD_ID = O.ID
 WHERE O.ST <> 7 AND K.ACCT_TYPE <> 'Z'
   AND O.DT >= '2024-02-01' AND O.DT < '2025-02-01'
 GROUP BY O.CH
 ORDER BY UMSATZ DESC;

-- Net revenue online (web W and app A) against phone P and reps R, by fiscal year. Größere Zahl ist online.
SELECT STRFTIME('%Y', DATE(O.DT, '+11 months')) AS FY,
       ROUND(SUM(CASE WHEN O.CH IN ('W', 'A') THEN O.GROSS_C - COALESCE(R.BACK, 0) ELSE 0 END) / 100.0, 2) AS ONLINE,
       ROUND(SUM(CASE WHEN O.CH IN ('P', 'R') THEN O.GROSS_C - COALESCE(R.BACK, 0) ELSE 0 END) / 100.0, 2) AS PERSONAL
  FROM ORDERS O
  JOIN CUST K ON K.LEG_CD = O.CUST_CD
  LEFT JOIN (SELECT ORD_ID, SUM(AMT_C) AS BACK FROM REFUND WHERE OK = 1 GROUP BY ORD_ID) R ON R.ORD_ID = O.ID
 WHERE O.ST != 7 AND K.ACCT_TYPE <> 'Z'
 GROUP BY FY;

-- Stornoquote je Kanal / share of cancelled orders per channel since 2024
SELECT O.CH, COUNT(*) AS N, ROUND(100.0 * SUM(CASE WHEN O.ST = 7 THEN 1 ELSE 0 END) / COUNT(*), 1) AS STORNO_PROZENT
  FROM ORDERS O, CUST K
 WHERE K.LEG_CD = O.CUST_CD
   AND K.ACCT_TYPE <> 'Z'
   AND O.CH <> 'X'
   AND O.DT >= '2024-01-01'
 GROUP BY O.CH
 ORDER BY STORNO_PROZENT DESC;
