import { useState } from "react";
import { api, ok, problemOf } from "../../api/client";
import { many, took } from "../../lib/format";
import { useLoaded } from "../../lib/load";
import { type Phase, PHASES, type Timeline, timelines } from "../../lib/timeline";
import { useApp } from "../../state/app";
import { ProblemNote } from "../../ui/bits";
import { Link } from "../../ui/link";

const SHADE: Record<Phase, string> = { prompting: "var(--ink)", structure: "var(--relation)", inspection: "var(--dimension)", refinement: "var(--output)" };

/** What was logged, as a line for each draft: prompting, structure, inspection, refinement over time. */
export function Timelines() {
  const { data, problem, again } = useLoaded((signal) => ok(api.GET("/api/events", { params: { query: {} }, signal })), []);
  const say = useApp((state) => state.say);
  const [sure, setSure] = useState(false);
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
      <ol>{lines.map((line) => <Line key={line.draft} line={line} longest={longest} />)}</ol>
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

function Line({ line, longest }: { line: Timeline; longest: number }) {
  const spent = PHASES.map((phase) => {
    const seconds = line.segments.filter((one) => one.phase === phase).reduce((sum, one) => sum + one.end - one.start, 0);
    return seconds > 0 ? `${phase} ${took(seconds)}` : "";
  }).filter(Boolean).join(", ");
  return (
    <li>
      <Link href={`/d/${line.draft}`}>{line.draft.slice(0, 6)}</Link>
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
