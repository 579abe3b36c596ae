import { type ReactNode, useMemo } from "react";
import type { Problem, Proposal } from "../../api/types";
import { partsOf } from "../../lib/diff";
import { sentence } from "../../lib/format";
import { ProblemNote } from "../../ui/bits";
import { Sql } from "../../ui/code-line";

/** What a change would do, to be looked at; `back` where the wish can be said otherwise. */
export function Review(props: { proposal: Proposal; problem: Problem | null; busy: boolean; apply: () => void; back?: () => void; close: () => void; children?: ReactNode }) {
  const { proposal } = props;
  const parts = useMemo(() => partsOf(proposal), [proposal]);
  if (proposal.before === proposal.after) {
    return (
      <div>
        <h2>Nothing would change</h2>
        <p>{proposal.act === "wish" ? "What came back is what stands there already. Say it in other words, or edit the SQL of the piece." : "This is what stands there already."}</p>
        {props.children}
        {props.problem && <ProblemNote problem={props.problem} />}
        <div className="actions">
          {props.back && <button type="button" className="button" autoFocus onClick={props.back}>Back</button>}
          <button type="button" className="button" onClick={props.close}>Leave as it is</button>
        </div>
      </div>
    );
  }
  return (
    <div>
      <h2>This changes, the rest stays as it is</h2>
      <div className="diff" role="region" aria-label="Difference" tabIndex={0}>
        <div>
          {parts.map((part, at) =>
            part.how === "same" ? <span key={at}>{part.text}</span>
            : part.how === "gap" ? <span key={at} className="gap">  {part.text}</span>
            : part.how === "cut" ? <del key={at}>{part.text}</del>
            : <ins key={at}>{part.text}</ins>,
          )}
        </div>
      </div>
      {proposal.affected.length > 0 && (
        <div className="affected">
          <p>Written as before, these mean something else now:</p>
          <ul>{proposal.affected.map((text) => <li key={text}><Sql text={text} /></li>)}</ul>
        </div>
      )}
      {props.children}
      {proposal.notes.map((note) => <p key={note} className="told">{sentence(note)}</p>)}
      {props.problem && <ProblemNote problem={props.problem} />}
      <div className="actions">
        {props.back && <button type="button" className="button bare" onClick={props.back}>Back</button>}
        <button type="button" className="button" onClick={props.close}>Leave as it is</button>
        <button type="button" className="button main" autoFocus disabled={props.busy} onClick={props.apply}>Apply</button>
      </div>
    </div>
  );
}
