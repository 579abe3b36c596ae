import { useEffect, useRef, useState } from "react";
import { api, ok } from "../../api/client";
import type { ItemDetail, Proposal, RefineOption } from "../../api/types";
import { sentence } from "../../lib/format";
import { useLoaded } from "../../lib/load";
import { go } from "../../lib/router";
import { useDesk } from "../../state/desk";
import { ProblemNote, Waiting } from "../../ui/bits";
import { Sql } from "../../ui/code-line";
import { Dialog } from "../../ui/dialog";
import { KindIcon } from "../../ui/icons";
import { ValueFields, whole } from "./additions";
import { Review } from "./review";
import { useProposal } from "./use-proposal";

/** A piece of the history put into the open draft: what changes, where and with which value; or why it does not fit. */
export function AddPiece({ item, script, close }: { item: number; script?: number; close: () => void }) {
  const { id, proposal, problem, busy, ask, apply } = useProposal(close);
  const piece = useLoaded((signal) => ok(api.GET("/api/knowledge/{id}", { params: { path: { id: item } }, signal })), [item]).data;
  const there = useDesk((state) => state.explained?.nodes.flatMap((node) => node.items).find((one) => one.citation?.status === "cited" && one.citation.item === item));
  const [scope, setScope] = useState("main");
  const [written, setWritten] = useState<string[] | null>(null);
  const propose = (into: string, values?: string[] | null) => {
    setScope(into);
    void ask({ act: "add", item, scope: into, script, values });
  };
  const begun = useRef(false);
  useEffect(() => {
    if (begun.current) return;
    begun.current = true;
    propose("main");
  });
  const into = <Into draft={id ?? ""} scope={scope} busy={busy} choose={(wanted) => propose(wanted, written)} />;
  const instead = written ?? piece?.literals[0]?.values ?? []; // what is there already may be added with another value
  if (proposal && !problem) {
    const values = written ?? valuesIn(piece, proposal);
    return (
      <Dialog label="Add a piece of the history" className="refine" close={close}>
        <Review proposal={proposal} problem={null} busy={busy} apply={() => void apply()} close={close}>
          {there && <p className="told">The draft has this pattern already: <Sql text={there.sql} /></p>}
          {into}
          {piece && values && <WithValues draft={id ?? ""} scope={scope} piece={piece} values={values} busy={busy} set={setWritten} show={() => propose(scope, values)} />}
        </Review>
      </Dialog>
    );
  }
  return (
    <Dialog label="Add a piece of the history" className="refine" close={close}>
      <div>
        <h2>{problem ? "This piece does not fit here" : "Add a piece of the history"}</h2>
        {piece && <p className="about"><KindIcon kind={piece.kind} /> {sentence(piece.description || piece.name)}: <Sql text={piece.sql} /></p>}
        {problem && <ProblemNote problem={problem} />}
        {problem && into}
        {problem && piece && instead.length > 0 && <WithValues draft={id ?? ""} scope={scope} piece={piece} values={instead} busy={busy} set={setWritten} show={() => propose(scope, instead)} />}
        <div className="actions">
          {busy && <Waiting>Looking what changes</Waiting>}
          {problem && script === undefined && <button type="button" className="button" onClick={() => go(`/knowledge/${item}?to=draft`)}>Choose another draft</button>}
          <button type="button" className="button" autoFocus onClick={close}>Leave as it is</button>
        </div>
      </div>
    </Dialog>
  );
}

/** Into which part of the query a piece is put, where it has more than one. */
function Into({ draft, scope, busy, choose }: { draft: string; scope: string; busy: boolean; choose: (scope: string) => void }) {
  const { data } = useLoaded((signal) => ok(api.GET("/api/drafts/{id}/items", { params: { path: { id: draft } }, signal })), [draft]);
  const scopes = [...new Set(["main", ...(data ?? []).map((one) => one.scope)])];
  if (scopes.length < 2) return null;
  return (
    <label className="quiet">Into <select value={scope} disabled={busy} onChange={(event) => choose(event.target.value)}>
      {scopes.map((one) => <option key={one} value={one}>{one === "main" ? "the final query" : one.split("/").map((part) => part.replace(":", " ")).join(", ")}</option>)}
    </select></label>
  );
}

interface ValuesProps {
  draft: string;
  scope: string;
  piece: ItemDetail;
  values: string[];
  busy: boolean;
  set: (values: string[]) => void;
  show: () => void;
}

/** The values that a piece is put in with; others can be chosen or written, and are seen in the change before it is applied. */
function WithValues({ draft, scope, piece, values, busy, set, show }: ValuesProps) {
  const { data } = useLoaded((signal) => ok(api.GET("/api/drafts/{id}/additions", { params: { path: { id: draft }, query: { scope } }, signal })), [draft, scope]);
  const column_values = data?.find((one) => one.item === piece.id)?.column_values ?? [];
  const option: Pick<RefineOption, "values" | "column_values"> = { values: piece.literals.map((one) => one.values), column_values };
  return (
    <fieldset className="values-wanted">
      <legend>{values.length === 1 ? "With the value" : "With the values"}</legend>
      <ValueFields values={values} option={option} set={set} enter={show} />
      <button type="button" className="button" disabled={busy || !whole(values)} onClick={show}>Show the change</button>
    </fieldset>
  );
}

/** The values of the history that stand in a proposed piece; null where it has none, or none that is told. */
export function valuesIn(piece: Pick<ItemDetail, "literals"> | null, proposal: Pick<Proposal, "text">): string[] | null {
  return piece?.literals.map((one) => one.values).find((values) => values.length > 0 && values.every((one) => proposal.text.includes(one))) ?? null;
}
