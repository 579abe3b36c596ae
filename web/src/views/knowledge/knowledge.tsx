import { type UIEvent, useEffect, useState } from "react";
import { api, ok } from "../../api/client";
import type { ItemSummary, Kind, Trust } from "../../api/types";
import { count, sentence } from "../../lib/format";
import { ALL_KINDS, KIND_PLURAL } from "../../lib/kinds";
import { says } from "../../lib/folding";
import { useLoaded } from "../../lib/load";
import { setQuery, useQuery } from "../../lib/router";
import { useApp } from "../../state/app";
import { Badge, Empty, ProblemNote, Waiting } from "../../ui/bits";
import { Sql } from "../../ui/code-line";
import { KindIcon } from "../../ui/icons";
import { Link } from "../../ui/link";
import { ItemPage } from "./item-page";

const STEP = 100;

/** All that was learned: a list that is searched as questions are, and one item in full. */
export default function Knowledge({ item }: { item: number | null }) {
  const learned = useApp((state) => state.health?.learned);
  const [round, setRound] = useState(0);
  if (learned === false) {
    return (
      <Empty title="Nothing is learned yet">
        <p>Knowledge comes out of SQL that was run before. <Link href="/learn">Learn a history</Link></p>
      </Empty>
    );
  }
  return (
    <div className="two" data-detail={item !== null}>
      <List chosen={item} round={round} />
      <section className="two-detail" aria-label="Item">
        {item === null ? (
          <Empty title="Choose a piece of knowledge">
            <p>Each one says where it comes from, who wrote it, and which values it was used with.</p>
          </Empty>
        ) : <ItemPage key={item} id={item} changed={() => setRound(round + 1)} />}
      </section>
    </div>
  );
}

function List({ chosen, round }: { chosen: number | null; round: number }) {
  const kind = useQuery("kind") as Kind | null;
  const trust = useQuery("trust") as Trust | null;
  const text = useQuery("q") ?? "";
  const table = useQuery("table");
  const column = useQuery("column");
  const order = useQuery("order") as "name" | "recent" | "support" | null;
  const support = Number(useQuery("support") ?? 0);
  const searching = text.trim() !== "";
  const [limit, setLimit] = useState(STEP);
  const { data, problem, loading } = useLoaded(async (signal): Promise<{ items: ItemSummary[]; total: number }> => {
    if (text.trim() === "") {
      const query = { kind, trust, table, column: table ? column : null, support: support || null, order: order ?? ("support" as const), limit };
      return ok(api.GET("/api/knowledge", { params: { query }, signal }));
    }
    await new Promise((done) => setTimeout(done, 250));
    signal.throwIfAborted();
    const found = await ok(api.GET("/api/knowledge/search", { params: { query: { text, kind, limit: 200 } }, signal }));
    const named = (one: ItemSummary) => !table || (column ? one.columns : one.tables).some((name) => bare(name) === bare(column ? `${table}.${column}` : table));
    const items = relevant(found).map((one) => one.item).filter((one) => (trust === null || one.trust === trust) && one.support >= support && named(one));
    return { items: order === null ? items : inOrder(items, order), total: items.length };
  }, [kind, trust, text, table, column, order, support, limit, round]);
  useEffect(() => setLimit(STEP), [kind, trust, text, table, column, order, support]);
  const more = (event: UIEvent<HTMLElement>) => {
    const box = event.currentTarget;
    const near = box.scrollTop + box.clientHeight > box.scrollHeight - 300;
    if (near && data && data.items.length < data.total && data.items.length === limit && limit < 1000) setLimit(Math.min(1000, limit + STEP));
  };
  return (
    <section className="two-list" aria-label="Knowledge">
      <div className="list-tools">
        <input className="field" type="search" value={text} placeholder="Search as questions do" aria-label="Search the knowledge"
          onChange={(event) => setQuery({ q: event.target.value || null })} />
        <div className="chips-row" role="group" aria-label="Kind">
          {ALL_KINDS.map((one) => (
            <button key={one} type="button" className="kind-chip" data-kind={one} aria-pressed={kind === one} onClick={() => setQuery({ kind: kind === one ? null : one })}>
              <KindIcon kind={one} size={13} said /><span>{KIND_PLURAL[one]}</span>
            </button>
          ))}
        </div>
        <div className="filters">
          <label className="quiet">Trust <select value={trust ?? ""} onChange={(event) => setQuery({ trust: event.target.value || null })}>
            <option value="">all</option><option value="verified">verified</option><option value="unverified">unverified</option><option value="deprecated">deprecated</option>
          </select></label>
          <TableFilter table={table} column={column} />
          <label className="quiet">Used <select value={support || ""} onChange={(event) => setQuery({ support: event.target.value || null })}>
            <option value="">ever</option><option value="2">twice or more</option><option value="5">5 times or more</option><option value="20">20 times or more</option>
          </select></label>
          <label className="quiet">Order <select value={order ?? ""} onChange={(event) => setQuery({ order: event.target.value || null })}>
            {searching ? <><option value="">best match</option><option value="support">most used</option></> : <option value="">most used</option>}
            <option value="recent">last seen</option><option value="name">name</option>
          </select></label>
          <span className="quiet end" role="status">{loading ? "Looking…" : data && `${count(data.total)} found`}</span>
        </div>
      </div>
      <ul className="list" onScroll={more}>
        {problem && <li className="state"><ProblemNote problem={problem} /></li>}
        {data?.items.map((one) => (
          <li key={one.id}>
            <Link href={`/knowledge/${one.id}${location.search}`} className="list-row" data-kind={one.kind} aria-current={one.id === chosen ? "true" : undefined}>
              <KindIcon kind={one.kind} />
              <span className="list-said">{sentence(one.description || one.name)}</span>
              <Badge citation={{ status: "cited", support: one.support, trust: one.trust }} />
              {!says(one.description || one.name, one.sql) && <span className="list-sql ellipsis"><Sql text={one.sql.replace(/\s+/g, " ")} /></span>}
            </Link>
          </li>
        ))}
        {data?.items.length === 0 && <li className="state">Nothing fits. Take a filter away, or say it in other words.</li>}
        {!data && !problem && <li className="state"><Waiting>Loading</Waiting></li>}
      </ul>
    </section>
  );
}

/** Results far behind the best one are noise. */
const FLOOR = 0.35;

/** The results that are worth showing: not those with a small part of the score of the best. */
export function relevant<One extends { score: number }>(found: One[]): One[] {
  const best = Math.max(0, ...found.map((one) => one.score));
  return found.filter((one) => one.score >= FLOOR * best);
}

/** Results in another order than that of their score. */
export function inOrder(items: ItemSummary[], order: "name" | "recent" | "support"): ItemSummary[] {
  const by = {
    name: (a: ItemSummary, b: ItemSummary) => (a.description || a.name).localeCompare(b.description || b.name, "en"),
    recent: (a: ItemSummary, b: ItemSummary) => (b.last_seen ?? "").localeCompare(a.last_seen ?? ""),
    support: (a: ItemSummary, b: ItemSummary) => b.support - a.support,
  };
  return [...items].sort(by[order]);
}

/** A name as it is compared: without quotation marks, in small letters. */
function bare(name: string): string {
  return name.replaceAll('"', "").toLowerCase();
}

function TableFilter({ table, column }: { table: string | null; column: string | null }) {
  const { data } = useLoaded((signal) => ok(api.GET("/api/dictionary", { signal })), []);
  const names = [...new Set([...(table ? [table] : []), ...(data ?? []).map((one) => one.name)])];
  return (
    <>
      <label className="quiet">Table <select value={table ?? ""} onChange={(event) => setQuery({ table: event.target.value || null, column: null })}>
        <option value="">all</option>
        {names.map((name) => <option key={name}>{name}</option>)}
      </select></label>
      {table && column && <button type="button" className="word" title="Leave this column out" onClick={() => setQuery({ column: null })}>{column} ×</button>}
    </>
  );
}
