import { lazy, Suspense, useState } from "react";
import type { Problem } from "../../api/types";
import { shown, useShortcut } from "../../lib/keys";
import { useApp } from "../../state/app";
import { useDesk } from "../../state/desk";
import { ProblemNote, Waiting } from "../../ui/bits";
import { Icon } from "../../ui/icons";
import { CodeView } from "./code-view";

const Editor = lazy(() => import("./code-editor"));

/** The SQL: read with its citations, or edited as a whole. */
export function CodePane() {
  const { draft, write } = useDesk();
  const say = useApp((state) => state.say);
  const [editing, setEditing] = useState(false);
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<Problem | null>(null);
  const edit = () => {
    setText(draft?.sql ?? "");
    setProblem(null);
    setEditing(true);
  };
  const save = async () => {
    const found = await write(text);
    setProblem(found);
    if (found === null) setEditing(false);
  };
  useShortcut("mod+e", () => (editing ? false : edit()));
  if (!draft) return null;
  const copy = () => void navigator.clipboard.writeText(draft.sql).then(() => say("The SQL is copied"));
  return (
    <section className="pane code-pane" aria-label="Code">
      <div className="pane-head">
        <h2>SQL</h2>
        <span className="quiet">{draft.dialect}</span>
        <div className="actions end">
          {editing ? (
            <>
              <button type="button" className="button bare" onClick={() => setEditing(false)}>Leave as it was</button>
              <button type="button" className="button main" onClick={() => void save()} title={shown("mod+enter")}>Check and run</button>
            </>
          ) : (
            <>
              <button type="button" className="button bare" onClick={copy}><Icon name="copy" /> Copy</button>
              <button type="button" className="button bare" onClick={edit} title={shown("mod+e")}><Icon name="edit" /> Edit</button>
            </>
          )}
        </div>
      </div>
      {editing ? (
        <div className="pane-body code-editing">
          <Suspense fallback={<div className="state"><Waiting>Opening the editor</Waiting></div>}>
            <Editor text={text} change={setText} save={() => void save()} leave={() => setEditing(false)} problem={problem} />
          </Suspense>
          {problem && <div className="code-problem"><ProblemNote problem={problem} /></div>}
        </div>
      ) : (
        <CodeView />
      )}
    </section>
  );
}
