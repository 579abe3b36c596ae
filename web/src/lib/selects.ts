/** What the last SELECT of a query lists, and what the query is ordered by first; read from its text. */
export interface Listed {
  items: string[];
  order: string | null;
}

const WORD = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?\*\/|[\w$]+|[(),]/g;
const BEHIND = new Set(["FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "UNION", "EXCEPT", "INTERSECT", "WINDOW", "QUALIFY"]);

export function listed(sql: string): Listed {
  let depth = 0;
  let from = -1; // where the item that is being read began
  let items: string[] = [];
  let order = -1;
  let end = sql.length;
  for (const found of sql.matchAll(WORD)) {
    const word = found[0].toUpperCase();
    const at = found.index;
    if (word === "(") depth++;
    else if (word === ")") depth--;
    else if (depth > 0) continue;
    else if (word === "SELECT") {
      items = [];
      from = at + 6;
      order = -1;
    } else if (word === "DISTINCT" && from >= 0 && items.length === 0 && sql.slice(from, at).trim() === "") from = at + 8;
    else if (word === "BY" && order === -2) order = at + 2;
    else if (from >= 0 && (word === "," || BEHIND.has(word))) {
      items.push(sql.slice(from, at).trim());
      from = word === "," ? at + 1 : -1;
      if (word === "ORDER") order = -2;
    } else if (word === "ORDER") order = -2;
    else if (order >= 0 && (word === "," || word === "LIMIT" || word === "OFFSET" || word === "FETCH")) {
      end = at;
      break;
    }
  }
  if (from >= 0) items.push(sql.slice(from).trim());
  const key = order >= 0 ? sql.slice(order, end).replace(/\s+(ASC|DESC)?(\s+NULLS\s+(FIRST|LAST))?\s*;?\s*$/i, "").trim() : null;
  return { items, order: key };
}

/** An item of a SELECT list without its alias, written in one way. */
function bare(item: string): string {
  return item.replace(/\s+AS\s+\S+$/i, "").replace(/\s+/g, " ").trim().toLowerCase();
}

/** Whether an item is more than a column. */
function computed(item: string): boolean {
  return /[(+*/|-]/.test(bare(item).replace(/"[^"]*"|`[^`]*`|\[[^\]]*\]/g, "x"));
}

/** The columns of a result by number: the one that the query orders by first, and those that it computes. */
export function rolesOf(sql: string, names: readonly string[]): { ordered: number | null; computed: number[] } {
  const { items, order } = listed(sql);
  const whole = items.length === names.length ? items : [];
  const key = order?.replace(/^["`[]|["`\]]$/g, "").replace(/\s+/g, " ").toLowerCase() ?? "";
  let ordered = key === "" ? -1 : names.findIndex((name) => name.toLowerCase() === key);
  if (ordered < 0 && /^\d+$/.test(key)) ordered = Number(key) - 1;
  if (ordered < 0 && key !== "") ordered = whole.findIndex((item) => bare(item) === key);
  return {
    ordered: ordered >= 0 && ordered < names.length ? ordered : null,
    computed: whole.flatMap((item, at) => (computed(item) ? [at] : [])),
  };
}
