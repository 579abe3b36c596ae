import { type KeyboardEvent, useEffect, useRef } from "react";
import type { Example, ExampleCounts, ExampleState } from "../../api/types";
import { count } from "../../lib/format";
import { useShortcut, writing } from "../../lib/keys";
import { go, setQuery, useQuery } from "../../lib/router";
import { useApp } from "../../state/app";
import { Empty, ProblemNote, Waiting } from "../../ui/bits";
import { Sql } from "../../ui/code-line";
import { Icon } from "../../ui/icons";
import { Link } from "../../ui/link";
import { ExamplePage } from "./example-page";
import { type Decision, useExamples } from "./use-examples";
import "../../styles/examples.css";

export const SAID: Record<ExampleState, string> = { waiting: "waiting", approved: "approved", rejected: "rejected", missing: "not made" };
const STATES = Object.keys(SAID) as ExampleState[];

/** The examples that the model made for a database without a history: people look at each, and say whether it is right. */
export default function Examples({ chosen }: { chosen: string | null }) {
  const text = useQuery("q") ?? "";
  const said = useQuery("state") as ExampleState | null;
  const { data, problem, again, decide, undo } = useExamples(text, said);
  const { say, unsay } = useApp();
  const told = useRef(0);
  const all = data?.examples ?? [];
  const shown = all.find((one) => one.key === chosen) ?? (chosen === null ? all.find((one) => one.state === "waiting") ?? all[0] : undefined);
  const open = (key: string | undefined) => key && go(`/examples/${key}${location.search}`, { replace: true });
  const step = (by: number) => {
    if (writing() || all.length === 0) return false;
    const at = all.findIndex((one) => one.key === shown?.key);
    open(all[Math.max(0, Math.min(all.length - 1, at + by))]?.key);
    return true;
  };
  const takeBack = () => {
    if (writing() || !undo(open)) return false;
    unsay(told.current);
    return true;
  };
  useShortcut("j", () => step(1));
  useShortcut("k", () => step(-1));
  useShortcut("mod+z", takeBack);

  /** Says something of an example, tells so, and goes on to the next that waits. */
  const settle = async (example: Example, decision: Decision) => {
    const after = await decide(example, decision);
    if (decision.state === "waiting") return void say(decision.sql === undefined ? "It waits again" : "The example is kept");
    unsay(told.current); // only the last decision can be taken back
    told.current = say(decision.state === "approved" ? "Approved" : "Rejected", "plain", { label: "Undo", act: takeBack });
    const at = all.findIndex((one) => one.key === example.key);
    const next = [...all.slice(at + 1), ...all.slice(0, at)].find((one) => one.state === "waiting");
    open((next ?? after).key);
  };
  if (problem) return <div className="state"><ProblemNote problem={problem}><button type="button" className="button" onClick={again}>Try again</button></ProblemNote></div>;
  if (!data) return <div className="state"><Waiting>Loading</Waiting></div>;
  const total = STATES.reduce((sum, one) => sum + data.counts[one], 0);
  if (total === 0) return <NoExamples />;
  return (
    <div className="two examples" data-detail={chosen !== null}>
      <section className="two-list" aria-label="Examples">
        <Tools text={text} said={said} counts={data.counts} total={total} />
        <List examples={all} chosen={shown?.key ?? null} step={step} />
      </section>
      <section className="two-detail" aria-label="Example">
        {shown ? <ExamplePage key={shown.key} example={shown} total={total} settle={settle} /> : (
          <Empty title={all.length === 0 ? "No example is like that" : "This example is not here"}>
            <p>{all.length === 0 ? "Take a filter away, or look for other words." : "It may have been made anew. Choose another one."}</p>
          </Empty>
        )}
      </section>
    </div>
  );
}

function Tools({ text, said, counts, total }: { text: string; said: ExampleState | null; counts: ExampleCounts; total: number }) {
  const done = counts.approved + counts.rejected;
  return (
    <div className="list-tools">
      <p className="examples-head">
        <Link href="/learn" className="quiet">Learn</Link>
        <strong>Examples</strong>
        <span className="quiet end" role="status">{count(done)} of {count(total)} reviewed</span>
      </p>
      <progress value={done} max={total} aria-label="Reviewed" />
      <input className="field" type="search" value={text} placeholder="Words of the question or the SQL" aria-label="Search the examples"
        onChange={(event) => setQuery({ q: event.target.value || null })} />
      <div className="chips-row" role="group" aria-label="State">
        {STATES.filter((one) => counts[one] > 0 || one === said).map((one) => (
          <button key={one} type="button" className="state-chip" aria-pressed={said === one} onClick={() => setQuery({ state: said === one ? null : one })}>
            {SAID[one]} <span className="quiet">{count(counts[one])}</span>
          </button>
        ))}
      </div>
    </div>
  );
}

function List({ examples, chosen, step }: { examples: Example[]; chosen: string | null; step: (by: number) => boolean }) {
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    const row = list.current?.querySelector<HTMLElement>('[aria-current="true"]');
    row?.scrollIntoView({ block: "nearest" });
    if (list.current?.contains(document.activeElement)) row?.focus();
  }, [chosen]);
  const press = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    step(by);
  };
  return (
    <ul className="list" ref={list} onKeyDown={press}>
      {examples.map((one) => (
        <li key={one.key}>
          <Link href={`/examples/${one.key}${location.search}`} className="list-row plain" aria-current={one.key === chosen ? "true" : undefined}>
            <span className="list-said">{one.question || "Nothing could be made after this one"}</span>
            <StateBadge state={one.state} />
            <span className="list-sql ellipsis"><Sql text={(one.sql || one.pattern).replace(/\s+/g, " ")} /></span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

export function StateBadge({ state }: { state: ExampleState }) {
  if (state === "waiting") return <span className="hidden">waiting</span>;
  return (
    <span className="badge" data-tone={state === "approved" ? "verified" : undefined}>
      {state === "approved" && <Icon name="check" size={12} />}
      {state === "rejected" && <Icon name="close" size={12} />}
      {SAID[state]}
    </span>
  );
}

function NoExamples() {
  return (
    <Empty title="There are no examples to review">
      <p>Where there is no history yet, the model can write examples for this database: questions with SQL that runs on it. You look at each of them here, correct it, approve it or reject it.</p>
      <p className="actions"><Link className="button main" href="/learn">Write examples</Link></p>
    </Empty>
  );
}

