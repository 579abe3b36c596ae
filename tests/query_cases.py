"""A small database and queries of every shape over it: what explanation and refinement are checked on."""

from __future__ import annotations

DATABASE = (
    "CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT, boss INTEGER, city TEXT)",
    (
        "CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT, team_id INTEGER, pay DOUBLE"
        " PRECISION, born TEXT, boss INTEGER)"
    ),
    "CREATE TABLE badge (person_id INTEGER, kind TEXT, n INTEGER)",
    ('CREATE TABLE "Order Line" ("Order No" INTEGER, "from" TEXT, qty INTEGER, person_id INTEGER)'),
    (
        "INSERT INTO team VALUES"
        " (1,'red',1,'Oslo'),(2,'blue',3,'Graz'),(3,'green',NULL,NULL),(4,'red',5,'Bern')"
    ),
    (
        "INSERT INTO person VALUES"
        " (1,'Ann',1,10.5,'1990-01-02',NULL),(2,'Bob',1,20,'1985-05-05',1),(3,'Cai',2,7.25,NULL,1),"
        "(4,'Dee',NULL,20,'2001-01-01',3),(5,'Eve',2,NULL,'1999-09-09',3),(6,'Fay',9,3,'1990-01-02',2)"
    ),
    (
        "INSERT INTO badge VALUES"
        " (1,'gold',2),(1,'gold',1),(1,'tin',1),(2,'tin',NULL),(3,'gold',5),(7,'tin',4),(NULL,'gold',1)"
    ),
    "INSERT INTO \"Order Line\" VALUES (1,'a',2,1),(2,'b',3,1),(3,'a',NULL,2),(3,'c',1,9)",
)

QUERIES = {
    "correlated": (
        "SELECT p.name FROM person p WHERE p.pay > (SELECT AVG(q.pay) FROM person q WHERE"
        " q.team_id = p.team_id)"
    ),
    "correlated2": (
        "SELECT t.name, (SELECT COUNT(*) FROM person p WHERE p.team_id = t.id AND p.pay > 8) AS"
        " n FROM team t WHERE t.id < 4"
    ),
    "corr_deep": (
        "SELECT t.name FROM team t WHERE EXISTS (SELECT 1 FROM person p WHERE p.team_id = t.id"
        " AND EXISTS (SELECT 1 FROM badge b WHERE b.person_id = p.id AND b.kind = 'gold' AND b.n"
        " > t.id - 1))"
    ),
    "corr_two": (
        "SELECT t.name FROM team t WHERE t.id IN (SELECT p.team_id FROM person p WHERE p.pay >"
        " (SELECT MIN(b.n) FROM badge b WHERE b.person_id = p.id AND b.n <> t.id))"
    ),
    "corr_comma": (
        "SELECT p.name, (SELECT SUM(b.n) FROM badge b WHERE b.person_id = p.id AND b.kind <>"
        " t.name) s FROM person p, team t WHERE p.team_id = t.id AND t.city IS NOT NULL"
    ),
    "notexists": (
        "SELECT name FROM team t WHERE NOT EXISTS (SELECT 1 FROM person WHERE team_id = t.id)"
        " AND name IS NOT NULL"
    ),
    "notin": (
        "SELECT name FROM person WHERE id NOT IN (SELECT person_id FROM badge WHERE person_id IS"
        " NOT NULL) AND pay IS NOT NULL"
    ),
    "union": (
        "SELECT name FROM team WHERE id > 1 UNION SELECT name FROM person WHERE pay > 5 ORDER BY 1 LIMIT 4"
    ),
    "unionall": (
        "SELECT name, id FROM team UNION ALL SELECT name, id FROM person WHERE team_id = 1 UNION"
        " ALL SELECT kind, n FROM badge WHERE n > 1"
    ),
    "except": "SELECT team_id FROM person EXCEPT SELECT id FROM team WHERE city IS NULL",
    "intersect": "SELECT id FROM person WHERE pay > 5 INTERSECT SELECT person_id FROM badge",
    "unionsub": (
        "SELECT x.name, COUNT(*) AS n FROM (SELECT name FROM team UNION ALL SELECT name FROM"
        " person WHERE pay >= 10) AS x GROUP BY x.name HAVING COUNT(*) > 1"
    ),
    "unioncte": (
        "WITH a AS (SELECT id, name FROM team WHERE id < 3 UNION SELECT id, name FROM person"
        " WHERE pay > 8), b AS (SELECT * FROM a WHERE id > 1) SELECT b.name, p.pay FROM b LEFT"
        " JOIN person p ON p.id = b.id WHERE p.pay > 1 OR p.pay IS NULL"
    ),
    "window": (
        "SELECT name, pay, RANK() OVER (PARTITION BY team_id ORDER BY pay DESC) AS r, SUM(pay)"
        " OVER (PARTITION BY team_id) AS s FROM person WHERE pay > 3"
    ),
    "window2": (
        "SELECT * FROM (SELECT name, team_id, ROW_NUMBER() OVER (PARTITION BY team_id ORDER BY"
        " pay DESC, id) AS rn FROM person WHERE pay IS NOT NULL) x WHERE rn = 1 AND team_id > 0"
    ),
    "windownamed": (
        "SELECT name, SUM(pay) OVER w AS s, COUNT(*) OVER w AS c FROM person WINDOW w AS"
        " (PARTITION BY team_id ORDER BY id)"
    ),
    "nested": (
        "WITH a AS (WITH inner1 AS (SELECT id, team_id FROM person WHERE pay > 5) SELECT i.id,"
        " t.name FROM inner1 i JOIN team t ON t.id = i.team_id WHERE t.city IS NOT NULL), b AS"
        " (SELECT name, COUNT(*) AS n FROM a GROUP BY name) SELECT * FROM b WHERE n > 0"
    ),
    "samename": (
        "WITH a AS (SELECT id FROM person WHERE pay > 8) SELECT id FROM a WHERE id IN (WITH a AS"
        " (SELECT person_id FROM badge WHERE n > 1) SELECT person_id FROM a WHERE person_id < 5)"
    ),
    "samename2": (
        "WITH a AS (SELECT id, team_id FROM person WHERE pay > 4), c AS (WITH a AS (SELECT id"
        " FROM team WHERE id < 3) SELECT a.id FROM a WHERE a.id > 0) SELECT a.id FROM a JOIN c"
        " ON c.id = a.team_id WHERE a.id <> 2"
    ),
    "shadow2": (
        "WITH team AS (SELECT id, name FROM person WHERE pay > 5) SELECT t.name FROM team t"
        " WHERE t.id IN (SELECT id FROM team WHERE name > 'B')"
    ),
    "recursive": (
        "WITH RECURSIVE up(id, boss, depth) AS (SELECT id, boss, 0 FROM person WHERE boss IS"
        " NULL UNION ALL SELECT p.id, p.boss, u.depth + 1 FROM person p JOIN up u ON p.boss ="
        " u.id WHERE u.depth < 9) SELECT depth, COUNT(*) AS n FROM up WHERE depth > 0 GROUP BY"
        " depth ORDER BY depth"
    ),
    "recursive2": (
        "WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 5), sq AS"
        " (SELECT i, i * i AS s FROM n WHERE i > 1) SELECT p.name, sq.s FROM person p JOIN sq ON"
        " sq.i = p.id WHERE sq.s > 4"
    ),
    "selfjoin": (
        "SELECT a.name, b.name FROM person a JOIN person b ON b.boss = a.id WHERE a.pay > 5 AND b.pay > a.pay"
    ),
    "selfjoin3": (
        "SELECT a.name, b.name, c.name FROM person a LEFT JOIN person b ON a.boss = b.id LEFT"
        " JOIN person c ON b.boss = c.id WHERE a.id > 1"
    ),
    "left": (
        "SELECT p.name, t.name FROM person p LEFT JOIN team t ON t.id = p.team_id AND t.city ="
        " 'Oslo' WHERE t.id IS NULL"
    ),
    "leftmany": (
        "SELECT p.name, COUNT(b.kind) FROM person p LEFT JOIN badge b ON b.person_id = p.id AND"
        " b.kind = 'gold' AND b.n > 1 GROUP BY p.name HAVING COUNT(b.kind) > 0 OR p.name > 'D'"
    ),
    "right": "SELECT p.name, t.name FROM person p RIGHT JOIN team t ON t.id = p.team_id WHERE t.id > 1",
    "full": "SELECT p.name, t.name FROM person p FULL JOIN team t ON t.id = p.team_id",
    "using": (
        "SELECT a.name FROM person a JOIN (SELECT id, name AS tn FROM team) t USING (id) WHERE t.tn = 'red'"
    ),
    "natural": ("SELECT * FROM badge NATURAL JOIN (SELECT id AS person_id, pay FROM person) q WHERE pay > 5"),
    "comma": (
        "SELECT p.name, t.name, b.kind FROM person p, team t, badge b WHERE p.team_id = t.id AND"
        " b.person_id = p.id AND b.kind = 'gold' AND p.pay > 5"
    ),
    "commaor": (
        "SELECT p.name FROM person p, team t WHERE (p.team_id = t.id OR p.boss = t.boss) AND t.name = 'red'"
    ),
    "cross": ("SELECT p.name, t.name FROM person p CROSS JOIN team t WHERE p.id > t.id AND t.name <> 'red'"),
    "noneq": ("SELECT p.name, q.name FROM person p JOIN person q ON p.pay < q.pay AND p.team_id = q.team_id"),
    "quoted": (
        'SELECT l."Order No", p.name FROM "Order Line" AS l JOIN person AS p ON l.person_id ='
        ' p.id WHERE l."from" = \'a\' AND l."qty" > 1'
    ),
    "quoted2": (
        'WITH "my cte" AS (SELECT "Order No" AS "No 1", SUM(qty) AS "sum of" FROM "Order Line"'
        ' GROUP BY "Order No") SELECT "No 1" FROM "my cte" WHERE "sum of" > 1 AND "No 1" < 3'
    ),
    "comments": (
        "-- all of it\nSELECT p.name, -- the name\n  /* pay, 'x' */ p.pay\nFROM person p --"
        " people\nJOIN team t /* their team */ ON t.id = p.team_id -- link\nWHERE p.pay > 5 --"
        " enough; really\n  AND t.city = 'Oslo' /* AND t.id = 2 */\nORDER BY p.pay -- last\n"
    ),
    "commentend": (
        "SELECT name FROM person WHERE pay > 5 AND id IN (SELECT person_id FROM badge -- those\n"
        " WHERE n > 1 -- many\n) -- end"
    ),
    "groupexpr": (
        "SELECT SUBSTR(born, 1, 4) AS y, COUNT(*) AS n, AVG(pay) FROM person WHERE born IS NOT"
        " NULL GROUP BY y HAVING COUNT(*) >= 1 AND AVG(pay) > 5 ORDER BY n DESC, y"
    ),
    "groupord": (
        "SELECT team_id, kind, COUNT(*) FROM person JOIN badge ON badge.person_id = person.id GROUP BY 1, 2"
    ),
    "havalias": "SELECT team_id, SUM(pay) AS total FROM person GROUP BY team_id HAVING total > 10",
    "havsub": (
        "SELECT team_id, SUM(pay) FROM person GROUP BY team_id HAVING SUM(pay) > (SELECT"
        " AVG(pay) FROM person)"
    ),
    "havnogroup": "SELECT COUNT(*), MAX(pay) FROM person WHERE id > 1 HAVING COUNT(*) > 2",
    "distinct": (
        "SELECT DISTINCT t.name FROM team t JOIN person p ON p.team_id = t.id ORDER BY t.name LIMIT 1"
    ),
    "nofrom": ("SELECT (SELECT COUNT(*) FROM person) - (SELECT COUNT(*) FROM team WHERE id > 1) AS d, 1 + 2"),
    "derivednest": (
        "SELECT * FROM (SELECT * FROM (SELECT id, pay FROM person WHERE pay > 3) a WHERE a.id >"
        " 1) b WHERE b.pay < 20"
    ),
    "fromsubjoin": (
        "SELECT t.name, x.n FROM team t JOIN (SELECT team_id, COUNT(*) AS n FROM person GROUP BY"
        " team_id) x ON x.team_id = t.id WHERE x.n > 1"
    ),
    "ctetwice": (
        "WITH r AS (SELECT team_id, pay FROM person WHERE pay > 3) SELECT a.team_id FROM r a"
        " JOIN r b ON a.team_id = b.team_id AND a.pay < b.pay WHERE a.pay > (SELECT MIN(pay)"
        " FROM r)"
    ),
    "casewhen": (
        "SELECT team_id, SUM(CASE WHEN pay > 8 THEN 1 ELSE 0 END) * 100.0 / COUNT(*) AS pct FROM"
        " person GROUP BY team_id"
    ),
    "between": (
        "SELECT name FROM person WHERE pay BETWEEN 5 AND 15 AND NOT (born IS NULL OR id = 2) AND"
        " name LIKE '%n%'"
    ),
    "orand": "SELECT name FROM person WHERE pay > 15 OR pay < 5 AND team_id = 9 OR name = 'Ann'",
    "isnull_link": "SELECT p.name FROM person p, team t WHERE p.team_id = t.id AND p.boss = t.boss",
    "corrin": (
        "SELECT name FROM person p WHERE 'gold' IN (SELECT kind FROM badge b WHERE b.person_id ="
        " p.id) AND p.pay > 5"
    ),
    "corrfrom": (
        "SELECT t.name, (SELECT MAX(q.pay) FROM (SELECT pay FROM person WHERE person.team_id ="
        " t.id) q) m FROM team t"
    ),
    "corrcte": (
        "SELECT t.name, (WITH q AS (SELECT pay FROM person p WHERE p.team_id = t.id) SELECT"
        " MAX(pay) FROM q) m FROM team t"
    ),
    "corrunion": (
        "SELECT t.name FROM team t WHERE EXISTS (SELECT 1 FROM person p WHERE p.team_id = t.id"
        " UNION SELECT 1 FROM badge b WHERE b.n = t.id)"
    ),
    "corrbare": "SELECT name FROM team WHERE (SELECT COUNT(*) FROM person WHERE team_id = team.id) > 1",
    "corrbare2": "SELECT name, city FROM team WHERE EXISTS (SELECT 1 FROM badge WHERE n = boss)",
    "parenunion": (
        "SELECT * FROM (SELECT id FROM team UNION SELECT id FROM person) u JOIN person p ON p.id"
        " = u.id WHERE u.id > 2"
    ),
    "limitbranch": (
        "SELECT * FROM (SELECT id FROM person ORDER BY pay DESC LIMIT 2) x UNION ALL SELECT id"
        " FROM team WHERE id = 1"
    ),
    "ctecols": (
        "WITH a(x, y) AS (SELECT id, pay FROM person WHERE pay > 5) SELECT x FROM a WHERE y < 20"
        " ORDER BY y DESC"
    ),
    "groupcorr": (
        "SELECT team_id, COUNT(*) c FROM person p GROUP BY team_id HAVING COUNT(*) > (SELECT"
        " COUNT(*) FROM badge b WHERE b.n = p.team_id)"
    ),
}
"""Those that SQLite and DuckDB both understand."""

ONLY: dict[str, dict[str, str]] = {
    "sqlite": {"values": "SELECT v.column1 FROM (VALUES (1,2),(3,4)) v WHERE v.column1 > 1"},
    "duckdb": {
        "shadow": (
            "WITH person AS (SELECT id, name, pay FROM person WHERE pay > 5) SELECT name FROM person"
            " WHERE pay < 20"
        ),
        "lateral": (
            "SELECT t.name, x.pay FROM team t, LATERAL (SELECT p.pay FROM person p WHERE p.team_id ="
            " t.id ORDER BY p.pay DESC LIMIT 1) x WHERE x.pay > 8"
        ),
        "lateral2": (
            "SELECT t.name, x.n FROM team t LEFT JOIN LATERAL (SELECT COUNT(*) AS n FROM person p"
            " WHERE p.team_id = t.id AND p.pay > 5) x ON TRUE"
        ),
        "qualify": (
            "SELECT name, team_id FROM person WHERE pay > 3 QUALIFY ROW_NUMBER() OVER (PARTITION BY"
            " team_id ORDER BY pay DESC, id) = 1 AND COUNT(*) OVER () > 1"
        ),
        "semi": "SELECT name FROM person SEMI JOIN badge ON badge.person_id = person.id WHERE pay > 5",
        "anti": "SELECT name FROM person ANTI JOIN badge ON badge.person_id = person.id",
        "filter": "SELECT team_id, COUNT(*) FILTER (WHERE pay > 5) AS n FROM person GROUP BY team_id",
        "groupall": "SELECT team_id, COUNT(*) AS n FROM person GROUP BY ALL",
        "rollup": "SELECT team_id, born, COUNT(*) FROM person GROUP BY ROLLUP (team_id, born)",
        "unnest": "SELECT p.name, u.x FROM person p, UNNEST([1,2]) AS u(x) WHERE u.x < p.id",
        "fromfirst": "FROM person SELECT name WHERE pay > 5",
        "all and any": (
            "SELECT name FROM person WHERE pay >= ALL (SELECT pay FROM person WHERE pay IS NOT NULL)"
            " AND id = ANY (SELECT person_id FROM badge)"
        ),
    },
}
"""Those of one engine."""
