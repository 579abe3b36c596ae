import { useEffect, useMemo, useState } from "react";
import { elapsed, limitWords, modelWords } from "../../lib/waiting";
import { useDesk, type Progress } from "../../state/desk";
import { Icon } from "../../ui/icons";
import { Waiting } from "../../ui/bits";
import { Sql } from "../../ui/code-line";
import { KnownPanel } from "../ask/known";

/** A question while it is answered: the stages, what is known, and the text as the model writes it. */
export function Asking({ question, progress }: { question: string; progress: Progress }) {
  const cancel = useDesk((state) => state.cancel);
  const written = useMemo(() => unfenced(progress.written), [progress.written]);
  return (
    <div className="asking" aria-busy="true">
      <h1>{question}</h1>
      <ol className="stages" aria-live="polite">
        {progress.stages.map((stage, at) => {
          const now = at === progress.stages.length - 1;
          return (
            <li key={stage + at} aria-current={now ? "step" : undefined}>
              {now ? <Waiting>{stage}</Waiting> : <><Icon name="check" size={13} /> {stage}</>}
            </li>
          );
        })}
        <li><button type="button" className="button bare" onClick={() => void cancel()}>Stop</button></li>
      </ol>
      <HowFar progress={progress} />
      <div className="asking-body">
        <section aria-label="What is known">
          {progress.known ? <KnownPanel known={progress.known} /> : <p className="quiet">What is known shows here first.</p>}
        </section>
        <section aria-label="The SQL as it is written" className="writing">
          {written ? <Sql text={written} block /> : <p className="quiet">The SQL shows here as it is written.</p>}
        </section>
      </div>
    </div>
  );
}

/** How far the model is, how long it took, and when it is given up; what it says is not read out each second. */
function HowFar({ progress: { model, began } }: { progress: Progress }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const clock = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(clock);
  }, []);
  const reading = model?.phase === "reads" && model.total ? model : null;
  return (
    <div className="quiet">
      <p>{model && `${modelWords(model)}, `}{elapsed(now - began)}. {model && limitWords(model)}</p>
      {reading && <progress value={reading.done} max={reading.total ?? undefined} aria-label="Read of the prompt" />}
    </div>
  );
}

/** What a model says without the fence around its SQL. */
export function unfenced(text: string): string {
  return text.replace(/^\s*```[a-z]*\n?/i, "").replace(/\n?```[\s\S]*$/, "");
}
