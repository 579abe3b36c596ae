import type { Kind, Status } from "../api/types";
import { type TokenType, tokens } from "./sql";

/** A piece of knowledge in the text. Offsets are those of JavaScript. */
export interface Mark {
  id: string;
  start: number;
  end: number;
  kind: Kind;
  status: Status | null;
  support: number;
  /** How many of the scripts have the value that stands here; null where all of them do. */
  used?: number | null;
  /** Where it is near: how alike the most similar piece of the history is, from 0 to 1, and what that says. */
  similarity?: number;
  like?: string;
}

/** A run of characters of one line that looks the same: one token, inside the same marks. */
export interface Segment {
  text: string;
  type: TokenType;
  /** The marks around it, the widest first. */
  marks: string[];
  kind: Kind | null;
}

export interface Line {
  number: number;
  start: number;
  segments: Segment[];
  /** Marks that begin on this line. */
  begins: Mark[];
}

/** The text cut into lines and those into segments. Marks may lie within each other. */
export function lines(sql: string, marks: readonly Mark[]): Line[] {
  const ordered = [...marks].sort((a, b) => a.start - b.start || b.end - a.end);
  const cuts = [...new Set(ordered.flatMap((mark) => [mark.start, mark.end]))].sort((a, b) => a - b);
  const found: Line[] = [{ number: 1, start: 0, segments: [], begins: [] }];
  const open = new Sweep(ordered);
  let cut = 0;
  for (const token of tokens(sql)) {
    let from = token.start;
    while (from < token.end) {
      while (cut < cuts.length && (cuts[cut] as number) <= from) cut++;
      const newline = sql.indexOf("\n", from);
      const stops = [token.end, cuts[cut] ?? token.end, newline >= 0 ? Math.max(newline, from + Number(newline === from)) : token.end];
      const to = Math.min(...stops);
      const around = open.at(from);
      if (newline === from) {
        found.push({ number: found.length + 1, start: from + 1, segments: [], begins: [] });
      } else {
        found.at(-1)?.segments.push({
          text: sql.slice(from, to),
          type: token.type,
          marks: around.map((mark) => mark.id),
          kind: around.at(-1)?.kind ?? null,
        });
      }
      from = to;
    }
  }
  begin(found, ordered);
  return found;
}

/** The innermost mark at an offset. */
export function markAt(marks: readonly Mark[], offset: number): Mark | null {
  let best: Mark | null = null;
  for (const mark of marks) {
    if (mark.start <= offset && offset < mark.end && (best === null || mark.end - mark.start <= best.end - best.start)) {
      best = mark;
    }
  }
  return best;
}

/** Which marks are open while one goes through a text from its beginning. */
class Sweep {
  private open: Mark[] = [];
  private next = 0;

  constructor(private readonly ordered: readonly Mark[]) {}

  at(offset: number): Mark[] {
    if (this.open.some((mark) => mark.end <= offset)) this.open = this.open.filter((mark) => mark.end > offset);
    while (this.next < this.ordered.length && (this.ordered[this.next] as Mark).start <= offset) {
      const mark = this.ordered[this.next++] as Mark;
      if (mark.end > offset) this.open.push(mark);
    }
    return this.open;
  }
}

function begin(found: Line[], ordered: readonly Mark[]): void {
  let at = 0;
  for (const mark of ordered) {
    while (at + 1 < found.length && (found[at + 1] as Line).start <= mark.start) at++;
    (found[at] as Line).begins.push(mark);
  }
}
