import type { Cell } from "../api/types";
import type { Part } from "./diff";

const MOST = 1500;

/** Two texts line by line: what both have, what only the first has (`cut`), what only the second has (`new`). */
export function lineDiff(before: string, after: string): Part[] {
  const a = before.split("\n");
  const b = after.split("\n");
  if (a.length > MOST || b.length > MOST) return [{ how: "cut", text: before }, { how: "new", text: after }];
  const common = longest(a, b);
  const parts: Part[] = [];
  const add = (how: Part["how"], line: string) => {
    const last = parts.at(-1);
    if (last?.how === how) last.text += `\n${line}`;
    else parts.push({ how, text: line });
  };
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && same(a[i], b[j])) {
      add("same", b[j++] as string);
      i++;
    } else if (j >= b.length || (i < a.length && at(common, i + 1, j) >= at(common, i, j + 1))) add("cut", a[i++] as string);
    else add("new", b[j++] as string);
  }
  return parts;
}

/** Lines that differ in their space alone are the same. */
function same(a: string | undefined, b: string | undefined): boolean {
  return a?.trim().replace(/\s+/g, " ") === b?.trim().replace(/\s+/g, " ");
}

/** For each pair of places, how many lines the two texts have in common from there on. */
function longest(a: string[], b: string[]): Uint16Array[] {
  const table = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      (table[i] as Uint16Array)[j] = same(a[i], b[j]) ? at(table, i + 1, j + 1) + 1 : Math.max(at(table, i + 1, j), at(table, i, j + 1));
    }
  }
  return table;
}

function at(table: Uint16Array[], i: number, j: number): number {
  return table[i]?.[j] ?? 0;
}

export interface RowsCompared {
  both: number;
  onlyFirst: number;
  onlySecond: number;
  /** The first rows that only one of the two has. */
  examples: { first: Cell[][]; second: Cell[][] };
}

/** Two results as heaps of rows: their order and the names of their columns do not count. */
export function compareRows(first: Cell[][], second: Cell[][], examples = 3): RowsCompared {
  const left = new Map<string, Cell[][]>();
  for (const row of first) left.set(key(row), [...(left.get(key(row)) ?? []), row]);
  let both = 0;
  const extra: Cell[][] = [];
  for (const row of second) {
    const there = left.get(key(row));
    if (there?.pop()) both++;
    else extra.push(row);
  }
  const rest = [...left.values()].flat();
  return { both, onlyFirst: rest.length, onlySecond: extra.length, examples: { first: rest.slice(0, examples), second: extra.slice(0, examples) } };
}

/** A row as text; numbers that differ behind the sixth decimal are the same. */
function key(row: Cell[]): string {
  return JSON.stringify(row.map((one) => (typeof one === "number" ? Number(one.toFixed(6)) : one)));
}
