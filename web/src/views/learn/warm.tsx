import { useEffect, useRef, useState } from "react";
import { api, ok, problemOf } from "../../api/client";
import { listen } from "../../api/events";
import type { Problem, WarmReport } from "../../api/types";
import { count, many } from "../../lib/format";
import { useApp } from "../../state/app";
import { ProblemNote } from "../../ui/bits";
import { Link } from "../../ui/link";
import { Progress, type Running } from "./progress";

/** Where there is no history: the model adapts examples to the database, which are marked as what they are. */
export function WarmUp({ again }: { again: () => void }) {
  const held = useApp((state) => state.health?.held);
  const model = useApp((state) => state.health?.model);
  const [running, setRunning] = useState<Running | null>(null);
  const [written, setWritten] = useState("");
  const [report, setReport] = useState<WarmReport | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const job = useRef<string | null>(null);
  const stop = useRef(() => {});
  useEffect(() => () => stop.current(), []);
  const warm = async () => {
    setProblem(null);
    setReport(null);
    setRunning({ stage: "beginning", done: 0, total: null });
    try {
      const started = await ok(api.POST("/api/warm", { body: { approved: false } }));
      job.current = started.id;
      stop.current = listen(started.id, {
        stage: ({ stage, done, total }) => {
          setWritten("");
          setRunning({ stage, done, total: total ?? null });
        },
        token: ({ text }) => setWritten((before) => before + text),
        warmed: (event) => setReport(event.report),
        problem: (event) => setProblem(event.problem),
        end: () => {
          setRunning(null);
          setWritten("");
          again();
        },
      }, () => setRunning(null));
    } catch (error) {
      setProblem(problemOf(error));
      setRunning(null);
    }
  };
  const cancel = () => job.current && void api.DELETE("/api/jobs/{id}", { params: { path: { id: job.current } } });
  const real = (held?.scripts ?? 0) - (held?.synthetic ?? 0);
  return (
    <details className="reading" open={held == null || real === 0 || running !== null || report !== null}>
      <summary>No history yet?</summary>
      <p>
        The model can write examples for this database: questions with SQL that runs on it. They are marked as synthetic, and what your team
        really ran stands before them. {model ? `It takes some minutes with ${model}.` : "It needs a language model."}
      </p>
      <div className="actions">
        <button type="button" className="button" disabled={running !== null || !model || model === "none"} onClick={() => void warm()}>
          {(held?.synthetic ?? 0) > 0 ? "Go on with the examples" : "Write examples"}
        </button>
        {(held?.synthetic ?? 0) > 0 || report ? <Link className="button" href="/examples">Review the examples</Link> : null}
        {running && <button type="button" className="button" onClick={() => void cancel()}>Stop</button>}
        {running && <Progress running={running} />}
      </div>
      {written && <pre className="sql written">{written}</pre>}
      {problem && <ProblemNote problem={problem} />}
      {report && (
        <div className="report" role="status">
          <h3>{report.adapted === 0 ? "No example could be made" : `${many(report.new, "new example")}, ${count(report.known)} known before`}</h3>
          <p>{count(report.adapted)} of {many(report.chosen, "example")} run on this database. There are {many(report.synthetic, "synthetic script")} now. <Link href="/examples">Review them</Link></p>
          {Object.entries(report.failed).length > 0 && (
            <p className="quiet">What the model wrote and could not be used: {Object.entries(report.failed).map(([why, times]) => `${why} (${times})`).join(", ")}</p>
          )}
        </div>
      )}
    </details>
  );
}
