import type { Cell, ResultPage } from "../api/types";
import { isCode } from "./format";
import { rolesOf } from "./selects";

export type ChartForm = "bars" | "line" | "points" | "spread";

export interface ChartChoice {
  form: ChartForm;
  /** The columns by number: what lies along the chart, and what is measured. */
  along: number;
  measure: number;
  /** The column whose values are drawn apart from each other. */
  series?: number | undefined;
}

export interface Point {
  label: string;
  along: number;
  value: number;
}

export interface Series {
  name: string;
  points: Point[];
}

const MOST_BARS = 40;
const MOST_SERIES = 8;
const LEAST_SPREAD = 20;

/** The chart that the shape of a result suggests, or null where a chart says nothing. */
export function suggest(page: ResultPage): ChartChoice | null {
  if (page.fetched < 2) return null;
  const columns = page.columns.map((column, at) => ({ ...column, at }));
  const measures = columns.filter((one) => one.kind === "number" && !isCode(one.name));
  const roles = rolesOf(page.sql, page.columns.map((one) => one.name));
  const measure = measures.find((one) => one.at === roles.ordered) ?? measures.find((one) => roles.computed.includes(one.at)) ?? measures.at(-1);
  if (!measure) return null;
  const { rows } = page;
  const date = columns.find((one) => one.kind === "date" || (one.at !== measure.at && isPeriod(rows, one.at)));
  if (date) {
    const line: ChartChoice = { form: "line", along: date.at, measure: measure.at };
    if (different(rows, date.at) === rows.length) return line;
    const apart = columns.find((one) => one.kind === "text" && one.at !== date.at && different(rows, one.at) <= MOST_SERIES && unique(rows, date.at, one.at));
    return apart ? { ...line, series: apart.at } : null;
  }
  const name = columns.find((one) => one.kind === "text" || one.kind === "boolean");
  if (name) {
    return different(rows, name.at) === rows.length && page.fetched <= MOST_BARS ? { form: "bars", along: name.at, measure: measure.at } : null;
  }
  const other = measures.find((one) => one.at !== measure.at);
  if (other) return { form: "points", along: other.at, measure: measure.at };
  return page.fetched >= LEAST_SPREAD ? { form: "spread", along: measure.at, measure: measure.at } : null;
}

function different(rows: Cell[][], column: number): number {
  return new Set(rows.map((row) => row[column])).size;
}

function unique(rows: Cell[][], one: number, other: number): boolean {
  return new Set(rows.map((row) => JSON.stringify([row[one], row[other]]))).size === rows.length;
}

/** What a chart draws: the rows with a number in the measure, apart where that is wanted, in the order of the chart. */
export function seriesOf(rows: Cell[][], choice: ChartChoice, text: (value: Cell | undefined) => string): Series[] {
  const apart = new Map<string, { along: Cell | undefined; value: number }[]>();
  for (const row of rows) {
    const value = row[choice.measure];
    if (typeof value !== "number" || !Number.isFinite(value)) continue;
    const name = choice.series === undefined ? "" : text(row[choice.series]);
    const mine = apart.get(name) ?? [];
    mine.push({ along: row[choice.along], value });
    apart.set(name, mine);
  }
  const names = [...apart.keys()];
  const shown = names.length > MOST_SERIES ? names.slice(0, MOST_SERIES) : names;
  const ranks = rankOf(shown.flatMap((name) => apart.get(name) ?? []).map((one) => text(one.along)), choice.form === "line");
  return shown.map((name) => {
    const points = (apart.get(name) ?? []).map(({ along, value }, at) => {
      const label = text(along);
      if (choice.form === "points" && typeof along === "number") return { label, along, value };
      return { label, along: choice.form === "line" ? (ranks.get(label) ?? at) : at, value };
    });
    if (choice.form === "line") points.sort((a, b) => a.along - b.along);
    return { name, points };
  });
}

/** The place of each label along an axis: in its order as text and number, or as it came. */
function rankOf(labels: string[], sorted: boolean): Map<string, number> {
  const all = [...new Set(labels)];
  if (sorted) all.sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  return new Map(all.map((label, at) => [label, at]));
}

/** How often values fall between round bounds, for a distribution. */
export function bins(values: readonly number[], wanted = 18): { from: number; to: number; count: number }[] {
  if (values.length === 0) return [];
  const least = values.reduce((a, b) => Math.min(a, b));
  const most = values.reduce((a, b) => Math.max(a, b));
  const [first = least, second] = ticks(least, most, wanted);
  if (second === undefined) return [{ from: least, to: most, count: values.length }];
  const step = second - first;
  const start = Math.floor(least / step + 1e-9);
  const found = Array.from({ length: Math.max(1, Math.floor(most / step + 1e-9) - start + 1) }, (_, at) => ({
    from: Number(((start + at) * step).toPrecision(12)), to: Number(((start + at + 1) * step).toPrecision(12)), count: 0,
  }));
  for (const value of values) {
    const bin = found[Math.min(found.length - 1, Math.floor(value / step + 1e-9) - start)];
    if (bin) bin.count++;
  }
  return found;
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
