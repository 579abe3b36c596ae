import { useState } from "react";
import { api, ok, problemOf } from "../../api/client";
import type { components } from "../../api/schema";
import type { Problem } from "../../api/types";
import { useLoaded } from "../../lib/load";
import { setQuery, useQuery } from "../../lib/router";
import { Empty, ProblemNote, Waiting } from "../../ui/bits";
import { Sql } from "../../ui/code-line";
import { Icon } from "../../ui/icons";
import { QueryRows } from "../../ui/query-rows";
import { type Edit, EditFields, type Overview, TaskText } from "./parts";

type OpenTask = components["schemas"]["OpenTask"];

const WORDS: Record<string, string> = { open: "to discuss", senior: "for a senior", kept: "stays", dropped: "goes", waiting: "waiting" };

/** The tasks that the annotators alone did not settle: a discussion, then a senior where it finds no agreement. */
export function Deciding({ overview, name, told }: { overview: Overview; name: string; told: () => void }) {
  const open = useLoaded((signal) => (overview.blind ? Promise.resolve([]) : ok(api.GET("/api/review/open", { signal }))), [overview.blind]);
  const asked = Number(useQuery("task"));
  if (overview.blind) {
    return (
      <Empty title="The annotators are not done yet">
        <p>Judgements are blind: what each said is shown when {overview.wanted} annotators or more have judged every task.</p>
      </Empty>
    );
  }
  if (open.problem) return <div className="state"><ProblemNote problem={open.problem} /></div>;
  if (!open.data) return <div className="state"><Waiting>Loading</Waiting></div>;
  if (open.data.length === 0) return <Empty title="The annotators agree on every task"><p>There is nothing to discuss.</p></Empty>;
  const waiting = open.data.find((one) => one.state === "open" || one.state === "senior");
  const chosen = open.data.find((one) => one.number === asked) ?? waiting ?? open.data[0];
  const settled = (after: OpenTask[]) => {
    open.set(after);
    const next = after.find((one) => one.state === "open" || one.state === "senior");
    setQuery({ task: next ? String(next.number) : null });
    told();
  };
  return (
    <div className="two" data-detail="true">
      <section className="two-list" aria-label="Tasks to settle">
        <p className="list-tools quiet">{open.data.filter((one) => one.state === "open" || one.state === "senior").length} of {open.data.length} left</p>
        <ul className="list">
          {open.data.map((one) => (
            <li key={one.number}>
              <button type="button" className="list-row plain" style={{ width: "100%" }} aria-current={one === chosen ? "true" : undefined} onClick={() => setQuery({ task: String(one.number) })}>
                <span className="list-said">{one.number}. {one.question}</span>
                <span className="badge">{WORDS[one.state]}</span>
              </button>
            </li>
          ))}
        </ul>
      </section>
      <section className="two-detail" aria-label="Task">
        {chosen && <Settle key={`${chosen.number}-${chosen.state}`} task={chosen} overview={overview} name={name} settled={settled} />}
      </section>
    </div>
  );
}

function Settle(props: { task: OpenTask; overview: Overview; name: string; settled: (after: OpenTask[]) => void }) {
  const { task, overview, name } = props;
  const senior = task.state === "senior" || task.senior != null;
  const proposals = task.judgements.filter((one) => one.edit.question != null || one.edit.sql != null);
  const before = task.senior ?? task.discussion;
  const [edit, setEdit] = useState<Edit>(before?.edit ?? (proposals.length === 1 ? (proposals[0]?.edit ?? {}) : {}));
  const [comment, setComment] = useState(before?.comment ?? "");
  const [problem, setProblem] = useState<Problem | null>(null);
  const say = async (keep: boolean | null) => {
    const changes = keep === true ? { question: edit.question ?? null, sql: edit.sql ?? null } : {};
    const body = { digest: task.digest, keep, comment, edit: changes, by: senior ? [name] : [] };
    const params = { path: { number: task.number } };
    try {
      props.settled(await ok(senior ? api.PUT("/api/review/senior/{number}", { params, body }) : api.PUT("/api/review/discussion/{number}", { params, body })));
    } catch (error) {
      setProblem(problemOf(error));
    }
  };
  return (
    <article className="detail review-step">
      <TaskText task={task}>, {WORDS[task.state]}</TaskText>
      <QueryRows sql={task.sql} label="Its rows" />
      <section aria-label="What was said">
        <h2>What was said</h2>
        <ul className="review-said">
          {task.judgements.map((one) => <Said key={one.annotator} said={one} overview={overview} />)}
          {task.discussion && <li><strong>The discussion: {task.discussion.keep === null ? "no agreement" : task.discussion.keep ? "it stays" : "it goes"}</strong>{task.discussion.comment && <p>{task.discussion.comment}</p>}</li>}
          {task.senior && <li><strong>{task.senior.by.join(", ")}: {task.senior.keep ? "it stays" : "it goes"}</strong>{task.senior.comment && <p>{task.senior.comment}</p>}</li>}
        </ul>
      </section>
      <EditFields task={task} edit={edit} set={setEdit} />
      <label className="stack">What was agreed, and why
        <textarea className="field" rows={2} value={comment} onChange={(event) => setComment(event.target.value)} />
      </label>
      {problem && <ProblemNote problem={problem} />}
      <div className="actions">
        <button type="button" className="button main" onClick={() => void say(true)}>It stays</button>
        <button type="button" className="button" onClick={() => void say(false)}>It goes</button>
        {!senior && <button type="button" className="button" onClick={() => void say(null)}>No agreement, a senior decides</button>}
        <span className="quiet">{senior ? `${name} decides as the senior` : `decided by ${overview.annotators.map((one) => one.name).join(", ")} together`}</span>
      </div>
    </article>
  );
}

function Said({ said, overview }: { said: OpenTask["judgements"][number]; overview: Overview }) {
  const no = overview.criteria.filter((one) => !said.answers[one.name]).map((one) => one.name);
  return (
    <li>
      <span><Icon name={said.valid ? "check" : "close"} size={12} /> <strong>{said.annotator}</strong>: {said.valid ? "valid" : `not ${no.join(", not ")}`}</span>
      {said.comment && <p>{said.comment}</p>}
      {said.edit.question && <p><span className="label">Would ask</span> {said.edit.question}</p>}
      {said.edit.sql && <div><span className="label">Would write</span><Sql text={said.edit.sql} block /></div>}
    </li>
  );
}
