import { useState } from "react";
import { api, ok, problemOf } from "../../api/client";
import type { Draft, Problem } from "../../api/types";
import { sentence } from "../../lib/format";
import { go } from "../../lib/router";
import { ProblemNote } from "../../ui/bits";

/** What a model tried in vain: why each try is none, and each to be mended by hand. */
export function Attempts({ draft }: { draft: Draft }) {
  const [edited, setEdited] = useState<number | null>(null);
  return (
    <details className="attempts">
      <summary>What the model tried</summary>
      {draft.attempts.map((one, at) => (
        <div key={at}>
          {edited === at ? <Mend sql={one.sql} question={draft.question} close={() => setEdited(null)} /> : <pre className="sql">{one.sql}</pre>}
          {one.error && <p className="quiet">{sentence(one.error)}</p>}
          {one.sql && edited !== at && <button type="button" className="button" onClick={() => setEdited(at)}>Edit this try</button>}
        </div>
      ))}
    </details>
  );
}

/** A try in an editor: opened as a draft of the same question once it can be read. */
function Mend({ sql, question, close }: { sql: string; question: string; close: () => void }) {
  const [text, setText] = useState(sql);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const open = async () => {
    setBusy(true);
    setProblem(null);
    try {
      const made = await ok(api.POST("/api/drafts", { body: { sql: text.trim(), question } }));
      go({ view: "draft", id: made.id });
    } catch (error) {
      setProblem(problemOf(error));
      setBusy(false);
    }
  };
  return (
    <form className="mend" onSubmit={(event) => (event.preventDefault(), void open())}>
      <textarea className="sql" aria-label="SQL of this try" autoFocus spellCheck={false} rows={Math.min(16, Math.max(6, text.split("\n").length + 1))}
        value={text} onChange={(event) => setText(event.target.value)} />
      {problem && <ProblemNote problem={problem} />}
      <div className="actions">
        <button type="submit" className="button main" disabled={busy || text.trim() === ""}>Open this SQL</button>
        <button type="button" className="button bare" onClick={close}>Leave it as it was</button>
      </div>
    </form>
  );
}
