import { type FormEvent, useState } from "react";
import type { ColumnEntry, Problem } from "../../api/types";
import { count, many } from "../../lib/format";
import { ProblemNote } from "../../ui/bits";

const FIRST = 6;

interface Props {
  column: ColumnEntry;
  save: (meanings: Record<string, string | null>) => Promise<Problem | null>;
}

/** What is in a column: how many different values, samples, and what coded ones mean, which can be said here. */
export function Values({ column, save }: Props) {
  const [all, setAll] = useState(false);
  const [editing, setEditing] = useState<string | null>(null);
  const known = new Map(column.meanings.map((one) => [one.value, one.meaning]));
  const counted = new Map(column.samples.map((one) => [one.value, one.count]));
  const values = [...new Set([...column.samples.map((one) => one.value), ...known.keys()])];
  const unlisted = Math.max(0, (column.distinct ?? 0) - values.length);
  const shown = all ? values : values.slice(0, FIRST);
  return (
    <>
      <p>
        {column.skipped ? <span className="quiet">{column.skipped}</span> : column.distinct != null && <strong>{column.complete ? "" : "at least "}{many(column.distinct, "value")}</strong>}
        {column.minimum != null && column.maximum != null && column.minimum !== column.maximum && <span className="quiet"> {column.minimum} to {column.maximum}{column.complete ? "" : ", of the rows looked at"}</span>}
      </p>
      <p className="values">
        {shown.map((value) => (
          <button key={value} type="button" className="value" title={`${counted.has(value) ? many(counted.get(value) ?? 0, "row") : "not among the samples"}; say what it means`} aria-expanded={editing === value} onClick={() => setEditing(editing === value ? null : value)}>
            <code>{value}</code>{known.has(value) && <span className="quiet">{known.get(value)}</span>}
          </button>
        ))}
        {values.length > FIRST && <button type="button" className="more" onClick={() => setAll(!all)}>{all ? "fewer" : unlisted > 0 ? `${values.length - FIRST} more of ${count(column.distinct! - FIRST)}` : `${values.length - FIRST} more`}</button>}
        {unlisted > 0 && (all || values.length <= FIRST) && <span className="quiet">and {many(unlisted, "other")}, not listed</span>}
      </p>
      {editing !== null && <Meaning key={editing} value={editing} meaning={known.get(editing) ?? ""} save={save} close={() => setEditing(null)} />}
    </>
  );
}

function Meaning({ value, meaning, save, close }: { value: string; meaning: string; save: Props["save"]; close: () => void }) {
  const [typed, setTyped] = useState(meaning);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const send = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    const failed = await save({ [value]: typed.trim() || null });
    if (failed === null) return close();
    setProblem(failed);
    setBusy(false);
  };
  return (
    <form className="meaning" onSubmit={(event) => void send(event)} onKeyDown={(event) => event.key === "Escape" && close()}>
      <label className="stack"><span><code>{value}</code> means</span><input className="field" autoFocus value={typed} maxLength={500} onChange={(event) => setTyped(event.target.value)} /></label>
      <button type="submit" className="button" disabled={busy || typed.trim() === meaning}>Save</button>
      <button type="button" className="button bare" onClick={close}>Cancel</button>
      {problem && <ProblemNote problem={problem} />}
    </form>
  );
}
