/** What a piece of SQL text is, for colour alone; it is no parser. */
export type TokenType = "keyword" | "function" | "string" | "number" | "comment" | "name" | "sign" | "space";

export interface Token {
  type: TokenType;
  start: number;
  end: number;
}

const KEYWORDS = new Set(
  (
    "all and any as asc between by case cast collate cross current current_date current_time current_timestamp date day " +
    "desc distinct else end escape except exists false fetch filter first following for from full glob group grouping " +
    "having ilike in inner intersect interval into is isnull join last lateral left like limit natural next not notnull " +
    "null nulls offset on only or order outer over partition preceding qualify range recursive right row rows select " +
    "semi sets similar some table tablesample then ties to top true unbounded union unnest using values when where " +
    "window with within"
  ).split(" "),
);

/** The words that a query in SQLite can have. */
export const SQLITE_WORDS =
  "all and as asc between by case cast collate cross current current_date current_time current_timestamp desc distinct else end " +
  "escape except exclude exists filter first following from full glob group groups having in indexed inner intersect is isnull join " +
  "last left like limit match materialized natural not notnull null nulls offset on or order others outer over partition preceding " +
  "range recursive regexp right row rows select then ties unbounded union using values when where window with";

// One alternative for each type, in the order of the groups below.
const PATTERN =
  /(--[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|('(?:[^']|'')*'?|\$\$[\s\S]*?\$\$)|("(?:[^"]|"")*"?|`[^`]*`?|\[[^\]\n]*\])|(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\.\d+)|([\p{L}_][\p{L}\p{N}_$]*)|(\s+)|([\s\S])/gu;

/** The tokens of a text, in order and without gaps. */
export function tokens(sql: string): Token[] {
  const found: Token[] = [];
  for (const match of sql.matchAll(PATTERN)) {
    const start = match.index;
    const end = start + match[0].length;
    found.push({ type: typeOf(match, sql, end), start, end });
  }
  return found;
}

function typeOf(match: RegExpMatchArray, sql: string, end: number): TokenType {
  if (match[1] !== undefined) return "comment";
  if (match[2] !== undefined) return "string";
  if (match[3] !== undefined) return "name";
  if (match[4] !== undefined) return "number";
  if (match[5] !== undefined) {
    const call = sql[end] === "(";
    if (KEYWORDS.has(match[5].toLowerCase()) && !(call && match[5].toLowerCase() === "date")) return "keyword";
    return call ? "function" : "name";
  }
  return match[6] !== undefined ? "space" : "sign";
}

/** Whether what was typed is a query and no question. */
export function looksLikeSql(text: string): boolean {
  const bare = text.replace(/--[^\n]*(\n|$)|\/\*[\s\S]*?\*\//g, " ").trim();
  return /^select\s[\s\S]*\sfrom\s/i.test(bare) || /^with\s+(recursive\s+)?["\w]+\s*(\([^)]*\)\s*)?as\s*(not\s+|materialized\s*)*\(/i.test(bare);
}
