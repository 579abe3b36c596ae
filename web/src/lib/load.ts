import { useCallback, useEffect, useState } from "react";
import { isAbort, problemOf } from "../api/client";
import type { Problem } from "../api/types";

export interface Loaded<T> {
  data: T | null;
  problem: Problem | null;
  loading: boolean;
  set: (data: T) => void;
  again: () => void;
}

/** What `ask` gives, asked anew when one of `on` changes; an answer that comes too late is dropped. */
export function useLoaded<T>(ask: (signal: AbortSignal) => Promise<T>, on: readonly unknown[]): Loaded<T> {
  const [state, setState] = useState<{ data: T | null; problem: Problem | null; loading: boolean }>({ data: null, problem: null, loading: true });
  const [round, setRound] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    setState((before) => ({ ...before, loading: true }));
    ask(stop.signal).then(
      (data) => !stop.signal.aborted && setState({ data, problem: null, loading: false }),
      (error) => !stop.signal.aborted && !isAbort(error) && setState({ data: null, problem: problemOf(error), loading: false }),
    );
    return () => stop.abort();
    // `ask` is a new function each time: what it depends on is named by the caller
  }, [...on, round]);
  const set = useCallback((data: T) => setState({ data, problem: null, loading: false }), []);
  const again = useCallback(() => setRound((count) => count + 1), []);
  return { ...state, set, again };
}
