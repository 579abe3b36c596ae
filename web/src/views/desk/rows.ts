import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { api, ok, problemOf } from "../../api/client";
import type { Cell, Problem, ResultPage } from "../../api/types";

export const PAGE = 200;

export interface Order {
  column: number;
  descending: boolean;
}

export interface RowView {
  /** Rows that the filter leaves, of those that were read. */
  found: number;
  row: (at: number) => Cell[] | undefined;
  /** Says which rows are to be shown; those that are not here yet are fetched. */
  want: (first: number, last: number) => void;
  problem: Problem | null;
}

/** The rows of a result in an order and under a filter, fetched by pages as they come into sight. */
export function useRows(result: ResultPage, order: Order | null, contains: string): RowView {
  const plain = order === null && contains === "";
  const key = `${result.id}|${order?.column}|${order?.descending}|${contains}`;
  const [found, setFound] = useState(result.found);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [, redraw] = useState(0);
  const pages = useRef(new Map<number, Cell[][]>());
  const asked = useRef(new Set<number>());
  const current = useRef(key);

  const load = useCallback(
    async (page: number) => {
      if (asked.current.has(page)) return;
      asked.current.add(page);
      const query = {
        offset: page * PAGE,
        limit: PAGE,
        contains,
        descending: order?.descending ?? false,
        sort: order?.column ?? null,
      };
      try {
        const got = await ok(api.GET("/api/results/{id}", { params: { path: { id: result.id }, query } }));
        if (current.current !== key) return;
        pages.current.set(page, got.rows);
        setFound(got.found);
        redraw((count) => count + 1);
      } catch (error) {
        if (current.current === key) setProblem(problemOf(error));
      }
    },
    [key, contains, order, result.id],
  );

  const prepared = useRef("");
  if (prepared.current !== key) {
    // while rendering, so that no row of the other view is drawn under this one
    prepared.current = key;
    current.current = key;
    pages.current = new Map(plain ? [[0, result.rows]] : []);
    asked.current = new Set(plain ? [0] : []);
  }

  useEffect(() => {
    setProblem(null);
    if (plain) setFound(result.found);
    else void load(0);
  }, [key, plain, result.found, load]);

  return useMemo(
    () => ({
      found,
      problem,
      row: (at) => pages.current.get(Math.floor(at / PAGE))?.[at % PAGE],
      want: (first, last) => {
        for (let page = Math.floor(first / PAGE); page * PAGE <= last && page * PAGE < found; page++) void load(page);
      },
    }),
    [found, problem, load],
  );
}
