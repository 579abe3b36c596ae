import { lazy, Suspense } from "react";
import { api, ok } from "../api/client";
import { many, took } from "../lib/format";
import { useLoaded } from "../lib/load";
import { ProblemNote, Waiting } from "./bits";
import "../styles/rows.css";

const Grid = lazy(() => import("../views/desk/grid"));

/** The rows of a query, or what is wrong with it. */
export function QueryRows({ sql, label }: { sql: string; label: string }) {
  const { data, problem, loading } = useLoaded((signal) => ok(api.POST("/api/run", { body: { sql, limit: 200 }, signal })), [sql]);
  return (
    <section aria-label={label}>
      <p className="label">
        {label}{" "}
        {data && !loading && <span className="quiet">{data.truncated ? "first " : ""}{many(data.fetched, "row")}, {took(data.seconds)}</span>}
      </p>
      {loading && <Waiting>Running the query</Waiting>}
      {problem && !loading && <ProblemNote problem={problem} />}
      {data && !loading && (
        <div className="query-rows" style={{ height: `${Math.min(15, 2.9 + 1.75 * Math.max(1, data.fetched))}rem` }}>
          <Suspense fallback={<Waiting>Loading</Waiting>}><Grid key={data.id} result={data} contains="" /></Suspense>
        </div>
      )}
    </section>
  );
}
