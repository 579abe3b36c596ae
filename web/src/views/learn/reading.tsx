/** How a history is read, where that cannot be told from its files. */
export interface Reading {
  format: string | null;
  dialect: string | null;
  database: string | null;
  columns: Record<string, string>;
}

export const NO_READING: Reading = { format: null, dialect: null, database: null, columns: {} };

const FORMATS = ["sql", "json", "jsonl", "csv", "tsv", "parquet", "ipynb"];
const COLUMNS = [["sql", "the SQL"], ["question", "the question"], ["author", "who ran it"], ["time", "the time"], ["database", "the database"]] as const;

export function ReadingOptions({ reading, set, disabled }: { reading: Reading; set: (reading: Reading) => void; disabled: boolean }) {
  const text = (key: "dialect" | "database") => (event: { target: { value: string } }) => set({ ...reading, [key]: event.target.value.trim() || null });
  const column = (name: string, value: string) => {
    const columns = { ...reading.columns, [name]: value.trim() };
    if (columns[name] === "") delete columns[name];
    set({ ...reading, columns });
  };
  return (
    <details className="reading">
      <summary>How it is to be read</summary>
      <p className="quiet">sqlore tells this from the files themselves. Say it where a log has columns of its own, or another dialect than the database.</p>
      <div className="reading-fields">
        <label className="stack">Format<select className="field" disabled={disabled} value={reading.format ?? ""} onChange={(event) => set({ ...reading, format: event.target.value || null })}>
          <option value="">as the files tell</option>
          {FORMATS.map((one) => <option key={one}>{one}</option>)}
        </select></label>
        <label className="stack">Dialect<input className="field" disabled={disabled} placeholder="that of the database" value={reading.dialect ?? ""} onChange={text("dialect")} /></label>
        <label className="stack">Only of the database<input className="field" disabled={disabled} placeholder="all" value={reading.database ?? ""} onChange={text("database")} /></label>
        {COLUMNS.map(([name, label]) => (
          <label key={name} className="stack">Column with {label}<input className="field mono" disabled={disabled} placeholder="by its name" value={reading.columns[name] ?? ""} onChange={(event) => column(name, event.target.value)} /></label>
        ))}
      </div>
    </details>
  );
}
