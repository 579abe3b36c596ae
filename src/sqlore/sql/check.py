"""May this text run: one statement, a query, nothing in it but reading, every name known.

This is the second line. The first is the engine itself, which is read-only whatever the text says. Here
an allow-list decides by the syntax tree: a kind of node that is not known to be harmless is refused, so
that what a new version of the parser learns to read is not let through unseen. Only for plain functions
the list is one of refusals: databases have thousands of harmless ones, new ones every month, and the
families that read files, call out, wait or change settings are few and known.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import ParseError as SqlglotParseError
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from sqlore.errors import NotAQuery, ParseError, SqlError, UnknownName, UnsafeSql
from sqlore.model import Schema
from sqlore.sql.check_names import check_names
from sqlore.sql.failures import plain
from sqlore.sql.tree import quickly_joined

__all__ = ["check_query", "unknown_name"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Deeper brackets make the parser's own recursion overflow the stack of the process.
MAX_DEPTH: Final = 300

# Nodes that are neither a query nor an expression with a value, and do nothing but shape a query.
_CLAUSES: Final[tuple[type[exp.Expr], ...]] = (
    *(exp.Alias, exp.Aliases, exp.TableAlias, exp.Identifier, exp.Star, exp.Table, exp.TableColumn, exp.Var),
    *(exp.With, exp.CTE, exp.RecursiveWithSearch, exp.From, exp.Join, exp.Lateral, exp.Values, exp.Tuple),
    *(exp.Where, exp.PreWhere, exp.Group, exp.Cube, exp.Rollup, exp.GroupingSets, exp.Having, exp.Qualify),
    *(exp.HavingMax, exp.Distinct, exp.Order, exp.Ordered, exp.WithFill, exp.Limit, exp.LimitOptions),
    *(exp.Offset, exp.Fetch, exp.Cluster, exp.Sort, exp.Distribute, exp.TableSample, exp.Pivot),
    *(exp.PivotAlias, exp.PivotAny, exp.UnpivotColumns, exp.WindowSpec, exp.PartitionByExcluding),
    *(exp.Filter, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls, exp.DataType, exp.DataTypeParam),
    *(exp.Interval, exp.IntervalSpan, exp.TimeUnit, exp.ColumnDef, exp.Schema, exp.Lambda, exp.Slice),
    *(exp.National, exp.Introducer, exp.CharacterSet, exp.OnCondition, exp.FormatJson, exp.JSON),
    *(exp.JSONPath, exp.JSONPathPart, exp.JSONKeyValue, exp.JSONColumnDef, exp.JSONSchema, exp.JSONValue),
    *(exp.JSONValueArray, exp.JSONExtractQuote, exp.OpenJSONColumnDef, exp.Comprehension, exp.ForIn),
    *(exp.Connect, exp.Prior, exp.Final, exp.MatchRecognize, exp.MatchRecognizeMeasure, exp.Variadic),
    *(exp.AtTimeZone, exp.AtIndex, exp.TableFromRows, exp.ForClause, exp.XMLKeyValueOption, exp.QueryOption),
    *(exp.WithTableHint, exp.IndexTableHint, exp.Hint, exp.JoinHint, exp.HistoricalData, exp.Version),
    *(exp.OverflowTruncateBehavior, exp.ScopeResolution, exp.FromTimeZone, exp.ProjectionDef, exp.Opclass),
    *(exp.Collate, exp.Semicolon, exp.TranslateCharacters, exp.WithOperator, exp.Nearest),
)
# Functions that the parser knows by name and that read files, call services or change a sequence.
_DENIED_NODES: Final[tuple[type[exp.Expr], ...]] = (
    *(exp.ReadCSV, exp.ReadParquet, exp.ToFile, exp.NextValueFor, exp.Secret, exp.AIClassify, exp.AIAgg),
    *(exp.AIEmbed, exp.AISimilarity, exp.AIGenerate, exp.AISummarizeAgg, exp.AIForecast, exp.MLForecast),
    *(exp.MLTranslate, exp.GenerateText, exp.GenerateTable, exp.GenerateEmbedding, exp.GenerateBool),
    *(exp.GenerateInt, exp.GenerateDouble, exp.Predict, exp.VectorSearch, exp.FeaturesAtTime),
)
_DENIED_FUNCTION: Final = re.compile(
    r"""(?ix)^(?:
        load_extension | fts3_tokenizer | readfile | writefile | edit | sqlite_log        # SQLite
      | read_\w+ | \w+_scan | sniff_csv | glob | getenv | query | query_table | write_log | which_secret
      | parquet_\w+ | enable_\w+ | disable_\w+ | \w*checkpoint | \w+_substrait\w* | getvariable  # DuckDB
      | pg_sleep\w* | pg_read\w* | pg_ls_\w+ | pg_stat_file | pg_file_\w+ | pg_terminate_backend
      | pg_cancel_backend | pg_reload_conf | pg_rotate_logfile | pg_logical_\w+ | pg_create_\w+ | pg_drop_\w+
      | pg_import_\w+ | pg_log_\w+ | pg_start_backup | pg_stop_backup | pg_hba_file_rules | pg_prewarm
      | pg_show_all_file_settings | pg_stat\w*_reset\w* | pg_stat_clear_snapshot | binary_upgrade_\w+
      | autoprewarm\w* | brin_(?:de)?summarize\w* | gin_clean_pending_list | plpgsql_\w+ | plpy\w+
      | ts_stat | ts_rewrite | crosstab\w* | connectby | xpath_table | postgres_fdw_\w+
      | pg_notify | pg_advisory\w* | pg_try_advisory\w* | pg_switch_wal | pg_promote | pg_export_snapshot
      | pg_backup_\w+ | pg_wal_\w+ | pg_replication_\w+ | lo_\w+ | loread | lowrite | dblink\w* | set_config
      | setval | nextval | (?:query|table|cursor|schema|database)_to_xml\w*               # PostgreSQL
      | load_file | sleep | benchmark | \w+_lock | release_all_locks | sys_exec | sys_eval
      | (?:master|source)_pos_wait | (?:master|source|binlog)_gtid\w* | wait_(?:for|until)_\w+
      | sys_get | sys_set | keyring_\w+ | audit_\w+ | service_\w+ | group_replication_\w+     # MySQL
      | openrowset | opendatasource | openquery | openxml | xp_\w+ | sp_\w+               # T-SQL
      | system\$\w+ | get_presigned_url | build_\w+_file_url | complete | ai_\w+ | external_query
      | s3\w* | gcs | hdfs | remote\w* | jdbc | odbc | executable | httpuritype | http_\w+ | java_method
      | reflect\w* | utl_\w+ | dbms_\w+                           # Snowflake, BigQuery, ClickHouse, Oracle
    )$"""
)
# Tables of a server with passwords of its users, or with what stands in its files.
_DENIED_TABLES: Final = _words(
    """
    pg_authid pg_shadow pg_hba_file_rules pg_ident_file_mappings pg_file_settings pg_user_mapping
    pg_user_mappings pg_largeobject mysql.user mysql.global_priv mysql.db mysql.servers mysql.authentication
    mysql.password_history mysql.proxies_priv mysql.general_log mysql.slow_log
    information_schema.user_mapping_options
    """
)
_TABLE_FUNCTIONS: Final = _words(
    """
    explode explode_outer flatten generate_date_array generate_series generate_subscripts
    generate_timestamp_array generator inline json_array_elements json_array_elements_text json_each
    json_each_text json_object_keys json_populate_recordset json_table json_to_recordset json_tree
    jsonb_array_elements jsonb_array_elements_text jsonb_each jsonb_each_text jsonb_object_keys
    jsonb_path_query jsonb_to_recordset numbers openjson posexplode posexplode_outer
    pragma_foreign_key_list pragma_index_info pragma_index_list pragma_table_info pragma_table_xinfo
    range regexp_matches regexp_split_to_table repeat_row sequence split_to_table stack string_split
    string_to_table strtok_split_to_table unnest unpivot values xmltable zeros
    """
)
_STATEMENTS: Final = _words(
    """
    abort alter analyze attach backup begin bulk cache call checkpoint clear close cluster comment commit
    copy create deallocate declare delete deny desc describe detach disable discard do drop enable end
    exec execute explain export fetch flush get go grant handler if import insert install kill list listen
    load lock merge move msck notify open optimize pragma prepare print put reassign refresh reindex
    release remove rename repair replace reset restore revoke rm rollback savepoint set show shutdown
    start summarize truncate uncache undrop unload unlock unset update upsert use vacuum while
    """
)
_FILE_NAME: Final = re.compile(
    r"://|[/\\*]|\.(?:csv|tsv|txt|json|jsonl|ndjson|parquet|arrow|feather|avro|orc|xlsx|gz|zst|db|sqlite|duckdb)$",
    re.IGNORECASE,
)


def check_query(sql: str, dialect: str, schema: Schema | None) -> str:
    """The one statement in `sql`, without comments around it and without a trailing semicolon.

    Raises `ParseError` (it is not SQL), `NotAQuery` (it is, but does not read rows), `UnsafeSql` (several
    statements, or something in it writes, locks, or reaches outside the database), `UnknownName` (a table
    or column that `schema` does not have, with the nearest names; not checked where `schema` is None).

    >>> check_query("-- all of them\\nSELECT 1; -- done", "sqlite", None)
    'SELECT 1'
    >>> check_query("SELECT 1; DROP TABLE t", "sqlite", None)
    Traceback (most recent call last):
    sqlore.errors.UnsafeSql: only one statement is allowed, a second begins with DROP
    """
    language = _dialect(dialect)
    if sql.startswith("\ufeff"):
        sql = f" {sql[1:]}"  # places stay what they are
    if "\0" in sql:
        raise _nul(sql)
    tokens = _one_statement(_tokens(sql, language), sql)
    tree = _parse(tokens, sql, language)
    _require_query(tree, tokens)
    for node in tree.walk():
        _require_harmless(node, schema)
    if schema is not None:
        check_names(tree, dialect, schema, sql)
    return sql[tokens[0].start : tokens[-1].end + 1]


def unknown_name(sql: str, dialect: str, schema: Schema) -> UnknownName | None:
    """What `check_query` says of the first table or column that a schema lacks; None where it has them all,
    or where the text may not run for another reason.

    >>> str(unknown_name("SELECT a FROM t", "sqlite", Schema(())))
    'there is no table t'
    """
    try:
        check_query(sql, dialect, schema)
    except UnknownName as unknown:
        return unknown
    except SqlError:
        pass
    return None


def _nul(sql: str) -> ParseError:
    """The error for a character that no database takes, and that SQLite takes for the end."""
    at = sql.index("\0")
    line, column = sql.count("\n", 0, at) + 1, at - sql.rfind("\n", 0, at)
    return ParseError(
        "there is a NUL character in it", position=at, line=line, column=column, hint="take it out"
    )


def _dialect(name: str) -> Dialect:
    try:
        return Dialect.get_or_raise(name or None)
    except ValueError as error:
        raise ParseError(f"the dialect {name} is not known") from error


def _tokens(sql: str, language: Dialect) -> list[Token]:
    try:
        tokens = language.tokenize(sql)
    except SqlglotError as error:
        raise ParseError(
            "a quote or a comment is opened and never closed",
            hint="check the quotes; double one inside a text",
        ) from error
    if not tokens:
        raise ParseError("there is no SQL in it")
    return tokens


def _one_statement(tokens: list[Token], sql: str) -> list[Token]:
    """The tokens of the only statement; what a comment hides counts only where it could be run."""
    depth = 0
    for token in tokens:
        if any(comment.startswith(("!", "M!")) for comment in token.comments):
            raise _error(UnsafeSql, "a comment that MySQL would run as SQL is not allowed", token)
        if _ESCAPED_NAME.match(sql, token.start):
            raise _error(UnsafeSql, "a name with escapes (U&) is not allowed", token)
        if token.token_type in _OPEN:
            depth += 1
            if depth > MAX_DEPTH:
                raise _error(ParseError, f"brackets are nested more than {MAX_DEPTH} deep", token)
        elif token.token_type in _CLOSE:
            depth -= 1
    ends = [n for n, token in enumerate(tokens) if token.token_type == TokenType.SEMICOLON]
    if not ends:
        return tokens
    first, rest = tokens[: ends[0]], tokens[ends[0] :]
    extra = next((token for token in rest if token.token_type != TokenType.SEMICOLON), None)
    if not first:
        raise _error(ParseError, "there is nothing before the first semicolon", tokens[0])
    if extra is not None:
        word = sql[extra.start : extra.end + 1]
        raise _error(UnsafeSql, f"only one statement is allowed, a second begins with {word}", extra)
    return first


# What PostgreSQL reads as one name is three tokens here, so that nobody would see which name it is.
_ESCAPED_NAME: Final = re.compile(r"[uU]&[\"']")
_OPEN: Final = (TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE, TokenType.CASE)
_CLOSE: Final = (TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE, TokenType.END)


def _error(kind: type[SqlError], message: str, token: Token, hint: str | None = None) -> SqlError:
    """An error at the start of a token (the tokenizer counts the column at its end)."""
    column = token.col - (token.end - token.start)
    return kind(message, position=token.start, line=token.line, column=column, hint=hint)


def _parse(tokens: list[Token], sql: str, language: Dialect) -> exp.Expr:
    first = tokens[0]
    word = sql[first.start : first.end + 1].lower()
    if word in _STATEMENTS:
        raise _error(NotAQuery, f"{word.upper()} is not a query", first, "only a SELECT may run")
    try:
        trees = language.parser().parse(quickly_joined(tokens), sql)
    except SqlglotParseError as error:
        for token, following in pairwise(tokens):
            if token.token_type == TokenType.INTO and following.text.upper() in _INTO_FILES:
                raise _error(UnsafeSql, f"INTO {following.text.upper()} writes a file", token) from error
        raise _parse_error(error) from error
    except SqlglotError as error:
        raise ParseError(plain(str(error))) from error
    except RecursionError as error:
        raise ParseError("it is nested too deeply to be read") from error
    tree = trees[0] if trees else None
    if tree is None:
        raise ParseError("there is no SQL in it")
    return tree


_INTO_FILES: Final = frozenset({"OUTFILE", "DUMPFILE"})


def _parse_error(error: SqlglotParseError) -> ParseError:
    found = error.errors[0] if error.errors else {}
    near = str(found.get("highlight") or "").strip()
    message = plain(str(found.get("description") or error))
    return ParseError(
        f"{message} near {near!r}" if near else message,
        line=found.get("line"),
        column=found.get("col") and max(1, found["col"] - len(near) + 1),
    )


def _require_query(tree: exp.Expr, tokens: list[Token]) -> None:
    """The root is a query; an empty list of columns, which the parser lets pass, is an error."""
    root = tree
    while isinstance(root, (exp.Subquery, exp.Paren)):
        root = root.this
    if isinstance(root, (exp.Select, exp.SetOperation, exp.Values, exp.Pivot, exp.Table)):
        for select in tree.find_all(exp.Select):
            if not select.expressions and not select.args.get("kind"):
                raise _error(ParseError, "a SELECT names nothing to select", tokens[0])
        return
    if isinstance(root, exp.Condition):
        raise _error(ParseError, f"it does not begin like a query: {tokens[0].text!r}", tokens[0])
    raise _error(NotAQuery, f"{_name(root)} is not a query", tokens[0], "only a SELECT may run")


def _name(node: exp.Expr) -> str:
    """DELETE for Delete, TRUNCATE TABLE for TruncateTable."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(node).__name__).upper()


def _require_harmless(node: exp.Expr, schema: Schema | None) -> None:
    if isinstance(node, _DENIED_NODES):
        raise UnsafeSql(f"the function {_name(node)} is not allowed")
    if isinstance(node, exp.Table):
        _require_table(node, schema)
    elif isinstance(node, (exp.Lateral, exp.TableFromRows)) and isinstance(node.this, exp.Func):
        _require_table_function(node.this)
    elif isinstance(node, exp.Dot) and isinstance(node.expression, exp.Func):
        if _DENIED_FUNCTION.match(node.this.name):  # a package of Oracle: utl_http.request
            raise UnsafeSql(f"the function {node.this.name}.{node.expression.name} is not allowed")
    elif node.args.get("settings"):
        raise UnsafeSql("a query may not change settings")
    elif isinstance(node, exp.PropertyEQ):
        if isinstance(node.this, (exp.Parameter, exp.SessionParameter)):
            raise UnsafeSql("a query may not set a variable")
    elif isinstance(node, exp.WithTableHint):
        hint = node.sql().upper()
        if "LOCK" in hint.replace("NOLOCK", ""):
            raise UnsafeSql(f"a query may not lock what it reads: {hint}")
    elif isinstance(node, (exp.Anonymous, exp.AnonymousAggFunc)):
        name = str(node.name).lower()
        if _DENIED_FUNCTION.match(name) and name not in _TABLE_FUNCTIONS and not _is_glob(node, name):
            raise UnsafeSql(f"the function {name} is not allowed")
    elif not isinstance(node, (exp.Condition, exp.Query, *_CLAUSES)):
        raise UnsafeSql(f"{_name(node)} is not allowed in a query")


def _is_glob(node: exp.Expr, name: str) -> bool:
    """`glob(pattern, text)` of SQLite compares; `glob(pattern)` of DuckDB lists files."""
    return name == "glob" and len(node.expressions) == 2


def _require_table(node: exp.Table, schema: Schema | None) -> None:
    """A name, or a function that only makes rows of its arguments; never a file, a stage or a service."""
    source = node.this
    if isinstance(source, (exp.Identifier, exp.Dot)):
        name = node.name
        if {name.lower(), f"{node.db}.{name}".lower()} & _DENIED_TABLES and (
            schema is None or schema.table(name) is None
        ):
            raise UnsafeSql(f"reading the table {name} is not allowed", position=source.meta.get("start"))
        if _FILE_NAME.search(name) and (schema is None or schema.table(name) is None):
            raise UnsafeSql(f"reading the file {name} is not allowed", position=source.meta.get("start"))
        return
    if isinstance(source, exp.Func):
        _require_table_function(source)
        return
    if isinstance(source, (exp.Query, exp.Values, exp.Pivot, exp.TableFromRows)):
        return
    raise UnsafeSql(f"reading from {node.sql()} is not allowed")


def _require_table_function(source: exp.Func) -> None:
    name = (source.name if isinstance(source, exp.Anonymous) else source.sql_name()).lower()
    if name not in _TABLE_FUNCTIONS and not isinstance(source, (exp.UDTF, exp.GenerateSeries)):
        raise UnsafeSql(f"the table function {name} is not allowed")
