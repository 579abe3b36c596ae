import { useState } from "react";
import type { Step } from "../../api/types";
import { useDesk } from "../../state/desk";
import { Empty } from "../../ui/bits";
import { KindIcon } from "../../ui/icons";
import { type Change, Refine } from "./refine";

/** Why something that is switched off is not offered to come back. */
export function StaysOff({ why }: { why: string }) {
  return <p className="quiet stays-off">Cannot come back now: {why}</p>;
}

const SAID: Record<Step["act"], string> = {
  edit: "edited",
  alternative: "replaced by another of the history",
  off: "switched off",
  on: "brought back",
  add: "added",
  wish: "changed by a wish",
  sql: "the whole SQL written anew",
};

/** What was changed since the draft was written, step by step; steps that were undone are shown paler. */
export function StepsPane() {
  const draft = useDesk((state) => state.draft);
  const [change, setChange] = useState<Change | null>(null);
  if (!draft || draft.steps.length === 0) {
    return (
      <Empty title="Nothing was changed yet">
        <p>The SQL is as it was first written. Each change you make to one piece is a step here, and each can be undone.</p>
      </Empty>
    );
  }
  return (
    <>
      <ol className="steps">
        {draft.steps.map((step) => (
          <li key={step.number} data-done={step.done}>
            <KindIcon kind={step.kind} said={step.act !== "sql"} />
            <div>
              <p>{step.act === "sql" ? "" : `A ${step.kind} was `}{SAID[step.act]}{!step.done && ", and undone"}</p>
              {step.said && <p><q>{step.said}</q></p>}
              {step.act !== "sql" && <p>{step.fragment && <del>{step.fragment}</del>} {step.text && step.act !== "off" && <ins>{step.text}</ins>}</p>}
              {step.off && step.done && step.stays_off && <StaysOff why={step.stays_off} />}
            </div>
            {step.off && step.done && !step.stays_off && (
              <button type="button" className="button" onClick={() => setChange({ how: "on", step })}>Bring back</button>
            )}
          </li>
        ))}
      </ol>
      {change && <Refine change={change} close={() => setChange(null)} />}
    </>
  );
}
