import { useState } from "react";
import { api, ok, problemOf } from "../../api/client";
import type { ItemDetail } from "../../api/types";
import { ago, count, many, sentence } from "../../lib/format";
import { useLoaded } from "../../lib/load";
import { setQuery, useQuery } from "../../lib/router";
import { useApp } from "../../state/app";
import { ProblemNote, Waiting } from "../../ui/bits";
import { Sql } from "../../ui/code-line";
import { Icon, KindIcon } from "../../ui/icons";
import { Link } from "../../ui/link";
import { AddToDraft } from "./add-to-draft";
import { ItemChange, type Wish } from "./item-change";

/** One piece of knowledge in full: what it says, what speaks for it, and what was done about it. */
export function ItemPage({ id, changed }: { id: number; changed: () => void }) {
  const { data, problem, set: show } = useLoaded((signal) => ok(api.GET("/api/knowledge/{id}", { params: { path: { id } }, signal })), [id]);
  const [wish, setWish] = useState<Wish | null>(null);
  const to = useQuery("to");
  const set = (item: ItemDetail) => {
    show(item);
    changed();
  };
  if (problem) return <div className="state"><ProblemNote problem={problem} /></div>;
  if (!data) return <div className="state"><Waiting>Loading</Waiting></div>;
  return (
    <article className="detail" data-kind={data.kind}>
      <p className="detail-kind"><KindIcon kind={data.kind} said /> {data.kind}</p>
      <h1>{sentence(data.description || data.name)}</h1>
      {data.merged != null && <p className="affected">This was merged into <Link href={`/knowledge/${data.merged}`}>another item</Link>, which is used in its place.</p>}
      {data.stale && <p className="affected">{data.stale}</p>}
      <Sql text={data.sql} block />
      <Actions item={data} wish={setWish} set={set} />
      <Facts item={data} />
      <Scripts item={data} />
      <Changes item={data} />
      {to === "draft" && data.kind !== "query" && <AddToDraft item={data} close={() => setQuery({ to: null })} />}
      {wish && <ItemChange item={data} wish={wish} close={() => setWish(null)} done={set} />}
    </article>
  );
}

function Actions({ item, wish, set }: { item: ItemDetail; wish: (wish: Wish) => void; set: (item: ItemDetail) => void }) {
  const say = useApp((state) => state.say);
  const judge = async (trust: "verified") => {
    try {
      set(await ok(api.POST("/api/knowledge/{id}/trust", { params: { path: { id: item.id } }, body: { trust, why: "" } })));
    } catch (error) {
      say(problemOf(error).detail, "bad");
    }
  };
  return (
    <div className="actions">
      {item.trust === "verified" ? (
        <button type="button" className="button" onClick={() => wish("unverify")}>Take the verification back</button>
      ) : (
        <>
          <button type="button" className="button main" title="The pattern, whatever the value, is trusted from now on" onClick={() => void judge("verified")}><Icon name="check" /> Verify</button>
          <button type="button" className="button" onClick={() => wish("verify")}>Verify, with a reason</button>
          {item.trust === "deprecated" && <button type="button" className="button" onClick={() => wish("unverify")}>Back to unverified</button>}
        </>
      )}
      <button type="button" className="button" onClick={() => wish("describe")}>Rename</button>
      <button type="button" className="button" onClick={() => wish("merge")}>Merge</button>
      {item.trust !== "deprecated" && <button type="button" className="button" onClick={() => wish("deprecate")}>Deprecate</button>}
      {item.kind !== "query" && (
        <button type="button" className="button" aria-haspopup="dialog" onClick={() => setQuery({ to: "draft" })}>Add to a draft …</button>
      )}
    </div>
  );
}

function Facts({ item }: { item: ItemDetail }) {
  const verdict = item.verified;
  return (
    <dl className="facts">
      <div><dt>Used</dt><dd>in {many(item.support, "script")}{item.runs > item.support && `, run ${many(item.runs, "time")}`}</dd></div>
      {item.authors.length > 0 && <div><dt>By</dt><dd>{item.authors.slice(0, 8).join(", ")}{item.authors.length > 8 && ` and ${item.authors.length - 8} more`}</dd></div>}
      {item.first_seen && <div><dt>Seen</dt><dd>{item.first_seen.slice(0, 10)}{item.last_seen && item.last_seen.slice(0, 10) !== item.first_seen.slice(0, 10) && ` to ${item.last_seen.slice(0, 10)}`}</dd></div>}
      <div>
        <dt>Trust</dt>
        <dd>
          {item.trust}
          {verdict && <> by {verdict.who}, <time dateTime={verdict.time} title={verdict.time}>{ago(verdict.time)}</time>{verdict.why && `: ${verdict.why}`}{verdict.outdated && ". It has changed since."}</>}
        </dd>
      </div>
      <div><dt>Version</dt><dd>{item.version}</dd></div>
      {item.tables.length > 0 && <div><dt>Tables</dt><dd>{item.tables.map((table, at) => <span key={table}>{at > 0 && ", "}<Link href={`/dictionary/${encodeURIComponent(table)}`}>{table}</Link></span>)}</dd></div>}
      {item.sensitive.length > 0 && <div><dt>Sensitive</dt><dd className="figure warned">{item.sensitive.join(", ")}</dd></div>}
      {item.aliases.length > 0 && <div><dt>Called</dt><dd>{item.aliases.join(", ")}</dd></div>}
      {item.literals.length > 0 && (
        <div>
          <dt>Values</dt>
          <dd className="values">
            {item.literals.slice(0, 14).map((use) => <span key={use.values.join("|")}><code>{use.values.join(", ")}</code><span className="quiet"> {count(use.count)}</span></span>)}
          </dd>
        </div>
      )}
    </dl>
  );
}

function Scripts({ item }: { item: ItemDetail }) {
  return (
    <section className="known-scripts">
      <h2>Scripts that use it</h2>
      <ul>
        {item.scripts.map((script) => (
          <li key={script.id}>
            <details>
              <summary>
                <span>{script.question || script.comment || sentence(script.description)}</span>
                <span className="quiet">{[script.author, script.time?.slice(0, 10), script.source && `${script.source}${script.line ? `:${script.line}` : ""}`].filter(Boolean).join(", ")}</span>
              </summary>
              <Sql text={script.sql} block />
            </details>
          </li>
        ))}
      </ul>
      {item.scripts_total > item.scripts.length && <p className="quiet">and {many(item.scripts_total - item.scripts.length, "more script")}</p>}
    </section>
  );
}

function Changes({ item }: { item: ItemDetail }) {
  if (item.changes.length === 0) return null;
  return (
    <section>
      <h2>What was changed</h2>
      <ol className="changes">
        {item.changes.map((one, at) => (
          <li key={at}>
            <p>{one.who} changed {one.what}{one.old && <> from <del>{one.old}</del></>} to <ins>{one.new || "nothing"}</ins></p>
            <p className="quiet">{one.why && `${one.why}, `}<time dateTime={one.time}>{ago(one.time)}</time>, version {one.version}</p>
          </li>
        ))}
      </ol>
    </section>
  );
}
