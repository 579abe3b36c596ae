import { type FormEvent, useState } from "react";
import { api, ok, problemOf } from "../../api/client";
import type { ItemDetail, Problem, Trust } from "../../api/types";
import { sentence } from "../../lib/format";
import { useLoaded } from "../../lib/load";
import { go } from "../../lib/router";
import { Badge, ProblemNote, Waiting } from "../../ui/bits";
import { Sql } from "../../ui/code-line";
import { Dialog } from "../../ui/dialog";

export type Wish = "describe" | "merge" | "deprecate" | "verify" | "unverify";

const TITLES: Record<Wish, string> = {
  describe: "Rename this piece",
  merge: "Merge this piece into another",
  deprecate: "Deprecate this piece",
  verify: "Verify this piece",
  unverify: "Set this piece back to unverified",
};
const ABOUT: Record<Wish, string> = {
  describe: "It is called this in lists, drafts and citations. No later run of learning replaces your words.",
  merge: "The other one is used in its place and takes over its names.",
  deprecate: "It is not handed to the model any more; drafts that use it are warned.",
  verify: "The pattern, whatever the value, is trusted from now on; your name, the time and the reason are kept with this version.",
  unverify: "Nobody vouches for it any more, and nobody warns of it: it is used as what the history says.",
};

const DO: Record<Wish, string> = { describe: "Save", merge: "Merge", deprecate: "Deprecate", verify: "Verify", unverify: "Set it back" };
const JUDGED: Partial<Record<Wish, Trust>> = { verify: "verified", deprecate: "deprecated", unverify: "unverified" };

/** A change of one item, with the reason that is kept with its version. */
export function ItemChange(props: { item: ItemDetail; wish: Wish; close: () => void; done: (item: ItemDetail) => void }) {
  const { item, wish, close } = props;
  const shown = item.description || item.name;
  const [name, setName] = useState(shown);
  const [why, setWhy] = useState("");
  const [into, setInto] = useState<number | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const needsWhy = wish === "merge" || wish === "deprecate";
  const ready = (wish !== "describe" || (name.trim() !== "" && name.trim() !== shown)) && (!needsWhy || why.trim() !== "") && (wish !== "merge" || into !== null);
  const send = async (event: FormEvent) => {
    event.preventDefault();
    const params = { params: { path: { id: item.id } } };
    try {
      if (wish === "describe") props.done(await ok(api.PATCH("/api/knowledge/{id}", { ...params, body: { name: name.trim(), description: name.trim(), why } })));
      const trust = JUDGED[wish];
      if (trust) props.done(await ok(api.POST("/api/knowledge/{id}/trust", { ...params, body: { trust, why } })));
      if (wish === "merge" && into !== null) {
        const kept = await ok(api.POST("/api/knowledge/{id}/merge", { ...params, body: { into, why } }));
        go(`/knowledge/${kept.id}`);
      }
      close();
    } catch (error) {
      setProblem(problemOf(error));
    }
  };
  return (
    <Dialog label={TITLES[wish]} className="refine" close={close}>
      <form onSubmit={(event) => void send(event)}>
        <h2>{TITLES[wish]}</h2>
        <p className="about">{ABOUT[wish]}</p>
        {wish === "describe" && (
          <label className="stack">Name<textarea className="field" rows={2} value={name} maxLength={200} required autoFocus onFocus={(event) => event.target.select()}
            onChange={(event) => setName(event.target.value)} /></label>
        )}
        {wish === "merge" && <Similar id={item.id} into={into} choose={setInto} />}
        <label className="stack">Reason{!needsWhy && " (may be left out)"}<input className="field" value={why} maxLength={2000} required={needsWhy} onChange={(event) => setWhy(event.target.value)} /></label>
        {problem && <ProblemNote problem={problem} />}
        <div className="actions">
          <button type="button" className="button" onClick={close}>Cancel</button>
          <button type="submit" className="button main" disabled={!ready}>{DO[wish]}</button>
        </div>
      </form>
    </Dialog>
  );
}

function Similar({ id, into, choose }: { id: number; into: number | null; choose: (id: number) => void }) {
  const { data, problem } = useLoaded((signal) => ok(api.GET("/api/knowledge/{id}/similar", { params: { path: { id } }, signal })), [id]);
  if (problem) return <ProblemNote problem={problem} />;
  if (!data) return <Waiting>Looking for those that are alike</Waiting>;
  if (data.length === 0) return <p>There is none that it is like.</p>;
  return (
    <ul className="options" role="radiogroup" aria-label="Into which one">
      {data.map(({ item }) => (
        <li key={item.id}>
          <button type="button" role="radio" aria-checked={into === item.id} onClick={() => choose(item.id)}>
            <span>{sentence(item.description || item.name)} <Badge citation={{ status: "cited", support: item.support, trust: item.trust }} /></span>
            <Sql text={item.sql} />
          </button>
        </li>
      ))}
    </ul>
  );
}
