import type { ExplainedItem, Figure } from "../../api/types";
import { count, type NumberStyle, readable, styleOf } from "../../lib/format";
import { KindIcon } from "../../ui/icons";
import { Sql } from "../../ui/code-line";

/** What is grouped by: years and codes more often than measures. */
const KEYS: NumberStyle = { grouped: false, digits: 4 };

/** The figures of one item in full. */
export function ItemFacts({ item, figure }: { item: ExplainedItem; figure: Figure | undefined }) {
  return (
    <div className="item-facts" data-kind={item.kind}>
      <p className="ellipsis" title={item.sql}><KindIcon kind={item.kind} /> <Sql text={item.sql} /></p>
      {figure?.warning && <p className="figure warned">{figure.warning}</p>}
      {figure?.facts ? <Facts facts={figure.facts} /> : <p className="quiet">{figure?.text ?? "The figures are on their way"}</p>}
    </div>
  );
}

function Facts({ facts }: { facts: NonNullable<Figure["facts"]> }) {
  switch (facts.type) {
    case "counts":
      return (
        <Counts counts={[
          ["without any condition", facts.total],
          ["with this one alone", facts.alone],
          ["with all together", facts.together],
        ]} />
      );
    case "joined":
      return (
        <Counts counts={[
          ["rows before", facts.before],
          ["rows after", facts.rows],
          ["columns", facts.columns],
          ["rows lost", facts.lost],
          ["kept without a match", facts.unmatched],
          ["more by several matches", facts.multiplied, (facts.twice ?? []).length > 0],
        ]} />
      );
    case "groups":
      return (
        <ul className="values">
          <li><strong>{count(facts.distinct)}</strong> different values</li>
          {facts.values.map((value, at) => (
            <li key={at}>{value.map((one) => readable(one, KEYS)).join(", ")}<span className="quiet">{count(facts.rows[at] ?? 0)}</span></li>
          ))}
        </ul>
      );
    case "values":
      return (
        <ul className="values">
          {facts.values.map((value, at) => <li key={at}>{readable(value, styleOf(facts.values))}</li>)}
          {facts.more && <li className="quiet">and more</li>}
        </ul>
      );
    case "sample":
      return facts.before != null && facts.count != null ? (
        <Counts counts={[["rows before", facts.before], ["rows after", facts.count]]} />
      ) : null;
  }
}

function Counts({ counts }: { counts: [string, number | null | undefined, boolean?][] }) {
  return (
    <dl className="counts">
      {counts.map(([name, value, warned]) =>
        value === null || value === undefined ? null : (
          <div key={name} className={warned ? "warned" : undefined}><dt>{name}</dt><dd>{count(value)}</dd></div>
        ),
      )}
    </dl>
  );
}
