-- What cannot be read is rejected with its reason, and is never knowledge.

-- # no column between SELECT and FROM [all]
SELECT , FROM t;
--> unparsable

-- # misspelled keywords [all]
SELEKT a FRM t;
--> unparsable

-- # prose [all]
please give me the numbers of last week;
--> unparsable

-- # cut off in a string [all]
SELECT a, b FROM t WHERE name = 'abc;
--> unparsable

-- # cut off in parentheses [all]
SELECT a FROM t WHERE (b = 1 AND;
SELECT a, COUNT(* FROM t;
SELECT a FROM t WHERE b IN (1, 2;
--> unparsable

-- # cut off after a keyword [all]
SELECT a FROM;
SELECT a FROM t WHERE;
SELECT a FROM t WHERE b =;
SELECT a FROM t ORDER BY;
SELECT a FROM t GROUP BY;
SELECT a FROM t GROUP;
SELECT a FROM t WHERE b = 1 ORDER;
SELECT a FROM t LEFT;
SELECT a FROM t JOIN;
SELECT a FROM t WHERE b = 1 AND;
--> unparsable

-- # cut off in a CTE [all]
WITH x AS (SELECT a FROM t WHERE b;
WITH x AS (SELECT a FROM t);
--> unparsable

-- # a comma too many [sqlite, postgres, mysql, tsql]
SELECT a, FROM t;
SELECT a FROM t, WHERE b = 1;
--> unparsable

-- # nothing but a comment [all]
/* SELECT a FROM t */;
--> empty

-- # nothing at all [all]
;
  ;;;
--> empty
