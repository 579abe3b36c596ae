"""What a query may be made of: nodes that are harmless, and words, functions and tables that are not.

A kind of node that is not known to be harmless is refused, so that what a new version of the parser
learns to read is not let through unseen. Only for plain functions the list is one of refusals: databases
have thousands of harmless ones, new ones every month, and the families that read files, call out, wait or
change settings are few and known.
"""

from __future__ import annotations

import re
from typing import Final

from sqlglot import exp

from sqlore.errors import UnsafeSql
from sqlore.model import Schema

__all__ = ["STATEMENTS", "node_name", "require_harmless"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


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
#: Words that begin a statement which is no query.
STATEMENTS: Final = _words(
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


def require_harmless(node: exp.Expr, schema: Schema | None) -> None:
    """Raise `UnsafeSql` where one node of a query is something else than reading."""
    if isinstance(node, _DENIED_NODES):
        raise UnsafeSql(f"the function {node_name(node)} is not allowed")
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
        raise UnsafeSql(f"{node_name(node)} is not allowed in a query")


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


def node_name(node: exp.Expr) -> str:
    """DELETE for Delete, TRUNCATE TABLE for TruncateTable."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(node).__name__).upper()
