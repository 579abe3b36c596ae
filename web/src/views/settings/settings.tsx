import { type FormEvent, useState } from "react";
import { api, ok, problemOf } from "../../api/client";
import type { Problem, Setting } from "../../api/types";
import { sentence } from "../../lib/format";
import { useLoaded } from "../../lib/load";
import { useApp } from "../../state/app";
import { ProblemNote, Waiting } from "../../ui/bits";
import { Timelines } from "./timelines";

/** How the app and sqlore itself are set, and the event log of a study. */
export default function Settings() {
  const { switches, turn, health } = useApp();
  const settings = useLoaded((signal) => ok(api.GET("/api/settings", { signal })), []);
  return (
    <div className="page settings">
      <header>
        <h1>Settings</h1>
        {health && <p>sqlore {health.version}, {health.database?.place}, model {health.model || "none"}{health.remote ? " at an endpoint" : ""}</p>}
      </header>
      {switches && (
        <section>
          <h2>You</h2>
          <UserName user={switches.user} save={(user) => void turn({ user })} />
        </section>
      )}
      <section>
        <h2>Event log</h2>
        <p className="quiet">For studies: when a question was put, the structure looked at, a piece inspected or refined. It stays on this machine.</p>
        {switches && (
          <label className="switch">
            <input type="checkbox" role="switch" checked={switches.logging} onChange={(event) => void turn({ logging: event.target.checked })} /> Keep an event log
          </label>
        )}
        <Timelines />
      </section>
      <section>
        <h2>sqlore</h2>
        {settings.problem && <ProblemNote problem={settings.problem} />}
        {!settings.data && !settings.problem && <Waiting>Loading</Waiting>}
        {settings.data && (
          <>
            <h3 className="label">Can be changed here</h3>
            <dl className="setting-list">
              {settings.data.filter((one) => one.changeable).map((one) => <SettingRow key={one.name} setting={one} set={settings.set} />)}
            </dl>
            <h3 className="label">Set where the server is started</h3>
            <dl className="setting-list">
              {settings.data.filter((one) => !one.changeable).map((one) => <SettingRow key={one.name} setting={one} set={settings.set} />)}
            </dl>
          </>
        )}
      </section>
    </div>
  );
}

function UserName({ user, save }: { user: string; save: (user: string) => void }) {
  const [typed, setTyped] = useState(user);
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (typed.trim()) save(typed.trim());
  };
  return (
    <form className="actions" onSubmit={send}>
      <label className="stack">Your name, kept with what you verify<input className="field" value={typed} maxLength={200} onChange={(event) => setTyped(event.target.value)} /></label>
      <button type="submit" className="button" disabled={typed.trim() === "" || typed.trim() === user}>Save</button>
    </form>
  );
}

/** What a setting is called by people; its name in files and on the command line stands beside it. */
const LABELS: Record<string, string> = {
  db: "Database", store: "Knowledge store", home: "Folder of stores", dictionary: "Data dictionaries", model: "Language model",
  api_key: "Key of the model", model_timeout: "Patience with the model", price_prompt: "Price of reading", price_completion: "Price of writing",
  embedder: "Embedding model", mask: "Masked values", row_limit: "Rows of a result", query_timeout: "Time of a query", prompt_tokens: "Length of a prompt",
  training: "Examples of other databases", scripts: "Worked examples", repairs: "Repairs", retrieve_filter: "Filter by the model", reuse: "Answers from the history",
  samples: "Answers to choose from", second_look: "Second look", mend_joins: "Missing joins", link_values: "Values in questions", join_path: "Paths of joins",
  reword_steps: "Reworded steps", narrow_schema: "Parts of the schema",
};

export function labelOf(name: string): string {
  return LABELS[name] ?? sentence(name.replaceAll("_", " "));
}

function SettingRow({ setting, set }: { setting: Setting; set: (all: Setting[]) => void }) {
  const [problem, setProblem] = useState<Problem | null>(null);
  const save = async (value: unknown) => {
    setProblem(null);
    try {
      set(await ok(api.PATCH("/api/settings", { body: { values: { [setting.name]: value } } })));
    } catch (error) {
      setProblem(problemOf(error));
    }
  };
  return (
    <div>
      <dt>{labelOf(setting.name)} <code className="quiet">{setting.name}</code></dt>
      <dd>
        {setting.changeable ? <SettingField key={String(setting.value)} setting={setting} save={(value) => void save(value)} /> : (
          <span className="quiet">{Array.isArray(setting.value) ? setting.value.join(", ") : String(setting.value ?? "not set")}</span>
        )}
        <span className="quiet">{setting.description}</span>
        {problem && <ProblemNote problem={problem} />}
      </dd>
    </div>
  );
}

/** Exported for its test: a number that is emptied is not 0. */
export function SettingField({ setting, save }: { setting: Setting; save: (value: unknown) => void }) {
  const label = { "aria-label": labelOf(setting.name), name: setting.name };
  if (setting.type === "bool") {
    return <span className="switch"><input type="checkbox" role="switch" {...label} checked={Boolean(setting.value)} onChange={(event) => save(event.target.checked)} /></span>;
  }
  if (setting.choices.length > 0) {
    return (
      <select className="field" {...label} value={String(setting.value)} onChange={(event) => save(event.target.value)}>
        {setting.choices.map((choice) => <option key={choice}>{choice}</option>)}
      </select>
    );
  }
  const number = setting.type === "int" || setting.type === "float";
  const was = String(setting.value ?? "");
  const left = (field: HTMLInputElement) => {
    if (number && field.value.trim() === "") field.value = was; // emptied, or no number: it stays what it was
    if (field.value !== was) save(number ? Number(field.value) : field.value);
  };
  return (
    <input className="field" {...label} type={number ? "number" : "text"} step={setting.type === "int" ? 1 : "any"} min={setting.minimum ?? undefined} max={setting.maximum ?? undefined}
      defaultValue={was} onKeyDown={(event) => event.key === "Enter" && event.currentTarget.blur()}
      onBlur={(event) => left(event.target)} />
  );
}
