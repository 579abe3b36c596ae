import type { ExplainedItem } from "../api/types";

/** The pieces of a part that are shown: the links of a FROM clause lie inside it until it, or one of them, is chosen. */
export function unfolded(items: readonly ExplainedItem[], chosen: string | null): ExplainedItem[] {
  const whole = items.some((one) => one.kind === "relation" && one.form === "clause");
  const open = items.some((one) => one.id === chosen && one.kind === "relation");
  return items.filter((one) => !whole || open || one.form !== "edge");
}

/** Whether words say the SQL itself, so that it need not be shown below them again. */
export function says(words: string, sql: string): boolean {
  const plain = (text: string) => text.replace(/\s+/g, " ").trim().toLowerCase();
  return sql.trim() !== "" && plain(words).includes(plain(sql));
}
