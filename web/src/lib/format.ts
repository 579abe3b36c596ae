import type { Cell } from "../api/types";

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

/** A count: 12143 as 12,143. */
export function count(number: number): string {
  return whole.format(number);
}

/** "1 row", "12,143 rows". */
export function many(number: number, one: string, more = `${one}s`): string {
  return `${count(number)} ${number === 1 ? one : more}`;
}

/** A value as it is, to be copied: a number with all digits that it has, without separators. */
export function cell(value: Cell | undefined): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(15)));
  return String(value);
}

/** How the numbers of a column are shown. */
export interface NumberStyle {
  /** Whether thousands are set apart: those of a measure are, those of a year or an identifier are not. */
  grouped: boolean;
  /** The most decimals that are shown. */
  digits: number;
}

const CODE = /(^|[\s_.])(id|key|code|cd|no|nr|num|number|uid|uuid|zip|plz|phone|year|jahr)$/i;
const CAMEL_CODE = /[a-z](Id|ID|Key|Code|Year)$/;

/** Whether a column is one of identifiers, codes or years, by its name. */
export function isCode(name: string): boolean {
  return CODE.test(name) || CAMEL_CODE.test(name);
}

/** One style for all numbers of a column; where values are large, decimals that nobody reads are left out. */
export function styleOf(values: readonly (Cell | undefined)[], name = ""): NumberStyle {
  let most = 0;
  let needed = 0;
  for (const value of values) {
    if (typeof value !== "number") continue;
    most = Math.max(most, Math.abs(value));
    needed = Math.max(needed, (cell(value).split(/[.e]/)[1] ?? "").length);
  }
  return { grouped: !isCode(name), digits: Math.min(needed, most >= 1000 ? 2 : most >= 1 ? 4 : 6) };
}

/** A value as it is shown: no decimal is invented, and a number that rounds to nothing keeps its first digits. */
export function shown(value: Cell | undefined, style: NumberStyle): string {
  if (typeof value !== "number") return cell(value);
  if (Number.isInteger(value)) return style.grouped ? formatter(0).format(value) : String(value);
  if (value !== 0 && Math.abs(value) < 0.5 * 10 ** -style.digits) return String(Number(value.toPrecision(3)));
  const text = formatter(style.digits).format(value);
  return style.grouped ? text : text.replaceAll(",", "");
}

const formatters = new Map<number, Intl.NumberFormat>();

function formatter(digits: number): Intl.NumberFormat {
  const known = formatters.get(digits) ?? new Intl.NumberFormat("en", { maximumFractionDigits: digits });
  formatters.set(digits, known);
  return known;
}

/** What stands unseen behind a number, so that the points of a column lie below each other. */
export function padOf(text: string, digits: number): string {
  const decimals = text.split(".")[1]?.length ?? 0;
  if (digits === 0 || decimals >= digits) return "";
  return (decimals === 0 ? "." : "") + "0".repeat(digits - decimals);
}

/** A value for reading, with thousands set apart; `style` is that of its column. */
export function readable(value: Cell | undefined, style: NumberStyle = styleOf([value])): string {
  return value === null || value === undefined ? "NULL" : shown(value, style);
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
