import { useState } from "react";
import { api, ok, problemOf } from "../../api/client";
import type { DraftSummary } from "../../api/types";
import { many, took } from "../../lib/format";
import { useLoaded } from "../../lib/load";
import { type Phase, phaseMeans, PHASES, type Timeline, timelines } from "../../lib/timeline";
import { useApp } from "../../state/app";
import { titleOf } from "../../state/drafts";
import { ProblemNote } from "../../ui/bits";
import { Link } from "../../ui/link";

const SHADE: Record<Phase, string> = { prompting: "var(--ink)", structure: "var(--relation)", inspection: "var(--dimension)", refinement: "var(--output)" };

/** What was logged, as a line for each draft: prompting, structure, inspection, refinement over time. */
export function Timelines() {
  const { data, problem, again } = useLoaded((signal) => ok(api.GET("/api/events", { params: { query: {} }, signal })), []);
  const say = useApp((state) => state.say);
  const [sure, setSure] = useState(false);
  const drafts = useLoaded((signal) => ok(api.GET("/api/drafts", { params: { query: { limit: 1000 } }, signal })), []);
  if (problem) return <ProblemNote problem={problem} />;
  if (!data || data.length === 0) return <p className="quiet">Nothing is logged.</p>;
  const lines = timelines(data);
  const longest = Math.max(1, ...lines.map((line) => line.seconds));
  const clear = async () => {
    setSure(false);
    try {
      await ok(api.DELETE("/api/events"));
      again();
    } catch (error) {
      say(problemOf(error).detail, "bad");
    }
  };
  return (
    <div className="timelines">
      <p className="timeline-legend">{PHASES.map((phase) => <span key={phase}><i style={{ background: SHADE[phase] }} />{phase}</span>)}</p>
      <ol>{lines.map((line) => <Line key={line.draft} line={line} longest={longest} title={titleIn(drafts.data?.drafts, line.draft)} />)}</ol>
      <Means lines={lines} />
      <div className="actions">
        <a className="button" href="/api/events/export" download>Save {many(data.length, "event")}</a>
        {sure ? (
          <>
            <button type="button" className="button" onClick={() => void clear()}>Delete all events</button>
            <button type="button" className="button bare" onClick={() => setSure(false)}>Keep them</button>
          </>
        ) : <button type="button" className="button bare" onClick={() => setSure(true)}>Clear the log</button>}
      </div>
    </div>
  );
}

function titleIn(drafts: DraftSummary[] | undefined, id: string): string | null {
  const found = drafts?.find((one) => one.id === id);
  return found ? titleOf(found) : null;
}

/** What a study compares: how long the phases took, with the history and without it. */
function Means({ lines }: { lines: Timeline[] }) {
  return (
    <div className="table-scroll" tabIndex={0} role="region" aria-label="Mean times">
      <table className="means">
        <caption className="quiet">Mean time a draft</caption>
        <thead><tr><th scope="col">Answered</th><th scope="col">Drafts</th>{PHASES.map((phase) => <th key={phase} scope="col">{phase}</th>)}</tr></thead>
        <tbody>
          {phaseMeans(lines).map((one) => (
            <tr key={String(one.baseline)}>
              <th scope="row">{one.baseline ? "without the history" : "with the history"}</th><td>{one.drafts}</td>
              {PHASES.map((phase) => <td key={phase}>{one.seconds[phase] > 0 ? took(one.seconds[phase]) : ""}</td>)}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Line({ line, longest, title }: { line: Timeline; longest: number; title: string | null }) {
  const spent = PHASES.map((phase) => {
    const seconds = line.segments.filter((one) => one.phase === phase).reduce((sum, one) => sum + one.end - one.start, 0);
    return seconds > 0 ? `${phase} ${took(seconds)}` : "";
  }).filter(Boolean).join(", ");
  return (
    <li>
      {title === null ? <span className="quiet">deleted</span> : <Link className="ellipsis" href={`/d/${line.draft}`} title={title}>{title}</Link>}
      <span className="timeline" role="img" aria-label={spent} title={spent}>
        {line.segments.map((one, at) => (
          <i key={at} title={`${one.phase}: ${one.actions.join(", ")}`}
            style={{ left: `${(one.start / longest) * 100}%`, width: `max(2px, ${((one.end - one.start) / longest) * 100}%)`, background: SHADE[one.phase] }} />
        ))}
      </span>
      <span className="quiet">{took(line.seconds)}{line.baseline && ", baseline"}</span>
    </li>
  );
}
