import type { LoggedEvent } from "../api/types";

export const PHASES = ["prompting", "structure", "inspection", "refinement"] as const;
export type Phase = (typeof PHASES)[number];

export interface Segment {
  phase: Phase;
  /** Seconds since the draft's first event. */
  start: number;
  end: number;
  actions: string[];
}

export interface Timeline {
  draft: string;
  baseline: boolean;
  seconds: number;
  segments: Segment[];
}

const IDLE = 120;
const LAST = 5;

/**
 * What somebody did about each draft, as segments of one phase: a segment lasts until the next event of another phase,
 * but not longer than two idle minutes behind its own last event.
 */
export function timelines(events: readonly LoggedEvent[]): Timeline[] {
  const drafts = new Map<string, LoggedEvent[]>();
  for (const event of events) {
    if (!event.draft || !(PHASES as readonly string[]).includes(event.phase)) continue;
    const mine = drafts.get(event.draft);
    if (mine) mine.push(event);
    else drafts.set(event.draft, [event]);
  }
  return [...drafts].map(([draft, mine]) => timeline(draft, mine));
}

/** When what an event tells of began: typing is told when it is over, with the seconds that it took. */
function began(event: LoggedEvent): number {
  const seconds = event.detail?.seconds;
  return Date.parse(event.time) - (typeof seconds === "number" && seconds > 0 ? seconds * 1000 : 0);
}

function timeline(draft: string, events: LoggedEvent[]): Timeline {
  const ordered = events.map((event) => ({ event, time: began(event) })).sort((a, b) => a.time - b.time);
  const zero = ordered[0]?.time ?? 0;
  const segments: Segment[] = [];
  for (const [at, { event, time }] of ordered.entries()) {
    const start = (time - zero) / 1000;
    const next = ordered[at + 1];
    const until = next ? (next.time - zero) / 1000 : start + LAST;
    const told = (Date.parse(event.time) - zero) / 1000;
    const end = Math.min(until, Math.max(told, start + IDLE));
    const before = segments.at(-1);
    if (before && before.phase === event.phase && start - before.end < 1) {
      before.end = end;
      before.actions.push(event.action);
    } else segments.push({ phase: event.phase as Phase, start, end, actions: [event.action] });
  }
  return { draft, baseline: events.some((event) => event.baseline), seconds: segments.at(-1)?.end ?? 0, segments };
}

export interface PhaseMeans {
  baseline: boolean;
  drafts: number;
  seconds: Record<Phase, number>;
}

/** How long a draft took on average in each phase, with the history and without it. */
export function phaseMeans(lines: readonly Timeline[]): PhaseMeans[] {
  return [false, true].flatMap((baseline) => {
    const mine = lines.filter((line) => line.baseline === baseline);
    if (mine.length === 0) return [];
    const spent = (phase: Phase) => mine.flatMap((line) => line.segments).filter((one) => one.phase === phase).reduce((sum, one) => sum + one.end - one.start, 0);
    const seconds = Object.fromEntries(PHASES.map((phase) => [phase, spent(phase) / mine.length])) as Record<Phase, number>;
    return [{ baseline, drafts: mine.length, seconds }];
  });
}
