import { useCallback, useEffect, useRef } from "react";
import { api, ok, problemOf } from "../../api/client";
import { listen } from "../../api/events";
import type { Example, ExampleState } from "../../api/types";
import { useLoaded } from "../../lib/load";
import { useApp } from "../../state/app";

const MOST = 500;

export interface Decision {
  state: ExampleState;
  question?: string;
  sql?: string;
}

interface Undo {
  key: string;
  before: Example;
}

/** The examples that fit, and what can be said of one: it is kept at once, and learned by a job that is listened to. */
export function useExamples(text: string, said: ExampleState | null) {
  const loaded = useLoaded(async (signal) => {
    if (text) await new Promise((done) => setTimeout(done, 200));
    signal.throwIfAborted();
    return ok(api.GET("/api/examples", { params: { query: { text, said, limit: MOST } }, signal }));
  }, [text, said]);
  const { load, say } = useApp();
  const again = useRef(loaded.again);
  again.current = loaded.again;
  const heard = useRef(new Map<string, () => void>());
  const last = useRef<Undo | null>(null);
  useEffect(() => {
    const stops = heard.current;
    return () => stops.forEach((stop) => stop());
  }, []);

  const hear = useCallback((job: string) => {
    if (heard.current.has(job)) return; // one job learns several decisions
    heard.current.set(job, listen(job, {
      problem: ({ problem }) => say(`It is kept, but was not learned: ${problem.detail}`, "bad"),
      end: () => {
        again.current();
        void load();
      },
    }));
  }, [load, say]);

  /** Says something of an example. Throws where it is refused. */
  const decide = useCallback(async (example: Example, decision: Decision): Promise<Example> => {
    const body = { version: example.version, ...decision };
    const answer = await ok(api.PUT("/api/examples/{key}", { params: { path: { key: example.key } }, body }));
    if (answer.job) hear(answer.job.id);
    again.current();
    last.current = { key: example.key, before: example };
    return answer.example;
  }, [hear]);

  /** Takes the last decision back; false where there is none. */
  const undo = useCallback((shown: (key: string) => void): boolean => {
    const undone = last.current;
    if (!undone) return false;
    last.current = null;
    const { key, before } = undone;
    const state = before.state === "missing" ? "waiting" : before.state;
    const body = { state, question: before.question, sql: before.sql };
    ok(api.PUT("/api/examples/{key}", { params: { path: { key } }, body })).then((answer) => {
      if (answer.job) hear(answer.job.id);
      again.current();
      shown(key);
    }, (error) => say(problemOf(error).detail, "bad"));
    return true;
  }, [hear, say]);
  return { ...loaded, decide, undo };
}
