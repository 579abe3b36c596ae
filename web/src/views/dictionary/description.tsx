import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { api, ok, problemOf } from "../../api/client";
import { listen } from "../../api/events";
import type { ColumnEntry, Problem } from "../../api/types";
import { matches } from "../../lib/keys";
import { useApp } from "../../state/app";
import { ProblemNote, Waiting } from "../../ui/bits";
import { Icon } from "../../ui/icons";

export const SAID: Record<NonNullable<ColumnEntry["source"]>, string> = {
  person: "written here",
  model: "written by the model",
  history: "from the history",
  file: "from a file",
  database: "from the database",
};

interface Props {
  table: string;
  column: string | null;
  text: string;
  source: ColumnEntry["source"] | null;
  aliases: ColumnEntry["aliases"];
  save: (text: string) => Promise<Problem | null>;
}

/** A description that is edited where it stands: a beginning is enough, the model completes it. */
export function Description(props: Props) {
  const [editing, setEditing] = useState(false);
  const name = props.column ?? props.table;
  if (editing) return <Editing {...props} close={() => setEditing(false)} />;
  return (
    <div className="description">
      <button type="button" className="description-text" aria-label={props.text ? `Describe ${name}: ${props.text}` : `Describe it: ${name} is not described`} onClick={() => setEditing(true)}>
        {props.text || <span className="quiet">Describe it</span>} <Icon name="edit" size={12} />
      </button>
      {props.text && props.source && <p className="description-foot quiet">{SAID[props.source]}</p>}
    </div>
  );
}

/** Exported for its test: a completion that is stopped leaves what was typed, and so does what cannot be saved. */
export function Editing({ table, column, text, aliases, save, close }: Props & { close: () => void }) {
  const [typed, setTyped] = useState(text);
  const [busy, setBusy] = useState<"completing" | "saving" | null>(null);
  const [written, setWritten] = useState("");
  const [problem, setProblem] = useState<Problem | null>(null);
  const say = useApp((state) => state.say);
  const field = useRef<HTMLTextAreaElement>(null);
  const stop = useRef(() => {});
  useEffect(() => {
    field.current?.focus();
    field.current?.select();
    return () => stop.current();
  }, []);
  const complete = async () => {
    const before = typed;
    setBusy("completing");
    setWritten("");
    try {
      const job = await ok(api.POST("/api/dictionary/completions", { body: { table, column, begun: typed } }));
      const unlisten = listen(job.id, {
        token: ({ text: more }) => setWritten((before) => before + more),
        // what was typed on meanwhile is not overwritten
        completion: (event) => setTyped((now) => (now === before ? event.text : now)),
        problem: (event) => say(event.problem.detail, "bad"),
        end: () => {
          setBusy(null);
          field.current?.focus();
        },
      }, () => setBusy(null));
      stop.current = () => {
        unlisten();
        void api.DELETE("/api/jobs/{id}", { params: { path: { id: job.id } } }).catch(() => {});
        stop.current = () => {};
      };
    } catch (error) {
      say(problemOf(error).detail, "bad");
      setBusy(null);
    }
  };
  const halt = () => {
    stop.current();
    setBusy(null);
    field.current?.focus();
  };
  const keep = async () => {
    stop.current();
    setBusy("saving");
    const failed = typed.trim() === text ? null : await save(typed.trim());
    if (failed === null) return close();
    setProblem(failed);
    setBusy(null);
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === "Escape") busy === "completing" ? halt() : close();
    else if (matches("mod+enter", event.nativeEvent)) void keep();
    else if (event.key === "Tab" && !event.shiftKey && typed !== text && busy === null) void complete();
    else return;
    event.preventDefault();
  };
  return (
    <div className="describing">
      <textarea ref={field} className="field" rows={3} value={typed} maxLength={4000} disabled={busy === "saving"} aria-label={`Description of ${column ?? table}`}
        onChange={(event) => setTyped(event.target.value)} onKeyDown={press} />
      {aliases.length > 0 && (
        <p className="chips-row">
          <span className="quiet">Scripts call it</span>
          {aliases.slice(0, 6).map((one) => (
            <button key={one.name} type="button" className="word" onClick={() => setTyped(one.name.replaceAll("_", " "))}>{one.name}</button>
          ))}
        </p>
      )}
      {problem && <ProblemNote problem={problem} />}
      <div className="actions">
        <button type="button" className="button main" disabled={busy === "saving"} onClick={() => void keep()}>Save</button>
        {busy === "completing" ? (
          <button type="button" className="button" onClick={halt}>Stop the model</button>
        ) : (
          <button type="button" className="button" disabled={busy !== null} onClick={() => void complete()}>Complete it</button>
        )}
        <button type="button" className="button bare" onClick={close}>Cancel</button>
        {busy === null && <span className="quiet">Tab: the model completes what you began</span>}
        {busy === "completing" && <Waiting>{written || "The model completes it"}</Waiting>}
      </div>
    </div>
  );
}
