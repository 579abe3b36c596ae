import { useMemo } from "react";
import { api, ok } from "../../api/client";
import type { Cell, Draft, ResultPage } from "../../api/types";
import { compareRows, lineDiff } from "../../lib/compare";
import { many, readable } from "../../lib/format";
import { useLoaded } from "../../lib/load";
import { useDesk } from "../../state/desk";
import { Empty, ProblemNote, Waiting } from "../../ui/bits";
import { Link } from "../../ui/link";

const ROWS = 5000;

function nameOf(draft: Draft): string {
  return draft.baseline ? "without the history" : "with the history";
}

/** Two answers to one question beside each other: how their SQL and their rows differ. */
export function ComparePane({ other }: { other: string }) {
  const draft = useDesk((state) => state.draft);
  const { data, problem } = useLoaded((signal) => ok(api.GET("/api/drafts/{id}", { params: { path: { id: other } }, signal })), [other]);
  if (problem) return <div className="state"><ProblemNote problem={problem} /></div>;
  if (!data || !draft) return <div className="state"><Waiting>Opening the other answer</Waiting></div>;
  if (!data.sql) return <Empty title="The other answer has no SQL"><p><Link href={`/d/${other}`}>Look at it</Link></p></Empty>;
  return <Compared draft={draft} other={data} />;
}

function Compared({ draft, other }: { draft: Draft; other: Draft }) {
  const parts = useMemo(() => lineDiff(other.sql, draft.sql), [other.sql, draft.sql]);
  const same = parts.every((part) => part.how === "same");
  return (
    <div className="compare">
      <dl className="compare-marks">
        <dt>{same ? <span>{nameOf(other)}</span> : <del>{nameOf(other)}</del>}</dt>
        <dd><Link href={`/d/${other.id}?view=compare&with=${draft.id}`}>{other.title || other.question || "the other draft"}</Link></dd>
        <dt>{same ? <span>{nameOf(draft)}</span> : <ins>{nameOf(draft)}</ins>}</dt>
        <dd>this draft</dd>
      </dl>
      <RowsOfBoth draft={draft} other={other} />
      <section>
        <h3 className="label">SQL</h3>
        {same ? <p>Both are the same.</p> : (
          <div className="diff whole" role="region" aria-label="Difference of the SQL" tabIndex={0}>
            <div>
              {parts.map((part, at) => {
                const text = at < parts.length - 1 ? `${part.text}\n` : part.text;
                return part.how === "cut" ? <del key={at}>{text}</del> : part.how === "new" ? <ins key={at}>{text}</ins> : <span key={at}>{text}</span>;
              })}
            </div>
          </div>
        )}
      </section>
    </div>
  );
}

function RowsOfBoth({ draft, other }: { draft: Draft; other: Draft }) {
  const { data, problem } = useLoaded(async (signal) => {
    const run = (sql: string) => ok(api.POST("/api/run", { body: { sql, limit: ROWS, rows: ROWS }, signal }));
    const [first, second] = await Promise.all([run(other.sql), run(draft.sql)]);
    return { first, second, found: compareRows(first.rows, second.rows) };
  }, [draft.sql, other.sql]);
  return (
    <section>
      <h3 className="label">Rows</h3>
      {problem && <ProblemNote problem={problem} />}
      {!data && !problem && <Waiting>Running both</Waiting>}
      {data && <p>{verdict(data.first, data.second, data.found)}</p>}
      {data && data.found.examples.first.length > 0 && <Examples title={`Only ${nameOf(other)}`} rows={data.found.examples.first} left={data.found.onlyFirst} />}
      {data && data.found.examples.second.length > 0 && <Examples title={`Only ${nameOf(draft)}`} rows={data.found.examples.second} left={data.found.onlySecond} />}
    </section>
  );
}

function verdict(first: ResultPage, second: ResultPage, found: ReturnType<typeof compareRows>): string {
  const of = first.truncated || second.truncated ? ` among the first ${many(ROWS, "row")} of each` : "";
  if (found.onlyFirst === 0 && found.onlySecond === 0) return `Both give the same ${many(found.both, "row")}${of}.`;
  return `${many(found.both, "row")} ${found.both === 1 ? "is" : "are"} in both; ${found.onlyFirst} only in the other, ${found.onlySecond} only in this one${of}.`;
}

function Examples({ title, rows, left }: { title: string; rows: Cell[][]; left: number }) {
  return (
    <>
      <p className="quiet">{title}</p>
      <ul className="example-rows">
        {rows.map((row, at) => <li key={at} className="ellipsis">{row.map((value) => readable(value)).join("  ·  ")}</li>)}
        {left > rows.length && <li className="quiet">and {left - rows.length} more</li>}
      </ul>
    </>
  );
}
