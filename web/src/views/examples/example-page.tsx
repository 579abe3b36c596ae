import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from "react";
import { problemOf } from "../../api/client";
import type { Example, Problem } from "../../api/types";
import { ago } from "../../lib/format";
import { shown, useShortcut, writing } from "../../lib/keys";
import { ProblemNote, Waiting } from "../../ui/bits";
import { Sql } from "../../ui/code-line";
import { Icon } from "../../ui/icons";
import { Link } from "../../ui/link";
import { QueryRows } from "../../ui/query-rows";
import type { Decision } from "./use-examples";

interface Props {
  example: Example;
  total: number;
  settle: (example: Example, decision: Decision) => Promise<void>;
}

/** One example: its question, its SQL, the rows it gives here, and what is said of it. */
export function ExamplePage({ example, total, settle }: Props) {
  const [editing, setEditing] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const whole = example.sql !== "" && example.question !== "";
  const send = async (decision: Decision) => {
    if (busy) return;
    setBusy(true);
    setProblem(null);
    try {
      await settle(example, decision);
      setEditing(false);
    } catch (error) {
      setProblem(problemOf(error));
    }
    setBusy(false);
  };
  const key = (may: boolean, act: () => void) => () => {
    if (!may || editing || writing()) return false;
    act();
    return true;
  };
  const can = { approve: whole && example.state !== "approved", reject: example.state !== "rejected", wait: example.state === "approved" || example.state === "rejected" };
  useShortcut("a", key(can.approve, () => void send({ state: "approved" })));
  useShortcut("r", key(can.reject, () => void send({ state: "rejected" })));
  useShortcut("w", key(can.wait, () => void send({ state: "waiting" })));
  useShortcut("e", key(true, () => setEditing(true)));
  return (
    <article className="detail example">
      <header>
        <p className="quiet"><Link className="narrow-only" href={`/examples${location.search}`}>All examples</Link> Example {example.number} of {total}</p>
        <h1>{example.question || "Nothing could be made after this one"}</h1>
      </header>
      {editing ? <EditForm example={example} busy={busy} problem={problem} send={send} close={() => {
        setEditing(false);
        setProblem(null);
      }} /> : (
        <>
          {example.sql ? <Sql text={example.sql} block /> : <p>The model wrote no SQL that runs here and is built alike. You can write the example yourself.</p>}
          {example.problem && <p className="affected">It is not used: the database says that it {example.problem}.</p>}
          <p className="example-said" role="status"><Said example={example} /></p>
          {problem && <ProblemNote problem={problem} />}
          <div className="actions">
            {can.approve && <button type="button" className="button main" disabled={busy} aria-keyshortcuts="A" onClick={() => void send({ state: "approved" })}><Icon name="check" /> Approve <kbd>A</kbd></button>}
            {can.reject && <button type="button" className="button" disabled={busy} aria-keyshortcuts="R" onClick={() => void send({ state: "rejected" })}><Icon name="close" /> Reject <kbd>R</kbd></button>}
            {can.wait && <button type="button" className="button" disabled={busy} aria-keyshortcuts="W" onClick={() => void send({ state: "waiting" })}>Let it wait again <kbd>W</kbd></button>}
            <button type="button" className="button" disabled={busy} aria-keyshortcuts="E" onClick={() => setEditing(true)}><Icon name="edit" /> {whole ? "Edit" : "Write it"} <kbd>E</kbd></button>
            {busy && <Waiting>Saving</Waiting>}
          </div>
          {example.sql && <QueryRows key={example.sql} sql={example.sql} label="Its rows" />}
        </>
      )}
      <Origin example={example} />
      <p className="quiet example-keys"><kbd>J</kbd> <kbd>K</kbd> next and before, <kbd>{shown("mod+z")}</kbd> takes the last decision back</p>
    </article>
  );
}

function Said({ example }: { example: Example }) {
  const by = (
    <>
      {example.by && ` by ${example.by}`}
      {example.at && <>, <time dateTime={example.at} title={new Date(example.at).toLocaleString()}>{ago(example.at)}</time></>}
    </>
  );
  if (example.state === "approved") {
    return <><span className="badge" data-tone="verified"><Icon name="check" size={12} />Approved</span>{by}. {example.item != null && <Link href={`/knowledge/${example.item}`}>What it teaches</Link>}</>;
  }
  if (example.state === "rejected") return <><Icon name="close" size={12} /> Rejected{by}: it is not learned, and not made again.</>;
  if (example.changed) return <>Changed{by}, it waits for somebody to approve it.</>;
  if (example.state === "missing") return <span className="quiet">Not made.</span>;
  return <span className="quiet">It waits: nobody has approved or rejected it.</span>;
}

/** What it was made after, and what became of what the model wrote in vain. */
function Origin({ example }: { example: Example }) {
  const failed = Object.entries(example.failed);
  return (
    <details className="reading">
      <summary>How it was made</summary>
      <p className="quiet">After a query on the training database <code>{example.source}</code>, which it is built like:</p>
      <Sql text={example.pattern} block />
      {failed.length > 0 && <p className="quiet">What the model wrote and could not be used: {failed.map(([why, times]) => `${why} (${times})`).join(", ")}</p>}
    </details>
  );
}

function EditForm({ example, busy, problem, send, close }: { example: Example; busy: boolean; problem: Problem | null; send: (decision: Decision) => Promise<void>; close: () => void }) {
  const [question, setQuestion] = useState(example.question);
  const [sql, setSql] = useState(example.sql || example.pattern);
  const [tried, setTried] = useState<string | null>(null);
  const first = useRef<HTMLTextAreaElement>(null);
  useEffect(() => first.current?.focus(), []);
  const filled = question.trim() !== "" && sql.trim() !== "";
  const save = (state: "approved" | "waiting") => void (filled && send({ state, question, sql }));
  const press = (event: KeyboardEvent) => {
    if (event.key === "Escape") close();
    else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) save("approved");
    else return;
    event.preventDefault();
  };
  return (
    <form className="example-edit" aria-label="Edit the example" onKeyDown={press} onSubmit={(event: FormEvent) => {
      event.preventDefault();
      save("approved");
    }}>
      <div className="stack">
        <label htmlFor="example-question">Question</label>
        <textarea id="example-question" ref={first} className="field" rows={2} maxLength={20_000} value={question} onChange={(event) => setQuestion(event.target.value)} />
      </div>
      <div className="stack">
        <label htmlFor="example-sql">SQL</label>
        <textarea id="example-sql" className="field mono" rows={Math.min(16, Math.max(5, sql.split("\n").length + 2))} spellCheck={false} value={sql} onChange={(event) => setSql(event.target.value)} />
      </div>
      {problem && <ProblemNote problem={problem} />}
      <div className="actions">
        <button type="submit" className="button main" disabled={busy || !filled}>Save and approve <kbd>{shown("mod+enter")}</kbd></button>
        <button type="button" className="button" disabled={busy || !filled} onClick={() => save("waiting")}>Save</button>
        <button type="button" className="button" disabled={sql.trim() === ""} onClick={() => setTried(sql)}>Show its rows</button>
        <button type="button" className="button bare" onClick={close}>Cancel</button>
        {busy && <Waiting>Running it</Waiting>}
      </div>
      {tried !== null && <QueryRows sql={tried} label="Rows of the SQL above" />}
    </form>
  );
}
