import { useEffect, useRef, useState } from "react";
import { api, ok, problemOf } from "../../api/client";
import { listen } from "../../api/events";
import type { LearnReport, Problem, Rejected } from "../../api/types";
import { count, many, took } from "../../lib/format";
import { useLoaded } from "../../lib/load";
import { useApp } from "../../state/app";
import { ProblemNote } from "../../ui/bits";
import { Sql } from "../../ui/code-line";
import { Link } from "../../ui/link";
import { Drop } from "./drop";
import { Progress, type Running } from "./progress";
import { NO_READING, type Reading, ReadingOptions } from "./reading";
import { WarmUp } from "./warm";

/** Files or pasted SQL become knowledge; what was not understood is listed with the reason. */
export default function Learn() {
  const [files, setFiles] = useState<File[]>([]);
  const [text, setText] = useState("");
  const [reading, setReading] = useState<Reading>(NO_READING);
  const [running, setRunning] = useState<Running | null>(null);
  const [report, setReport] = useState<LearnReport | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const job = useRef<string | null>(null);
  const box = useRef<HTMLTextAreaElement>(null);
  const mended = useRef<string | null>(null);
  const reload = useApp((state) => state.load);
  const rejected = useLoaded(() => ok(api.GET("/api/rejected", { params: { query: { limit: 500 } } })), []);
  const stop = useRef(() => {});
  useEffect(() => () => stop.current(), []);

  const learn = async () => {
    const began = Date.now();
    setProblem(null);
    setReport(null);
    try {
      const uploads: string[] = [];
      for (const [at, file] of files.entries()) {
        setRunning({ stage: `sending ${file.name}`, done: at, total: files.length });
        uploads.push(await upload(file));
      }
      setRunning({ stage: "beginning", done: 0, total: null });
      const started = await ok(api.POST("/api/learn", { body: { uploads, text: text.trim() || null, name: "", ...reading } }));
      job.current = started.id;
      stop.current = listen(started.id, {
        stage: ({ stage, done, total }) => setRunning({ stage, done, total: total ?? null }),
        learned: ({ report: found }) => {
          setReport({ ...found, seconds: (Date.now() - began) / 1000 });
          const left = Object.values(found.rejected).some((number) => number > 0);
          if (mended.current !== null && !left) void dismiss({ id: mended.current }); // what was wrong with it is not any more
          mended.current = null;
        },
        problem: (event) => setProblem(event.problem),
        end: ({ status }) => {
          setRunning(null);
          if (status === "done") {
            setFiles([]);
            setText("");
          }
          rejected.again();
          void reload();
        },
      }, () => setRunning(null));
    } catch (error) {
      setProblem(problemOf(error));
      setRunning(null);
    }
  };
  const cancel = () => job.current && void api.DELETE("/api/jobs/{id}", { params: { path: { id: job.current } } });

  const dismiss = async (query: { id?: string; reason?: Rejected["reason"] }) => {
    try {
      await ok(api.DELETE("/api/rejected", { params: { query } }));
      rejected.again();
    } catch (error) {
      setProblem(problemOf(error));
    }
  };

  const mend = (one: Rejected) => {
    mended.current = one.id;
    setText(one.sql);
    box.current?.focus();
    box.current?.scrollIntoView({ block: "center" });
  };

  return (
    <div className="page learn">
      <header>
        <h1>Learn a history</h1>
        <p>Give sqlore the SQL that was already run: files of scripts, a query log, a dbt project, a notebook. It is read here and stays here.</p>
      </header>
      <Drop files={files} set={setFiles} disabled={running !== null} />
      <label className="stack">
        Or paste SQL
        <textarea ref={box} className="field mono" rows={6} spellCheck={false} value={text} disabled={running !== null} placeholder={"-- Revenue of March\nSELECT …"}
          onChange={(event) => setText(event.target.value)} />
      </label>
      <ReadingOptions reading={reading} set={setReading} disabled={running !== null} />
      <div className="actions">
        <button type="button" className="button main" disabled={running !== null || (files.length === 0 && text.trim() === "")} onClick={() => void learn()}>Learn</button>
        {running && <button type="button" className="button" onClick={cancel}>Stop</button>}
        {running && <Progress running={running} />}
      </div>
      {problem && <ProblemNote problem={problem} />}
      {report && <Report report={report} />}
      <WarmUp again={() => void reload()} />
      {rejected.data && rejected.data.length > 0 && <NotLearned rejected={rejected.data} dismiss={(which) => void dismiss(which)} mend={running === null ? mend : undefined} />}
    </div>
  );
}

async function upload(file: File): Promise<string> {
  const body = file as unknown as string; // the document says binary text; the browser sends the bytes
  const sent = api.POST("/api/uploads", {
    params: { query: { name: file.webkitRelativePath || file.name } },
    body,
    bodySerializer: (one) => one,
    headers: { "Content-Type": "application/octet-stream" },
  });
  return (await ok(sent)).id;
}

/** What came of it; the seconds are those that the person waited. */
export function Report({ report }: { report: LearnReport }) {
  const { not_a_query: changing = 0, ...others } = report.rejected;
  const left = Object.values(others).reduce((sum, number) => sum + number, 0);
  return (
    <section className="report" role="status">
      <h2>{report.new === 0 ? "Nothing new was in it" : `${many(report.new, "script")} learned`}</h2>
      <dl className="counts">
        <div><dt>texts read</dt><dd>{count(report.read)}</dd></div>
        <div><dt>the same with other values</dt><dd>{count(report.folded)}</dd></div>
        <div><dt>known before</dt><dd>{count(report.known)}</dd></div>
        {changing > 0 && <div><dt>no queries, left out</dt><dd>{count(changing)}</dd></div>}
        <div><dt>not understood</dt><dd>{count(left)}</dd></div>
        <div><dt>took</dt><dd>{took(report.seconds)}</dd></div>
      </dl>
      {(report.misnamed ?? []).length > 0 && (
        <p className="affected">
          Learned, but not offered to the model: {many((report.misnamed ?? []).length, "script")} with names that the database does not
          have: {(report.misnamed ?? []).slice(0, 5).map(({ key, what }) => `${what} (${key})`).join(", ")}.
        </p>
      )}
      <p>There are {many(report.scripts, "script")} and <Link href="/knowledge">{many(report.pieces, "piece")} of knowledge</Link> now.</p>
    </section>
  );
}

const REASONS: Record<Rejected["reason"], string> = {
  unparsable: "Not understood",
  not_a_query: "No query: it changes something",
  empty: "Empty",
  too_long: "Too long",
  unreadable: "Cannot be read",
};

interface NotLearnedProps {
  rejected: Rejected[];
  dismiss: (which: { id?: string; reason?: Rejected["reason"] }) => void;
  /** Takes a statement into the box, to be mended there. */
  mend?: (one: Rejected) => void;
}

/** What was left out, by reason. What is dismissed is not listed again, even when the same history is learned once more. */
export function NotLearned({ rejected, dismiss, mend }: NotLearnedProps) {
  const reasons = [...new Set(rejected.map((one) => one.reason))];
  return (
    <section className="known-scripts not-learned">
      <h2>Not learned</h2>
      {reasons.map((reason) => {
        const mine = rejected.filter((one) => one.reason === reason);
        return (
          <section key={reason}>
            <h3>{REASONS[reason]} <span className="quiet">{count(mine.length)}</span>
              <button type="button" className="more" onClick={() => dismiss({ reason })}>Dismiss {mine.length === 1 ? "it" : "all"}</button></h3>
            <ul>
              {mine.slice(0, 100).map((one) => (
                <li key={one.id}>
                  <details>
                    <summary>
                      <span>{one.message}</span>
                      <span className="quiet">{one.source && `${one.source}${one.line ? `:${one.line}` : ""}`}</span>
                    </summary>
                    <Sql text={one.sql} block />
                    {mend && reason === "unparsable" && <button type="button" className="more" onClick={() => mend(one)}>Mend it and try again</button>}
                    {mine.length > 1 && <button type="button" className="more" onClick={() => dismiss({ id: one.id })}>Dismiss this one</button>}
                  </details>
                </li>
              ))}
            </ul>
          </section>
        );
      })}
    </section>
  );
}
