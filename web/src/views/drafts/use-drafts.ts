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
  const { text, status, baseline, session } = filter;
  useEffect(() => {
    const stop = new AbortController();
    const load = async (before: DraftSummary[]) => {
      more.current = () => {};
      setLoading(true);
      try {
        const query = { text, status, baseline, session, holds: true, limit: STEP, offset: before.length };
        const page = await ok(api.GET("/api/drafts", { params: { query }, signal: stop.signal }));
        const seen = new Set(before.map((one) => one.id)); // one that was changed meanwhile has moved to the front
        const drafts = [...before, ...page.drafts.filter((one) => !seen.has(one.id))];
        setFound({ drafts, total: page.total });
        setProblem(null);
        if (page.drafts.length === STEP) more.current = () => void load(drafts);
      } catch (error) {
        if (!isAbort(error)) setProblem(problemOf(error));
      }
      if (!stop.signal.aborted) setLoading(false);
    };
    const wait = setTimeout(() => void load([]), text ? 200 : 0);
    return () => {
      clearTimeout(wait);
      stop.abort();
    };
  }, [text, status, baseline, session, round]);
  const again = useCallback(() => setRound((count) => count + 1), []);
  const without = useCallback((id: string) => {
    setFound((before) => before && { drafts: before.drafts.filter((one) => one.id !== id), total: before.total - 1 });
  }, []);
  return { found, problem, loading, again, without, more: () => more.current() };
}
