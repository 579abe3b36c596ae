import { type KeyboardEvent, useRef, useState } from "react";
import { api, ok } from "../../api/client";
import type { DraftSummary, ItemDetail } from "../../api/types";
import { ago, sentence } from "../../lib/format";
import { moveFocus } from "../../lib/keys";
import { useLoaded } from "../../lib/load";
import { go } from "../../lib/router";
import { lastDraft } from "../../state/desk";
import { titleOf } from "../../state/drafts";
import { ProblemNote, Waiting } from "../../ui/bits";
import { Sql } from "../../ui/code-line";
import { Dialog } from "../../ui/dialog";
import { KindIcon } from "../../ui/icons";
import { Link } from "../../ui/link";

const SHOWN = 12;

type Target = Pick<DraftSummary, "id" | "title" | "question" | "sql" | "changed" | "baseline">;

/** A draft to put a piece into: the one that was open last first, then those that were changed last. The draft shows what would change. */
export function AddToDraft({ item, close }: { item: Pick<ItemDetail, "id" | "kind" | "description" | "name">; close: () => void }) {
  const [words, setWords] = useState("");
  const box = useRef<HTMLDivElement>(null);
  const last = lastDraft()?.id;
  const { data, problem } = useLoaded((signal) => targets(words.trim(), last, signal), [words.trim(), last]);
  const choose = (draft: Target | undefined) => draft && go(`/d/${draft.id}?add=${item.id}`);
  const press = (event: KeyboardEvent) => {
    const enter = event.key === "Enter" && event.target instanceof HTMLInputElement;
    if (enter) choose(data?.[0]);
    else if (!moveFocus(box.current, event.key)) return;
    event.preventDefault();
  };
  return (
    <Dialog label="Add to a draft" className="refine" close={close}>
      <div ref={box} onKeyDown={press}>
        <h2>Add to a draft</h2>
        <p className="about"><KindIcon kind={item.kind} /> {sentence(item.description || item.name)}. The draft shows what would change before anything does.</p>
        <input className="field" type="search" autoFocus value={words} placeholder="Words of the question or the SQL" aria-label="Find a draft" onChange={(event) => setWords(event.target.value)} />
        {problem && <ProblemNote problem={problem} />}
        {!data && !problem && <Waiting>Looking for drafts</Waiting>}
        {data?.length === 0 && (words.trim() !== "" ? <p>No draft with SQL is like that.</p> : <p>There is no draft with SQL yet. <Link href="/">Ask a question</Link> first.</p>)}
        {data && data.length > 0 && (
          <ul className="options" aria-label="Drafts">
            {data.map((draft) => (
              <li key={draft.id}>
                <button type="button" onClick={() => choose(draft)}>
                  <span className="option-title">
                    <span>{titleOf(draft)}</span>
                    <span className="quiet">{draft.id === last && "open last, "}{draft.baseline && "without the history, "}changed {ago(draft.changed)}</span>
                  </span>
                  <span className="ellipsis"><Sql text={draft.sql.slice(0, 300).replace(/\s+/g, " ")} /></span>
                </button>
              </li>
            ))}
          </ul>
        )}
        <div className="actions">
          <span className="quiet">Enter takes the first, the arrows choose another.</span>
          <button type="button" className="button" onClick={close}>Cancel</button>
        </div>
      </div>
    </Dialog>
  );
}

/** The drafts that have SQL; where nothing is searched for, the one that was open last is the first. */
async function targets(text: string, last: string | undefined, signal: AbortSignal): Promise<Target[]> {
  const query = { text, status: "ready" as const, limit: SHOWN };
  const [page, open] = await Promise.all([
    ok(api.GET("/api/drafts", { params: { query }, signal })),
    last === undefined || text !== "" ? null : ok(api.GET("/api/drafts/{id}", { params: { path: { id: last } }, signal })).catch(() => null), // it may be gone
  ]);
  const found: Target[] = page.drafts.filter((one) => one.sql);
  return open?.sql ? [open, ...found.filter((one) => one.id !== open.id)] : found;
}
