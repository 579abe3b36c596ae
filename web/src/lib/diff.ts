import type { Proposal } from "../api/types";
import { unitsOf } from "./offsets";

export interface Part {
  how: "same" | "cut" | "new" | "gap";
  text: string;
}

const AROUND = 2;

/** A proposed change as parts of text: what stays, what goes, what comes. Lines far from any change are left out. */
export function partsOf(change: Pick<Proposal, "before" | "after" | "spans">): Part[] {
  const before = unitsOf(change.before);
  const after = unitsOf(change.after);
  const parts: Part[] = [];
  let from = 0;
  const spans = [...change.spans].sort((a, b) => (a[0] ?? 0) - (b[0] ?? 0));
  for (const [start = 0, end = 0, startAfter = 0, endAfter = 0] of spans) {
    parts.push({ how: "same", text: change.before.slice(from, before(start)) });
    parts.push({ how: "cut", text: change.before.slice(before(start), before(end)) });
    parts.push({ how: "new", text: change.after.slice(after(startAfter), after(endAfter)) });
    from = before(end);
  }
  parts.push({ how: "same", text: change.before.slice(from) });
  const kept = parts.filter((part) => part.text !== "");
  return kept.flatMap((part, at) => (part.how === "same" ? shortened(part.text, at > 0, at < kept.length - 1) : [part]));
}

/** The lines next to a change; `above` and `below` say on which sides there is one. */
function shortened(text: string, above: boolean, below: boolean): Part[] {
  const rows = text.split("\n");
  const head = above ? AROUND + 1 : 0;
  const tail = below ? AROUND + 1 : 0;
  if (rows.length <= head + tail + 1) return [{ how: "same", text }];
  const left = rows.length - head - tail;
  const parts: Part[] = [];
  if (head > 0) parts.push({ how: "same", text: rows.slice(0, head).join("\n") + "\n" });
  parts.push({ how: "gap", text: `${left} ${left === 1 ? "line" : "lines"} as before` });
  if (tail > 0) parts.push({ how: "same", text: "\n" + rows.slice(-tail).join("\n") });
  return parts;
}
