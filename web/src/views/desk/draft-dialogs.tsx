import { type FormEvent, useEffect, useRef, useState } from "react";
import { api, ok, problemOf } from "../../api/client";
import { listen } from "../../api/events";
import type { Problem } from "../../api/types";
import { many } from "../../lib/format";
import { matches } from "../../lib/keys";
import { useApp } from "../../state/app";
import { useDesk } from "../../state/desk";
import { ProblemNote, Waiting } from "../../ui/bits";
import { Dialog } from "../../ui/dialog";
import { Keys } from "./keys";

/** The windows that are about the whole draft; which one is open is known to the desk. */
export function DraftDialogs() {
  const dialog = useDesk((state) => state.dialog);
  const close = () => useDesk.setState({ dialog: null });
  if (dialog === "question") return <AskAnew close={close} />;
  if (dialog === "teach") return <Teach close={close} />;
  if (dialog === "keys") return <Keys close={close} />;
  return null;
}

/** The question in other words: the whole SQL is written anew, as one step that can be undone. */
function AskAnew({ close }: { close: () => void }) {
  const { draft, again } = useDesk();
  const [question, setQuestion] = useState(draft?.question ?? "");
  const [problem, setProblem] = useState<Problem | null>(null);
  const send = async (event?: FormEvent) => {
    event?.preventDefault();
    if (question.trim() === "") return;
    const failed = await again(question.trim());
    if (failed === null) close();
    else setProblem(failed);
  };
  return (
    <Dialog label="Change the question" className="refine" close={close}>
      <form onSubmit={(event) => void send(event)} onKeyDown={(event) => matches("mod+enter", event.nativeEvent) && void send()}>
        <h2>Ask it in other words</h2>
        <p className="about">The whole SQL is written anew. Undo brings back what is there now, with your changes.</p>
        <label className="stack">Question<textarea className="field" rows={3} autoFocus maxLength={20_000} value={question} onChange={(event) => setQuestion(event.target.value)} /></label>
        {problem && <ProblemNote problem={problem} />}
        <div className="actions">
          <button type="button" className="button" onClick={close}>Cancel</button>
          <button type="submit" className="button main" disabled={question.trim() === ""}>Write the SQL</button>
        </div>
      </form>
    </Dialog>
  );
}

/** A query that is right becomes part of the history: what was new in it is cited from then on. */
export function Teach({ close }: { close: () => void }) {
  const { draft, refresh } = useDesk();
  const { say, load } = useApp();
  const [question, setQuestion] = useState(draft?.question ?? "");
  const [why, setWhy] = useState("");
  const [verify, setVerify] = useState(true);
  const [stage, setStage] = useState<string | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const stop = useRef(() => {});
  useEffect(() => () => stop.current(), []);
  if (!draft) return null;
  const send = async (event: FormEvent) => {
    event.preventDefault();
    setProblem(null);
    setStage("Beginning");
    try {
      const body = { question: question.trim() || null, verify, why };
      const job = await ok(api.POST("/api/drafts/{id}/lessons", { params: { path: { id: draft.id } }, body }));
      stop.current = listen(job.id, {
        stage: (one) => setStage(one.stage),
        learned: ({ report }) => {
          say(report.verified > 0 ? `Learned; ${many(report.verified, "piece")} verified` : report.new > 0 ? "Learned: it is cited from now on" : "sqlore knew it already");
        },
        problem: (one) => setProblem(one.problem),
        end: ({ status }) => {
          setStage(null);
          if (status !== "done") return;
          void refresh();
          void load();
          close();
        },
      }, () => setStage(null));
    } catch (error) {
      setProblem(problemOf(error));
      setStage(null);
    }
  };
  return (
    <Dialog label="Teach sqlore this query" className="refine" close={close}>
      <form onSubmit={(event) => void send(event)}>
        <h2>Teach sqlore this query</h2>
        <p className="about">It is learned like a script of the history, under your name: later questions find its pieces and cite them.</p>
        <label className="stack">The question it answers<textarea className="field" rows={2} maxLength={20_000} value={question} autoFocus onChange={(event) => setQuestion(event.target.value)} /></label>
        <label className="check"><input type="checkbox" checked={verify} onChange={(event) => setVerify(event.target.checked)} /> I checked every piece: verify them all, the patterns whatever their values</label>
        {verify && <label className="stack">How it was checked (may be left out)<input className="field" value={why} maxLength={2000} onChange={(event) => setWhy(event.target.value)} /></label>}
        {problem && <ProblemNote problem={problem} />}
        <div className="actions">
          {stage !== null && <Waiting>{stage}</Waiting>}
          <button type="button" className="button" onClick={close}>Cancel</button>
          <button type="submit" className="button main" disabled={stage !== null}>Teach it</button>
        </div>
      </form>
    </Dialog>
  );
}
