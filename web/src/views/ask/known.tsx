import { useState } from "react";
import type { Known, KnownItem, KnownScript } from "../../api/types";
import { many, sentence } from "../../lib/format";
import { kindName, KINDS } from "../../lib/kinds";
import { unitsOf } from "../../lib/offsets";
import { Badge } from "../../ui/bits";
import { Sql } from "../../ui/code-line";
import { KindIcon } from "../../ui/icons";
import { Link } from "../../ui/link";

const FIRST = 5;

/** What the history knows that touches a question: its words, values, pieces by kind, and scripts like it. */
export function KnownPanel({ known }: { known: Known }) {
  const items = known.items.filter((one) => one.item.kind !== "query");
  const nothing = items.length === 0 && known.scripts.length === 0 && known.values.length === 0;
  return (
    <div className="known">
      <Marked known={known} />
      {known.notes.map((note) => <p key={note} className="quiet">{note}</p>)}
      {nothing && (
        <p className="known-nothing">
          Nothing in the history touches this question. What is written will be new: check it piece by piece.
        </p>
      )}
      <div className="known-kinds">
        {KINDS.map((kind) => {
          const mine = items.filter((one) => one.item.kind === kind);
          return mine.length > 0 && <KnownKind key={kind} items={mine} />;
        })}
      </div>
      {known.scripts.length > 0 && <Scripts scripts={known.scripts} />}
    </div>
  );
}

/** The question with the words that were recognised, and the values that they are. */
function Marked({ known }: { known: Known }) {
  const at = unitsOf(known.question);
  const spans = known.values.map((one) => ({ ...one, start: at(one.start), end: at(one.end) }));
  spans.sort((a, b) => a.start - b.start || b.end - a.end);
  const parts = [];
  let from = 0;
  for (const span of spans) {
    if (span.start < from) continue;
    parts.push(known.question.slice(from, span.start));
    parts.push(
      <mark key={span.start} title={`${span.table}.${span.column} = ${span.value}`}>{known.question.slice(span.start, span.end)}</mark>,
    );
    from = span.end;
  }
  parts.push(known.question.slice(from));
  const phrases = apart(known.phrases);
  return (
    <div className="known-words">
      {spans.length > 0 && <p className="known-question">{parts}</p>}
      {spans.length > 0 && (
        <ul className="known-values">
          {spans.slice(0, 8).map((one) => (
            <li key={`${one.table}.${one.column}.${one.value}`}>
              <q>{one.phrase}</q> is <Sql text={`${one.table}.${one.column} = '${one.value.replaceAll("'", "''")}'`} />
            </li>
          ))}
        </ul>
      )}
      {(known.said ?? []).map((one) => one.items.map((item) => (
        <p key={`${one.start}-${item.item}`}>
          <q>{one.phrase}</q> in {item.scripts.length} {item.scripts.length === 1 ? "question" : "questions"} goes with <Link href={`/knowledge/${item.item}`}><Sql text={item.sql} /></Link>
        </p>
      )))}
      {phrases.length > 0 && (
        <p className="quiet">
          Words looked up in the history: {phrases.map((text, at) => <span key={text}>{at > 0 && ", "}<q>{text}</q></span>)}
        </p>
      )}
    </div>
  );
}

/** The phrases without those that lie in, or reach into, a longer one. */
export function apart(phrases: Known["phrases"]): string[] {
  const kept: Known["phrases"] = [];
  for (const one of [...phrases].sort((a, b) => b.end - b.start - (a.end - a.start))) {
    if (kept.every((other) => one.end <= other.start || other.end <= one.start)) kept.push(one);
  }
  return [...new Set(kept.sort((a, b) => a.start - b.start).map((one) => one.text))];
}

function KnownKind({ items }: { items: KnownItem[] }) {
  const [all, setAll] = useState(false);
  const kind = items[0]?.item.kind ?? "query";
  const shown = all ? items : items.slice(0, FIRST);
  return (
    <section data-kind={kind}>
      <h3><KindIcon kind={kind} said /> {sentence(kindName(kind, items.length))}</h3>
      <ul>
        {shown.map(({ item }) => (
          <li key={item.id}>
            <div className="known-said">
              <Link href={`/knowledge/${item.id}`}>{sentence(item.description || item.name)}</Link>
              <Badge citation={{ status: "cited", support: item.support, trust: item.trust }} />
            </div>
            <div className="ellipsis" title={item.sql}><Sql text={item.sql} /></div>
          </li>
        ))}
      </ul>
      {items.length > FIRST && (
        <button type="button" className="more" onClick={() => setAll(!all)} aria-expanded={all}>
          {all ? "Fewer" : `${items.length - FIRST} more`}
        </button>
      )}
    </section>
  );
}

function Scripts({ scripts }: { scripts: KnownScript[] }) {
  return (
    <section className="known-scripts">
      <h3>Scripts like it</h3>
      <ul>
        {scripts.map(({ script }) => (
          <li key={script.id}>
            <details>
              <summary>
                <span>{script.question || script.comment || sentence(script.description)}</span>
                <span className="quiet">{[script.author, script.runs > 1 && `run ${many(script.runs, "time")}`, script.source].filter(Boolean).join(", ")}</span>
              </summary>
              <Sql text={script.sql} block />
            </details>
          </li>
        ))}
      </ul>
    </section>
  );
}
