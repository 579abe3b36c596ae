import { useEffect, useState } from "react";
import { api, ok } from "../../api/client";
import type { Known } from "../../api/types";
import { useApp } from "../../state/app";

const PAUSE = 350;

/** What is known of a question while it is typed: asked after a pause, an older request is dropped. */
export function useKnown(question: string): { known: Known | null; looking: boolean } {
  const [known, setKnown] = useState<Known | null>(null);
  const [looking, setLooking] = useState(false);
  const baseline = useApp((state) => state.switches?.baseline);
  const text = question.trim();
  useEffect(() => {
    if (text.length < 4 || baseline) {
      setKnown(null);
      setLooking(false);
      return;
    }
    const stop = new AbortController();
    const wait = setTimeout(async () => {
      setLooking(true);
      try {
        setKnown(await ok(api.POST("/api/known", { body: { question: text, items: 30, scripts: 6 }, signal: stop.signal })));
        setLooking(false);
      } catch {
        if (!stop.signal.aborted) setLooking(false); // asking says what is wrong; typing is not disturbed
      }
    }, PAUSE);
    return () => {
      clearTimeout(wait);
      stop.abort();
    };
  }, [text, baseline]);
  return { known, looking };
}
