import { useState } from "react";
import { api, ok, problemOf } from "../../api/client";
import { listen } from "../../api/events";
import type { ColumnEntry, Job, Problem, TableEntry, TableSummary } from "../../api/types";
import { count, many } from "../../lib/format";
import { useLoaded } from "../../lib/load";
import { ranked } from "../../lib/search";
import { useApp } from "../../state/app";
import { Empty, ProblemNote, Waiting } from "../../ui/bits";
import { Link } from "../../ui/link";
import { Description, SAID } from "./description";
import { Names } from "./names";
import { Values } from "./values";

export type Saving = Parameters<typeof patch>[0];

/** Keeps what is said; what went wrong is answered, and shown by the form, which keeps what was typed. */
type Save = (change: Saving) => Promise<Problem | null>;

/** Every table and column: what is in it, what it means, and who says so. */
export default function Dictionary({ table }: { table: string | null }) {
  const tables = useLoaded((signal) => ok(api.GET("/api/dictionary", { signal })), []);
  const [typed, setTyped] = useState("");
  if (tables.problem) return <div className="state"><ProblemNote problem={tables.problem} /></div>;
  const shown = ranked(typed, tables.data ?? [], (one) => `${one.name} ${one.called} ${one.description}`);
  const chosen = table ?? tables.data?.[0]?.name ?? null;
  return (
    <div className="two" data-detail={table !== null}>
      <section className="two-list" aria-label="Tables">
        <div className="list-tools">
          <input className="field" type="search" placeholder="Find a table" aria-label="Find a table" value={typed} onChange={(event) => setTyped(event.target.value)} />
        </div>
        <ul className="list">
          {shown.map((one) => <TableRow key={one.name} table={one} chosen={one.name === chosen} />)}
          {!tables.data && <li className="state"><Waiting>Reading the schema</Waiting></li>}
          {tables.data && shown.length === 0 && <li className="state">No table of that name.</li>}
        </ul>
      </section>
      <section className="two-detail" aria-label="Table">
        {chosen ? <Table key={chosen} name={chosen} saved={tables.again} /> : tables.data && <Empty title="The database has no tables" />}
      </section>
    </div>
  );
}

function TableRow({ table, chosen }: { table: TableSummary; chosen: boolean }) {
  return (
    <li>
      <Link href={`/dictionary/${encodeURIComponent(table.name)}`} className="list-row plain" aria-current={chosen ? "true" : undefined}>
        <span className="list-said">{table.name}</span>
        <span className="badge">{table.rows == null ? "view" : many(table.rows, "row")}</span>
        <span className="list-sql">{table.description || <span className="quiet">not described</span>}</span>
      </Link>
    </li>
  );
}

interface Said {
  table: string;
  column?: string;
  description?: string;
  sensitive?: boolean;
  name?: string;
  synonyms?: string[];
  meanings?: Record<string, string | null>;
}

async function patch(body: Said) {
  return ok(api.PATCH("/api/dictionary", { body: { meanings: {}, ...body } }));
}

function Table({ name, saved: told }: { name: string; saved: () => void }) {
  const { data, problem, set } = useLoaded((signal) => ok(api.GET("/api/dictionary/table", { params: { query: { name } }, signal })), [name]);
  const say = useApp((state) => state.say);
  const [redoing, setRedoing] = useState<{ text: string; share: number | null } | null>(null);
  const follow = (job: Job) => {
    setRedoing({ text: "Describing anew what it touches", share: null });
    listen(job.id, {
      stage: ({ stage, done, total }) => setRedoing({ text: total ? `${stage}, ${count(done)} of ${count(total)}` : stage, share: total ? done / total : null }),
      described: ({ changed }) => say(changed === 0 ? "Saved" : `Saved; ${many(changed, "piece")} of knowledge described anew`),
      problem: (event) => say(event.problem.detail, "bad"),
      end: () => setRedoing(null),
    }, () => setRedoing(null));
  };
  const save: Save = async (change) => {
    try {
      const saved = await patch(change);
      set(saved.table);
      told();
      if (saved.job) follow(saved.job);
      return null;
    } catch (error) {
      return problemOf(error);
    }
  };
  if (problem) return <div className="state"><ProblemNote problem={problem} /></div>;
  if (!data) return <div className="state"><Waiting>Looking into {name}</Waiting></div>;
  return (
    <article className="detail wide">
      <header className="table-title">
        <h1>{data.name}</h1>
        <p className="quiet">
          {[data.rows != null && many(data.rows, "row"), many(data.columns, "column")].filter(Boolean).join(", ")}
          {data.items > 0 && <>, <Link href={`/knowledge?table=${encodeURIComponent(data.name)}`}>{many(data.items, "piece")} of knowledge</Link></>}
        </p>
        {redoing && <Waiting>{redoing.text}</Waiting>}
        {redoing?.share != null && <progress value={redoing.share} max={1} aria-label={redoing.text} />}
      </header>
      <Description table={data.name} column={null} text={data.description} source={data.source ?? null} aliases={[]} save={(description) => save({ table: data.name, description })} />
      <Columns table={data} save={save} />
    </article>
  );
}

function Columns({ table, save }: { table: TableEntry; save: Save }) {
  return (
    <div className="table-scroll" tabIndex={0} role="region" aria-label="Columns">
      <table className="columns">
        <thead><tr><th scope="col">Column</th><th scope="col">Meaning</th><th scope="col">Values</th><th scope="col">Sensitive</th></tr></thead>
        <tbody>{table.entries.map((column) => <ColumnRow key={column.name} table={table.name} column={column} save={save} />)}</tbody>
      </table>
    </div>
  );
}

function ColumnRow({ table, column, save }: { table: string; column: ColumnEntry; save: Save }) {
  const say = useApp((state) => state.say);
  const flag = async (sensitive: boolean) => {
    const problem = await save({ table, column: column.name, sensitive });
    if (problem) say(problem.detail, "bad");
  };
  return (
    <tr>
      <th scope="row">
        <span className="column-name">{column.name}</span>
        <span className="quiet">{column.type.toLowerCase()}{column.primary_key && ", key"}{column.references && `, refers to ${column.references}`}</span>
      </th>
      <td>
        <Description table={table} column={column.name} text={column.description} source={column.source ?? null} aliases={column.aliases}
          save={(description) => save({ table, column: column.name, description })} />
        <Names column={column} save={(names) => save({ table, column: column.name, ...names })} />
        <Sources column={column} />
        {column.items > 0 && (
          <Link className="quiet column-items" href={`/knowledge?table=${encodeURIComponent(table)}&column=${encodeURIComponent(column.name)}`}>{many(column.items, "piece")} of knowledge</Link>
        )}
      </td>
      <td className="column-values"><Values column={column} save={(meanings) => save({ table, column: column.name, meanings })} /></td>
      <td>
        <label className="switch">
          <input type="checkbox" role="switch" checked={column.sensitive} onChange={(event) => void flag(event.target.checked)} />
          <span className="hidden">{column.name} is sensitive: computing with it takes verified knowledge</span>
        </label>
      </td>
    </tr>
  );
}

/** What each source says of a column, where more than one does. */
function Sources({ column }: { column: ColumnEntry }) {
  const said = column.said.filter((one) => one.description !== "");
  if (said.length < 2) return null;
  return (
    <details className="sources">
      <summary className="quiet">{many(said.length, "source")}</summary>
      <ul>{said.map((one) => <li key={one.source}><span className="quiet">{SAID[one.source]}:</span> {one.description}</li>)}</ul>
    </details>
  );
}
