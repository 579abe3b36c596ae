import { type FormEvent, useState } from "react";
import { sentence } from "../../lib/format";
import { matches } from "../../lib/keys";
import { useDesk } from "../../state/desk";
import { ProblemNote, Waiting } from "../../ui/bits";
import { unfenced } from "./asking";

/**
 * What stands in the place of the knowledge where a draft is one of the baseline: the model is told in plain words what
 * to change, and writes the whole anew (Cerebra's Baseline, section 6). What was said before is part of the question.
 */
export function ChatPane() {
  const { draft, explained, progress, problem, again } = useDesk();
  const [words, setWords] = useState("");
  if (!draft) return null;
  const send = async (event?: FormEvent) => {
    event?.preventDefault();
    const said = words.trim();
    if (said === "" || progress !== null) return;
    setWords("");
    const failed = await again([draft.question, said].filter(Boolean).join("\n"));
    if (failed !== null) setWords((now) => now || said);
  };
  const about = sentence(explained?.description ?? "");
  return (
    <div className="chat">
      <ol aria-live="polite">
        {draft.question.split("\n").filter(Boolean).map((text, at) => <li key={at} data-who="me">{text}</li>)}
        {progress === null ? <li data-who="model">{about || "The SQL stands beside this."}</li> : (
          <li data-who="model">{progress.written ? <pre className="sql">{unfenced(progress.written)}</pre> : <Waiting>{progress.stages.at(-1) ?? "Asking"}</Waiting>}</li>
        )}
      </ol>
      {problem && <ProblemNote problem={problem} />}
      <form onSubmit={(event) => void send(event)} onKeyDown={(event) => matches("mod+enter", event.nativeEvent) && void send()}>
        <label className="stack">Say what to change<textarea className="field" rows={2} maxLength={4000} value={words} onChange={(event) => setWords(event.target.value)} /></label>
        <div className="actions"><button type="submit" className="button" disabled={progress !== null || words.trim() === ""}>Send</button></div>
      </form>
    </div>
  );
}
