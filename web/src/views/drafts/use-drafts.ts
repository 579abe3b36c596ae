import { useCallback, useEffect, useRef, useState } from "react";
import { api, isAbort, ok, problemOf } from "../../api/client";
import type { DraftSummary, Problem } from "../../api/types";

export interface Filter {
  text: string;
  status: DraftSummary["status"] | null;
  baseline: boolean | null;
  session: string | null;
}

interface Found {
  drafts: DraftSummary[];
  total: number;
}

export const STEP = 50;

/** The drafts that fit, page by page; what is typed is looked for when the typing pauses. */
export function useDrafts(filter: Filter) {
  const [found, setFound] = useState<Found | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [loading, setLoading] = useState(true);
  const [round, setRound] = useState(0);
  const more = useRef(() => {});
  const held = useRef<DraftSummary[]>([]); // what is shown, without what was deleted
  const gone = useRef(new Set<string>());
  const { text, status, baseline, session } = filter;
  useEffect(() => {
    const stop = new AbortController();
    const load = async (): Promise<void> => {
      more.current = () => {};
      setLoading(true);
      const offset = held.current.length;
      try {
        const query = { text, status, baseline, session, holds: true, limit: STEP, offset };
        const page = await ok(api.GET("/api/drafts", { params: { query }, signal: stop.signal }));
        if (stop.signal.aborted) return;
        if (held.current.length < offset) return load(); // one was deleted meanwhile: the page begins too late
        // one that was changed meanwhile has moved to the front
        const seen = new Set([...held.current.map((one) => one.id), ...gone.current]);
        held.current = [...held.current, ...page.drafts.filter((one) => !seen.has(one.id))];
        setFound({ drafts: held.current, total: page.total });
        setProblem(null);
        if (page.drafts.length === STEP) more.current = () => void load();
      } catch (error) {
        if (!isAbort(error)) setProblem(problemOf(error));
      }
      if (!stop.signal.aborted) setLoading(false);
    };
    const begin = () => {
      held.current = [];
      void load();
    };
    const wait = setTimeout(begin, text ? 200 : 0);
    return () => {
      clearTimeout(wait);
      stop.abort();
    };
  }, [text, status, baseline, session, round]);
  const again = useCallback(() => {
    gone.current.clear(); // one may have been brought back
    setRound((count) => count + 1);
  }, []);
  const without = useCallback((id: string) => {
    gone.current.add(id);
    held.current = held.current.filter((one) => one.id !== id);
    setFound((before) => before && { drafts: before.drafts.filter((one) => one.id !== id), total: before.total - 1 });
  }, []);
  return { found, problem, loading, again, without, more: () => more.current() };
}
