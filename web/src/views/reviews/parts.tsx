import { type ReactNode, useState } from "react";
import type { components } from "../../api/schema";
import { Sql } from "../../ui/code-line";
import { QueryRows } from "../../ui/query-rows";

export type Task = components["schemas"]["ReviewTask"];
export type Overview = components["schemas"]["ReviewOverview"];
export type Edit = components["schemas"]["Proposed"];

/** A task as people read it: its question, what is said with it, its SQL. */
export function TaskText({ task, children }: { task: Task; children?: ReactNode }) {
  return (
    <>
      <header>
        <p className="quiet">Task {task.id}{children}</p>
        <h2 className="review-question">{task.question}</h2>
      </header>
      {task.evidence && <p><span className="label">Evidence</span> {task.evidence}</p>}
      <Sql text={task.sql} block />
    </>
  );
}

/** Another wording, other SQL: what a person would make of a task. The rows of the SQL are shown before it is saved. */
export function EditFields({ task, edit, set }: { task: Task; edit: Edit; set: (edit: Edit) => void }) {
  const [tried, setTried] = useState<string | null>(null);
  const changed = edit.sql !== null && edit.sql !== undefined && edit.sql.trim() !== task.sql.trim();
  return (
    <details open={edit.question != null || edit.sql != null}>
      <summary>Change the question or the SQL</summary>
      <div className="review-step" style={{ paddingTop: "0.75rem" }}>
        <div className="stack">
          <label htmlFor="edit-question">Question</label>
          <textarea id="edit-question" className="field" rows={2} value={edit.question ?? task.question} onChange={(event) => set({ ...edit, question: event.target.value })} />
        </div>
        <div className="stack">
          <label htmlFor="edit-sql">SQL</label>
          <textarea id="edit-sql" className="field mono" rows={8} spellCheck={false} value={edit.sql ?? task.sql} onChange={(event) => set({ ...edit, sql: event.target.value })} />
        </div>
        <div className="actions">
          <button type="button" className="button" disabled={!changed} onClick={() => setTried(edit.sql ?? null)}>Show its rows</button>
          <button type="button" className="button bare" disabled={edit.question == null && edit.sql == null} onClick={() => set({})}>Leave the task as it is</button>
        </div>
        {tried !== null && changed && <QueryRows sql={tried} label="Rows of the changed SQL" />}
      </div>
    </details>
  );
}

/** A yes or no; `null` is neither yet. */
export function YesNo(props: { name: string; legend: string; value: boolean | null; set: (value: boolean) => void; words?: [string, string] }) {
  const [yes, no] = props.words ?? ["Yes", "No"];
  return (
    <fieldset>
      <legend>{props.legend}</legend>
      <div className="choice">
        {[true, false].map((value) => (
          <label key={String(value)}>
            <input type="radio" name={props.name} checked={props.value === value} onChange={() => props.set(value)} />
            {value ? yes : no}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
