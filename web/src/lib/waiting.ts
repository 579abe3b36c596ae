import type { ModelEvent } from "../api/types";
import { count } from "./format";

const DOES: Record<ModelEvent["phase"], string> = {
  waits: "The model answers another question first",
  loads: "The model is loaded",
  asked: "The model was asked and has not begun to write",
  reads: "The model reads the question with its context",
  writes: "The model writes",
};

/** What the model is at, with its figures. */
export function modelWords({ phase, done, total }: ModelEvent): string {
  if (phase === "reads" && total) return `${DOES.reads}: ${count(done ?? 0)} of ${count(total)} tokens`;
  if (phase === "writes") return `${DOES.writes}: ${count(done ?? 0)} ${done === 1 ? "token" : "tokens"}`;
  return DOES[phase];
}

/** When it is given up; empty where there is no limit. */
export function limitWords({ limit, still }: ModelEvent): string {
  if (limit == null) return "";
  return `It is given up after ${count(limit)} s${still ? " without progress" : ""}; see “Patience with the model” in the settings.`;
}

/** Elapsed time: 7 s, 1 min 15 s. */
export function elapsed(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
