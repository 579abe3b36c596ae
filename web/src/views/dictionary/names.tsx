import { type FormEvent, useState } from "react";
import type { ColumnEntry, Problem } from "../../api/types";
import { ProblemNote } from "../../ui/bits";

interface Props {
  column: ColumnEntry;
  save: (names: { name: string; synonyms: string[] }) => Promise<Problem | null>;
}

/** What a column is called, by people and in scripts; what scripts call it can be taken over. */
export function Names({ column, save }: Props) {
  const [editing, setEditing] = useState(false);
  if (editing) return <NamesForm column={column} save={save} close={() => setEditing(false)} />;
  const called = [...new Set([column.called, ...column.synonyms])].filter((one) => one !== "" && !same(one, column.name) && !same(one, column.description));
  const shown = column.aliases.filter((one) => !called.some((name) => same(name, one.name)) && !same(one.name, column.description));
  return (
    <p className="description-foot">
      <button type="button" className="more" title={`Names of ${column.name}`} onClick={() => setEditing(true)}>
        {called.length > 0 ? `called ${called.map((one) => `“${one}”`).join(", ")}` : "Name it"}
      </button>
      {shown.length > 0 && (
        <span className="quiet" title="What scripts call it">in scripts {shown.slice(0, 3).map((one) => `${one.name} (${one.support})`).join(", ")}</span>
      )}
    </p>
  );
}

/** Whether two names are the same but for how they are written. */
function same(one: string, other: string): boolean {
  const plain = (text: string) => text.toLowerCase().replace(/[\s_]+/g, " ").trim();
  return plain(one) === plain(other);
}

function NamesForm({ column, save, close }: Props & { close: () => void }) {
  // the raw name is no name that anybody gave: it is not there to be typed behind
  const [name, setName] = useState(same(column.called, column.name) ? "" : column.called);
  const [others, setOthers] = useState(column.synonyms.filter((one) => one !== column.called).join(", "));
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const list = [...new Set(others.split(",").map((one) => one.trim()).filter(Boolean))];
  const send = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    const failed = await save({ name: name.trim() || (same(column.called, column.name) ? column.called : ""), synonyms: list });
    if (failed === null) return close();
    setProblem(failed);
    setBusy(false);
  };
  const add = (alias: string) => setOthers([...list, alias.replaceAll("_", " ")].join(", "));
  return (
    <form className="describing" onSubmit={(event) => void send(event)} onKeyDown={(event) => event.key === "Escape" && close()}>
      <label className="stack">Called<input className="field" autoFocus onFocus={(event) => event.target.select()} placeholder={column.name} value={name} maxLength={200} onChange={(event) => setName(event.target.value)} /></label>
      <label className="stack">Also called, with commas between<input className="field" value={others} onChange={(event) => setOthers(event.target.value)} /></label>
      {column.aliases.length > 0 && (
        <p className="chips-row">
          <span className="quiet">In scripts</span>
          {column.aliases.slice(0, 6).map((one) => (
            <button key={one.name} type="button" className="word" title={`in ${one.support} scripts`} onClick={() => add(one.name)}>{one.name}</button>
          ))}
        </p>
      )}
      {problem && <ProblemNote problem={problem} />}
      <div className="actions">
        <button type="submit" className="button main" disabled={busy}>Save</button>
        <button type="button" className="button bare" onClick={close}>Cancel</button>
      </div>
    </form>
  );
}
