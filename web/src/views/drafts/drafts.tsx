import { type KeyboardEvent, type UIEvent, useEffect, useRef } from "react";
import { api, ok } from "../../api/client";
import type { DraftSummary } from "../../api/types";
import { count } from "../../lib/format";
import { shown } from "../../lib/keys";
import { useLoaded } from "../../lib/load";
import { setQuery, useQuery } from "../../lib/router";
import { removeDraft, STATE } from "../../state/drafts";
import { Empty, ProblemNote, Waiting } from "../../ui/bits";
import { Link } from "../../ui/link";
import { DraftRow } from "./draft-row";
import { byDay } from "./days";
import { type Filter, useDrafts } from "./use-drafts";
import "../../styles/drafts.css";

const STATES = ["ready", "failed", "cancelled", "interrupted", "asking"] as const;

/** All that was asked and written here: found again, opened, deleted and brought back. */
export default function Drafts() {
  const status = useQuery("state") as Filter["status"];
  const history = useQuery("history");
  const filter: Filter = { text: useQuery("q") ?? "", status, session: useQuery("session"), baseline: history === null ? null : history === "without" };
  const { found, problem, loading, again, without, more } = useDrafts(filter);
  const list = useRef<HTMLDivElement>(null);
  const filtered = filter.text !== "" || status !== null || history !== null || filter.session !== null;
  const remove = async (draft: DraftSummary) => {
    const links = openers(list.current);
    const at = links.findIndex((one) => one.pathname === `/d/${draft.id}`);
    if (!(await removeDraft(draft, again))) return;
    (links[at + 1] ?? links[at - 1] ?? document.getElementById("draft-search"))?.focus();
    without(draft.id);
  };
  const press = (event: KeyboardEvent) => {
    const links = openers(list.current);
    const at = links.indexOf(document.activeElement as HTMLAnchorElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: links.length - 1 }[event.key];
    const chosen = found?.drafts.find((one) => links[at]?.pathname === `/d/${one.id}`);
    if (event.key === "Delete" && chosen) void remove(chosen);
    else if (to === undefined || at < 0) return;
    else if (to < 0) document.getElementById("draft-search")?.focus();
    else links[to]?.focus();
    event.preventDefault();
  };
  const scrolled = (event: UIEvent<HTMLElement>) => {
    const box = event.currentTarget;
    if (box.scrollTop + box.clientHeight > box.scrollHeight - 400) more();
  };
  useEffect(() => document.getElementById("draft-search")?.focus(), []);
  if (found?.total === 0 && !filtered && !loading) return <NoDrafts />;
  return (
    <div className="drafts-scroll" onScroll={scrolled}>
      <div className="page drafts" ref={list} onKeyDown={press}>
        <header>
          <h1>Drafts</h1>
          <p>All that was asked and written here, with each of its versions.</p>
        </header>
        <Tools filter={filter} history={history} total={loading ? null : found?.total ?? 0} down={() => openers(list.current)[0]?.focus()} />
        {problem && <ProblemNote problem={problem}><button type="button" className="button" onClick={again}>Try again</button></ProblemNote>}
        {found?.total === 0 && !loading && (
          <p className="drafts-none">
            No draft is like that. <button type="button" className="more" onClick={() => setQuery({ q: null, state: null, history: null, session: null })}>Show all drafts</button>
          </p>
        )}
        {byDay(found?.drafts ?? []).map(([day, drafts]) => (
          <section key={day} aria-label={day}>
            <h2 className="label">{day}</h2>
            <ul>{drafts.map((one) => <DraftRow key={one.id} draft={one} remove={() => void remove(one)} />)}</ul>
          </section>
        ))}
        {found && found.drafts.length < found.total && <button type="button" className="button" onClick={more}>Show more</button>}
        {!found && !problem && <Waiting>Loading</Waiting>}
        {found && found.drafts.length > 0 && <p className="quiet drafts-keys"><kbd>↑</kbd> <kbd>↓</kbd> move, <kbd>{shown("enter")}</kbd> opens, <kbd>Del</kbd> deletes</p>}
      </div>
    </div>
  );
}

function openers(box: HTMLElement | null): HTMLAnchorElement[] {
  return [...(box?.querySelectorAll<HTMLAnchorElement>("a.draft-open") ?? [])];
}

function Tools({ filter, history, total, down }: { filter: Filter; history: string | null; total: number | null; down: () => void }) {
  const sessions = useLoaded((signal) => ok(api.GET("/api/sessions", { signal })), []);
  return (
    <div className="drafts-tools" role="search" aria-label="Drafts">
      <input id="draft-search" className="field" type="search" value={filter.text} placeholder="Words of the question or the SQL" aria-label="Search the drafts"
        onChange={(event) => setQuery({ q: event.target.value || null })}
        onKeyDown={(event) => {
          if (event.key !== "ArrowDown") return;
          event.preventDefault();
          event.stopPropagation();
          down();
        }} />
      <div className="chips-row">
        <label className="quiet">State <select value={filter.status ?? ""} onChange={(event) => setQuery({ state: event.target.value || null })}>
          <option value="">all</option>
          {STATES.map((one) => <option key={one} value={one}>{STATE[one]}</option>)}
        </select></label>
        <label className="quiet">Answered <select value={history ?? ""} onChange={(event) => setQuery({ history: event.target.value || null })}>
          <option value="">either way</option><option value="with">with the history</option><option value="without">without it</option>
        </select></label>
        {(sessions.data?.length ?? 0) > 0 && (
          <label className="quiet">Session <select value={filter.session ?? ""} onChange={(event) => setQuery({ session: event.target.value || null })}>
            <option value="">all</option>
            {sessions.data?.map((one) => <option key={one.id} value={one.id}>{one.title || one.created.slice(0, 10)}</option>)}
          </select></label>
        )}
        <span className="quiet end" role="status">{total === null ? "Looking…" : `${count(total)} found`}</span>
      </div>
    </div>
  );
}

function NoDrafts() {
  return (
    <Empty title="Nothing was asked yet">
      <p>Every question becomes a draft: its SQL, where each piece comes from, and all the changes made to it. Drafts are kept on this machine and listed here.</p>
      <p className="actions"><Link className="button main" href="/">Ask a question</Link></p>
    </Empty>
  );
}
