import { type KeyboardEvent, type ReactNode, useMemo, useRef, useState } from "react";
import type { RefineOption } from "../../api/types";
import { sentence } from "../../lib/format";
import { moveFocus } from "../../lib/keys";
import { Badge } from "../../ui/bits";
import { Sql } from "../../ui/code-line";

/** From so many pieces on, words narrow the list. */
const MANY = 6;

/** Pieces of the history to choose from: by words where they are many, by arrows, and Enter takes the first. */
export function OptionList(props: { options: RefineOption[]; sign?: (option: RefineOption) => ReactNode; choose: (option: RefineOption) => void }) {
  const { options, sign, choose } = props;
  const [words, setWords] = useState("");
  const box = useRef<HTMLDivElement>(null);
  const found = options.filter((one) => holds(one, words));
  const differs = useMemo(() => toldApart(options), [options]);
  const searched = options.length >= MANY;
  const press = (event: KeyboardEvent) => {
    const typing = event.target instanceof HTMLInputElement;
    if (typing && event.key === "Enter" && found[0]) choose(found[0]);
    else if (!moveFocus(box.current, event.key)) return;
    event.preventDefault();
  };
  return (
    <div ref={box} onKeyDown={press}>
      {searched && <input className="field" type="search" autoFocus value={words} placeholder="Words of the piece or of its SQL" aria-label="Narrow the list" onChange={(event) => setWords(event.target.value)} />}
      <ul className="options">
        {found.map((one, at) => (
          <li key={`${one.item}-${one.sql}`}>
            <button type="button" autoFocus={!searched && at === 0} onClick={() => choose(one)}>
              <span>{sign?.(one)} {sentence(one.description)}{differs.has(one) && <>: <strong>{differs.get(one)}</strong></>} <Badge citation={{ status: "cited", support: one.support, trust: one.trust, with_values: one.with_values }} /></span>
              <Sql text={one.sql} />
              {one.joins.length > 0 && <span className="quiet">It needs: {one.joins.join(", ")}</span>}
            </button>
          </li>
        ))}
        {found.length === 0 && <li className="quiet">Nothing here says that.</li>}
      </ul>
    </div>
  );
}

/** Of pieces that are called the same: the part of each one's SQL that the others do not share, in whole words. */
export function toldApart<Option extends Pick<RefineOption, "description" | "sql">>(options: readonly Option[]): Map<Option, string> {
  const told = new Map<Option, string>();
  for (const title of new Set(options.map((one) => one.description))) {
    const group = options.filter((one) => one.description === title);
    if (group.length < 2) continue;
    const words = group.map((one) => one.sql.match(/'(?:[^']|'')*'|[\w.]+|\s+|./gs) ?? []);
    const least = Math.min(...words.map((one) => one.length));
    const shared = (at: number) => words.every((one) => one.at(at) === words[0]?.at(at));
    let first = 0;
    while (first < least && shared(first)) first++;
    let last = 0;
    while (last < least - first && shared(-1 - last)) last++;
    group.forEach((one, at) => told.set(one, words[at]?.slice(first, words[at].length - last).join("").trim() || one.sql));
  }
  return told;
}

/** Whether a piece has all the words, in its description or its SQL. */
export function holds(option: Pick<RefineOption, "description" | "sql">, words: string): boolean {
  const text = `${option.description} ${option.sql}`.toLowerCase();
  return words.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}
