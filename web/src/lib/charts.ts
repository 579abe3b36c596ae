import type { Cell, ResultPage } from "../api/types";

export type ChartForm = "bars" | "line" | "points";

export interface ChartChoice {
  form: ChartForm;
  /** The columns by number: what lies along the chart, and what is measured. */
  along: number;
  measure: number;
}

const MOST_BARS = 40;
const ID = /(^|_)(id|key|code|cd|no|nr|num|number|uid|uuid|zip|plz)$/i;

/** The chart that the shape of a result suggests, or null where a chart says nothing. */
export function suggest(page: ResultPage): ChartChoice | null {
  if (page.fetched < 2) return null;
  const columns = page.columns.map((column, at) => ({ ...column, at }));
  const measures = columns.filter((one) => one.kind === "number" && !ID.test(one.name));
  const measure = measures.at(-1);
  if (!measure) return null;
  const date = columns.find((one) => one.kind === "date" || (one.at !== measure.at && isPeriod(page.rows, one.at)));
  if (date) return { form: "line", along: date.at, measure: measure.at };
  const name = columns.find((one) => one.kind === "text" || one.kind === "boolean");
  if (name) {
    const different = new Set(page.rows.map((row) => row[name.at]));
    return different.size === page.rows.length && page.fetched <= MOST_BARS ? { form: "bars", along: name.at, measure: measure.at } : null;
  }
  const other = measures.find((one) => one.at !== measure.at);
  return other ? { form: "points", along: other.at, measure: measure.at } : null;
}

/** Whether the values are years, months or days. */
export function isPeriod(rows: Cell[][], column: number): boolean {
  const values = rows.map((row) => row[column]).filter((value) => value !== null && value !== undefined);
  return values.length > 1 && values.every((value) => /^(19|20)\d\d(-(0[1-9]|1[0-2]|Q[1-4])(-\d\d)?)?$/.test(String(value)));
}

/** Round steps of an axis from `least` to `most`. */
export function ticks(least: number, most: number, wanted = 5): number[] {
  if (!(most > least)) return [least];
  const raw = (most - least) / wanted;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 2.5, 5, 10].find((one) => one * power >= raw) ?? 10);
  const found: number[] = [];
  for (let at = Math.ceil(least / step); at * step <= most + step * 1e-9; at++) found.push(Number((at * step).toPrecision(12)));
  return found;
}
