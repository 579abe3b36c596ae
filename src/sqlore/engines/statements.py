"""The statements that a server counted: `pg_stat_statements`, or MySQL's statement digests."""

from __future__ import annotations

from typing import Any, Final

from sqlore.errors import ConnectError

__all__ = ["mysql_statements", "postgres_statements"]

#: At most so many different statements, the most frequent first.
MOST: Final = 100_000
_HIDDEN: Final = "<insufficient privilege>"
_NOT_THERE: Final = "this database keeps no statements: the extension pg_stat_statements is not there"
_HOW: Final = "add it to shared_preload_libraries and run CREATE EXTENSION pg_stat_statements"
_EXTENSION: Final = """
SELECT n.nspname FROM pg_catalog.pg_extension e JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace
WHERE e.extname = 'pg_stat_statements'
"""
# One statement of several users is one record; what sqlore itself and tools ask of the catalog is no history.
_POSTGRES: Final = """
SELECT s.query, sum(s.calls)::bigint AS runs, CASE WHEN count(DISTINCT r.rolname) = 1 THEN min(r.rolname) END,
       s.queryid::text
FROM {view} s JOIN pg_catalog.pg_database d ON d.oid = s.dbid
     LEFT JOIN pg_catalog.pg_roles r ON r.oid = s.userid
WHERE d.datname = current_database() AND s.query NOT LIKE '%%/* sqlore */%%'
  AND (s.query = %(hidden)s OR s.query ~* '^[[:space:](]*(--|/[*]|select|with|values|table)')
  AND s.query !~* '(from|join|,)[[:space:](]+"?(pg_|information_schema)|pg_catalog[.]'
GROUP BY s.query, s.queryid ORDER BY runs DESC, s.query LIMIT %(most)s
"""
# A digest has no comments and no user: sqlore's own reading of the catalog is known by its form.
_MYSQL: Final = """
SELECT {text}, SUM(COUNT_STAR) AS runs, NULL, MIN(DIGEST), MAX(LAST_SEEN)
FROM performance_schema.events_statements_summary_by_digest
WHERE SCHEMA_NAME = %(database)s AND DIGEST_TEXT REGEXP '^[[:space:](]*(select|with|values|table)'
  AND DIGEST_TEXT NOT LIKE '%%information_schema%%' AND DIGEST_TEXT NOT LIKE '%%performance_schema%%'
  AND DIGEST_TEXT NOT LIKE 'SELECT ( SELECT COUNT ( * ) FROM %%' AND DIGEST_TEXT NOT LIKE '%%looked_at%%'
  AND DIGEST_TEXT NOT LIKE '%%@@%%' AND DIGEST_TEXT LIKE '%% FROM %%'
GROUP BY {text} ORDER BY runs DESC LIMIT %(most)s
"""
Statement = dict[str, Any]


def postgres_statements(connection: Any) -> list[Statement]:
    """Text, runs and user of each query; needs the extension, and the right to see what others ran.

    Raises `ConnectError` that says which of the two is missing.
    """
    import psycopg

    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL ROLE NONE")  # reading tables is not enough to see statements of others
        found = cursor.execute(_EXTENSION).fetchone()
        if found is None:
            raise ConnectError(_NOT_THERE, hint=_HOW)
        view = '"' + found[0].replace('"', '""') + '".pg_stat_statements'
        try:
            rows = cursor.execute(_POSTGRES.format(view=view), {"hidden": _HIDDEN, "most": MOST}).fetchall()
        except psycopg.errors.ObjectNotInPrerequisiteState:
            raise ConnectError(_NOT_THERE, hint=_HOW) from None
    shown = [row for row in rows if row[0] != _HIDDEN]
    if rows and not shown:
        raise ConnectError(
            "this user may not see what other users ran",
            hint="GRANT pg_read_all_stats TO the user in the URL",
        )
    return [{"sql": sql, "runs": runs, "author": who, "key": key} for sql, runs, who, key in shown]


def mysql_statements(connection: Any, database: str) -> list[Statement]:
    """Text (with its values where the server keeps them), runs and last time of each query.

    Raises `ConnectError` where the server counts no statements.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT @@performance_schema")
        if not cursor.fetchone()[0]:
            raise ConnectError(
                "this server keeps no statements: performance_schema is off",
                hint="start it with performance_schema=ON",
            )
        cursor.execute(
            "SELECT COUNT(*) FROM information_schema.columns WHERE table_schema = 'performance_schema'"
            " AND table_name = 'events_statements_summary_by_digest' AND column_name = 'QUERY_SAMPLE_TEXT'"
        )
        text = "COALESCE(QUERY_SAMPLE_TEXT, DIGEST_TEXT)" if cursor.fetchone()[0] else "DIGEST_TEXT"
        cursor.execute(_MYSQL.format(text=text), {"database": database, "most": MOST})
        rows = cursor.fetchall()
    return [
        {"sql": _filled(sql), "runs": int(runs), "author": who, "key": key, "time": str(last)}
        for sql, runs, who, key, last in rows
    ]


def _filled(sql: str) -> str:
    """A list that the digest shortens, written as one that can be read.

    >>> _filled("SELECT `a` FROM `t` WHERE `b` IN (...)")
    'SELECT `a` FROM `t` WHERE `b` IN (?)'
    """
    return sql.replace("(...)", "(?)").replace("( ... )", "(?)")
