import { useEffect, useState } from "react";
import { api, ok, problemOf } from "../../api/client";
import type { components } from "../../api/schema";
import type { Problem } from "../../api/types";
import { shown, useShortcut, writing } from "../../lib/keys";
import { useLoaded } from "../../lib/load";
import { setQuery, useQuery } from "../../lib/router";
import { Icon } from "../../ui/icons";
import { Empty, ProblemNote, Waiting } from "../../ui/bits";
import { QueryRows } from "../../ui/query-rows";
import { type Edit, EditFields, type Overview, type Task, TaskText, YesNo } from "./parts";

type Worklist = components["schemas"]["Worklist"];
type Answers = Record<string, boolean>;

/** An annotator's own list, and the task that is judged. */
export function Judging({ overview, name, told }: { overview: Overview; name: string; told: () => void }) {
  const list = useLoaded((signal) => ok(api.GET("/api/review/annotators/{name}", { params: { path: { name } }, signal })), [name]);
  const asked = Number(useQuery("task"));
  if (list.problem) return <div className="state"><ProblemNote problem={list.problem} /></div>;
  if (!list.data) return <div className="state"><Waiting>Loading</Waiting></div>;
  const tasks = list.data.tasks;
  const first = tasks.find((one) => one.valid == null)?.number ?? null;
  const chosen = tasks.some((one) => one.number === asked) ? asked : first;
  const judged = (after: Worklist) => {
    list.set(after);
    const waiting = after.tasks.filter((one) => one.valid == null);
    const next = waiting.find((one) => one.number > (chosen ?? 0)) ?? waiting[0];
    setQuery({ task: next ? String(next.number) : null });
    if (!next) told();
  };
  return (
    <div className="two" data-detail="true">
      <section className="two-list" aria-label="Tasks">
        <p className="list-tools quiet">{list.data.done} of {tasks.length} judged</p>
        <ul className="list">{tasks.map((one) => <TaskRow key={one.number} one={one} chosen={one.number === chosen} />)}</ul>
      </section>
      <section className="two-detail" aria-label="Task">
        {chosen === null ? <Done overview={overview} /> : <Judge key={chosen} overview={overview} name={name} number={chosen} judged={judged} />}
      </section>
    </div>
  );
}

function TaskRow({ one, chosen }: { one: Worklist["tasks"][number]; chosen: boolean }) {
  const said = one.valid == null ? "" : one.valid ? "valid" : "not valid";
  return (
    <li>
      <button type="button" className="list-row plain" style={{ width: "100%" }} aria-current={chosen ? "true" : undefined} onClick={() => setQuery({ task: String(one.number) })}>
        <span className="list-said">{one.number}. {one.question}</span>
        <span className="badge">{said && <><Icon name={one.valid ? "check" : "close"} size={12} />{said}</>}</span>
      </button>
    </li>
  );
}

function Done({ overview }: { overview: Overview }) {
  return (
    <Empty title="You have judged every task">
      <p>{overview.blind ? "The others still judge. Until they are done, nobody sees what anybody said." : "So have the others: what is left is to discuss."}</p>
    </Empty>
  );
}

function Judge(props: { overview: Overview; name: string; number: number; judged: (after: Worklist) => void }) {
  const path = { name: props.name, number: props.number };
  const { data, problem } = useLoaded((signal) => ok(api.GET("/api/review/annotators/{name}/tasks/{number}", { params: { path }, signal })), [props.name, props.number]);
  if (problem) return <div className="state"><ProblemNote problem={problem} /></div>;
  if (!data) return <div className="state"><Waiting>Loading</Waiting></div>;
  return <JudgeForm {...props} task={data} />;
}

function JudgeForm({ overview, name, task, judged }: { overview: Overview; name: string; task: Task; judged: (after: Worklist) => void }) {
  const [answers, setAnswers] = useState<Answers>(task.own?.answers ?? {});
  const [comment, setComment] = useState(task.own?.comment ?? "");
  const [edit, setEdit] = useState<Edit>(task.own?.edit ?? {});
  const [problem, setProblem] = useState<Problem | null>(null);
  const [saving, setSaving] = useState(false);
  const left = overview.criteria.filter((one) => answers[one.name] === undefined);
  const closed = !overview.blind;
  const answer = (value: boolean) => {
    const next = left[0];
    if (writing() || !next || closed) return false;
    setAnswers({ ...answers, [next.name]: value });
    return true;
  };
  useShortcut("y", () => answer(true));
  useShortcut("n", () => answer(false));
  const save = async () => {
    if (left.length > 0 || saving || closed) return;
    setSaving(true);
    try {
      const body = { digest: task.digest, answers, comment, edit: { question: edit.question ?? null, sql: edit.sql ?? null } };
      judged(await ok(api.PUT("/api/review/annotators/{name}/tasks/{number}", { params: { path: { name, number: task.number } }, body })));
    } catch (error) {
      setProblem(problemOf(error));
      setSaving(false);
    }
  };
  useShortcut("mod+enter", () => void save());
  useEffect(() => document.getElementById("review-answers")?.focus({ preventScroll: true }), []);
  return (
    <article className="detail review-step">
      <TaskText task={task}>, {task.number} of {overview.tasks}</TaskText>
      <QueryRows sql={task.sql} label="Its rows" />
      <form id="review-answers" tabIndex={-1} className="review-step" aria-label="Your judgement" onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}>
        <div className="review-answers">
          {overview.criteria.map((one) => (
            <YesNo key={one.name} name={one.name} legend={sentenced(one.question)} value={answers[one.name] ?? null}
              set={(value) => setAnswers({ ...answers, [one.name]: value })} />
          ))}
        </div>
        <label className="stack">Why, where something is wrong
          <textarea className="field" rows={2} value={comment} onChange={(event) => setComment(event.target.value)} />
        </label>
        <EditFields task={task} edit={edit} set={setEdit} />
        {problem && <ProblemNote problem={problem} />}
        {closed ? <p className="quiet">The annotators are done: judgements stay as they are.</p> : (
          <div className="actions">
            <button type="submit" className="button main" disabled={left.length > 0 || saving}>Save and go on</button>
            <span className="quiet">keys: <kbd>Y</kbd> <kbd>N</kbd> answer, <kbd>{shown("mod+enter")}</kbd> saves</span>
          </div>
        )}
      </form>
    </article>
  );
}

function sentenced(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
