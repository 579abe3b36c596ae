import { useState } from "react";
import { problemOf } from "../../api/client";
import type { Concern } from "../../api/types";
import { ago } from "../../lib/format";
import { useApp } from "../../state/app";
import { useDesk } from "../../state/desk";
import { Icon, KindIcon } from "../../ui/icons";
import { Sql } from "../../ui/code-line";

const WHY: Record<Concern["why"], string> = {
  unverified: "nobody has verified this knowledge",
  near: "the history has something like it, but not this",
  novel: "nothing like it is in the history",
  deprecated: "this knowledge is deprecated",
  new_value: "the form is verified, the value is new",
};

/** Says, above the result, that sensitive columns are computed with knowledge that nobody has verified. */
export function TrustBar() {
  const { draft, confirm } = useDesk();
  const say = useApp((state) => state.say);
  const [open, setOpen] = useState(false);
  const [why, setWhy] = useState("");
  const trust = draft?.trust;
  if (!trust || trust.concerns.length === 0) return null;
  const columns = [...new Set(trust.concerns.flatMap((one) => one.columns))];
  const parts = trust.concerns.length === 1 ? "One part" : `${trust.concerns.length} parts`;
  return (
    <section className="trust" data-needs={trust.needs_confirmation} aria-label="Trust">
      <div className="trust-line">
        <Icon name={trust.needs_confirmation ? "warn" : "check"} />
        <p>
          {trust.needs_confirmation
            ? `${parts} of this query ${trust.concerns.length === 1 ? "computes" : "compute"} in sensitive columns (${columns.join(", ")}) with knowledge that nobody has verified.`
            : `${trust.confirmed?.who} looked at the parts that touch sensitive columns and confirmed them${trust.confirmed?.why ? `: ${trust.confirmed.why}` : ""}.`}
          {!trust.needs_confirmation && trust.confirmed && <time className="quiet" dateTime={trust.confirmed.when} title={trust.confirmed.when}> {ago(trust.confirmed.when)}</time>}
        </p>
        <button type="button" className="button bare" aria-expanded={open} onClick={() => setOpen(!open)}>{open ? "Hide" : "Show"} them</button>
        {trust.needs_confirmation && (
          <button type="button" className="button" onClick={() => void confirm(why).catch((error) => say(problemOf(error).detail, "bad"))}>
            I checked them
          </button>
        )}
      </div>
      {open && (
        <ul>
          {trust.concerns.map((one) => (
            <li key={`${one.start}-${one.kind}`}><KindIcon kind={one.kind} /> <Sql text={one.sql} /> <span className="quiet">{WHY[one.why]}</span></li>
          ))}
        </ul>
      )}
      {open && trust.needs_confirmation && (
        <label className="trust-why">How you checked them, kept with the confirmation <input className="field" value={why} maxLength={2000} onChange={(event) => setWhy(event.target.value)} /></label>
      )}
    </section>
  );
}
