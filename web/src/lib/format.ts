import type { Cell } from "../api/types";

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const exact = new Intl.NumberFormat("en", { maximumFractionDigits: 6 });

/** A count: 12143 as 12,143. */
export function count(number: number): string {
  return whole.format(number);
}

/** "1 row", "12,143 rows". */
export function many(number: number, one: string, more = `${one}s`): string {
  return `${count(number)} ${number === 1 ? one : more}`;
}

/** A value as a grid shows it; identifiers keep their digits as they are. */
export function cell(value: Cell | undefined): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return Number.isInteger(value) ? String(value) : exact.format(value).replaceAll(",", "");
  return String(value);
}

/** How many decimals the numbers of a column need, six at most: its points stand below each other. */
export function decimals(rows: Cell[][], column: number): number {
  let most = 0;
  for (const row of rows) {
    const value = row[column];
    if (typeof value === "number" && !Number.isInteger(value)) most = Math.max(most, (cell(value).split(".")[1] ?? "").length);
  }
  return Math.min(6, most);
}

/** A value for reading, with thousands set apart. */
export function readable(value: Cell | undefined): string {
  if (value === null || value === undefined) return "NULL";
  return typeof value === "number" ? exact.format(value) : String(value);
}

/** How long something took. */
export function took(seconds: number): string {
  if (seconds < 0.001) return "under 1 ms";
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

/** A moment as people say it; the exact one belongs in a title. */
export function ago(moment: string, now: number = Date.now()): string {
  const seconds = Math.max(0, (now - Date.parse(moment)) / 1000);
  if (!Number.isFinite(seconds)) return moment;
  if (seconds < 60) return "just now";
  if (seconds < 3600) return many(Math.floor(seconds / 60), "minute") + " ago";
  if (seconds < 86_400) return many(Math.floor(seconds / 3600), "hour") + " ago";
  if (seconds < 30 * 86_400) return many(Math.floor(seconds / 86_400), "day") + " ago";
  return new Date(moment).toLocaleDateString("en", { year: "numeric", month: "short", day: "numeric" });
}

/** The first letter large: descriptions come as parts of a sentence. */
export function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Rows as tab-separated text, as spreadsheets take it. */
export function tsv(rows: Cell[][]): string {
  return rows.map((row) => row.map((one) => cell(one).replace(/[\t\n\r]+/g, " ")).join("\t")).join("\n");
}
