import type { DraftSummary } from "../../api/types";

const DAY = 86_400_000;

/** Drafts under the days they were changed on; the order stays. */
export function byDay(drafts: DraftSummary[], now: Date = new Date()): [string, DraftSummary[]][] {
  const days = new Map<string, DraftSummary[]>();
  for (const draft of drafts) {
    const day = nameOf(new Date(draft.changed), now);
    days.set(day, [...(days.get(day) ?? []), draft]);
  }
  return [...days];
}

/** A day as people say it, by the calendar of the place. */
function nameOf(moment: Date, now: Date): string {
  const midnight = (date: Date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
  const days = Math.round((midnight(now) - midnight(moment)) / DAY);
  if (days <= 0) return "Today";
  if (days === 1) return "Yesterday";
  if (days < 7) return moment.toLocaleDateString("en", { weekday: "long" });
  return moment.toLocaleDateString("en", { month: "long", year: "numeric" });
}
