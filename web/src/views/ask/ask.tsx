import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from "react";
import { api, ok, problemOf } from "../../api/client";
import type { DraftPage, Problem } from "../../api/types";
import { ago, count, many, sentence } from "../../lib/format";
import { KIND_ABOUT, kindName, KINDS } from "../../lib/kinds";
import { isMac } from "../../lib/keys";
import { go } from "../../lib/router";
import { looksLikeSql } from "../../lib/sql";
import { logged, useApp } from "../../state/app";
import { STATE, titleOf } from "../../state/drafts";
import { ProblemNote } from "../../ui/bits";
import { KindIcon } from "../../ui/icons";
import { Link } from "../../ui/link";
import { KnownPanel } from "./known";
import { useKnown } from "./use-known";

const KEPT = "sqlore.question";

export function Ask() {
  const [question, setQuestion] = useState(() => sessionStorage.getItem(KEPT) ?? "");
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false);
  const baseline = useApp((state) => state.switches?.baseline ?? false);
  const { known, looking } = useKnown(question);
  const examples = useExamples();
  const began = useRef<number | null>(null);
  const change = (text: string) => {
    began.current ??= Date.now();
    setQuestion(text);
    sessionStorage.setItem(KEPT, text);
  };
  const ask = async (event?: FormEvent) => {
    event?.preventDefault();
    if (question.trim() === "" || busy) return;
    setBusy(true);
    try {
      const job = await ok(api.POST("/api/asks", { body: { question: question.trim() } }));
      sessionStorage.removeItem(KEPT);
      if (!job.draft) return;
      if (began.current !== null) logged("prompting", "type", job.draft, { seconds: (Date.now() - began.current) / 1000 });
      go({ view: "draft", id: job.draft });
    } catch (error) {
      setProblem(problemOf(error));
      setBusy(false);
    }
  };
  const open = async () => {
    setBusy(true);
    try {
      const draft = await ok(api.POST("/api/drafts", { body: { sql: question.trim(), question: "" } }));
      sessionStorage.removeItem(KEPT);
      go({ view: "draft", id: draft.id });
    } catch (error) {
      setProblem(problemOf(error));
      setBusy(false);
    }
  };
  const isSql = looksLikeSql(question);
  return (
    <div className="ask">
      <form className="ask-form" onSubmit={(event) => (isSql ? (event.preventDefault(), void open()) : void ask(event))}>
        <label htmlFor="question">What do you want to know?</label>
        <Question value={question} example={examples[0]} change={change} ask={() => void (isSql ? open() : ask())} />
        <div className="ask-row">
          <p className="quiet">
            {isSql ? "This is SQL: it is opened as it is, to be looked at piece by piece." : baseline ? "The history is switched off: the schema alone is used." : <KnownLine looking={looking} known={known !== null} />}
          </p>
          <kbd>{isMac ? "⌘↵" : "Ctrl Enter"}</kbd>
          <button type="submit" className="button main" disabled={busy || question.trim() === ""}>{isSql ? "Open this SQL" : "Write the SQL"}</button>
        </div>
        {problem && <ProblemNote problem={problem} />}
      </form>
      {known && question.trim() !== "" && !baseline ? (
        <section aria-label="What is known" className="ask-known"><KnownPanel known={known} /></section>
      ) : (
        <Start choose={change} examples={examples} />
      )}
    </div>
  );
}

function KnownLine({ looking, known }: { looking: boolean; known: boolean }) {
  if (looking) return <span role="status">Looking in the history…</span>;
  return <>{known ? "This is what the history knows of it, before anything is written." : "While you type, what the history knows of it is shown here."}</>;
}

function Question({ value, example, change, ask }: { value: string; example: string | undefined; change: (text: string) => void; ask: () => void }) {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    const area = field.current;
    if (!area) return;
    area.style.height = "auto";
    area.style.height = `${area.scrollHeight}px`;
  }, [value]);
  useEffect(() => field.current?.focus(), []);
  const press = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) {
      event.preventDefault();
      ask();
    }
  };
  return (
    <textarea id="question" ref={field} rows={1} value={value} spellCheck={false} maxLength={20_000}
      placeholder={example ? `For example: ${sentence(example)}` : "Ask in your own words"} onChange={(event) => change(event.target.value)} onKeyDown={press} />
  );
}

/** Before anything is typed: what there is, and where one was. */
function Start({ choose, examples }: { choose: (question: string) => void; examples: string[] }) {
  const { health, problem } = useApp();
  const [found, setFound] = useState<DraftPage | null>(null);
  const drafts = found?.drafts ?? null;
  useEffect(() => {
    ok(api.GET("/api/drafts", { params: { query: { limit: 8 } } })).then(setFound, () => setFound({ drafts: [], total: 0, offset: 0 }));
  }, []);
  return (
    <div className="start">
      {problem && <ProblemNote problem={problem} />}
      {health?.problems.map((text) => <p key={text} className="problem">{text}</p>)}
      {health && !health.learned && (
        <section>
          <h2 className="label">Nothing is learned yet</h2>
          <p>Give sqlore the SQL that your team already ran. <Link href="/learn">Learn a history</Link></p>
        </section>
      )}
      {health?.held && <Held held={health.held} />}
      {drafts !== null && drafts.length > 0 && (
        <section>
          <h2 className="label">Your drafts</h2>
          <ul className="draft-list">
            {drafts.map((draft) => (
              <li key={draft.id}>
                <Link href={`/d/${draft.id}`}>{titleOf(draft)}</Link>
                <span className="quiet">
                  {draft.status !== "ready" && `${STATE[draft.status]}, `}{draft.baseline && "without history, "}
                  <time dateTime={draft.changed} title={draft.changed}>{ago(draft.changed)}</time>
                </span>
              </li>
            ))}
          </ul>
          {found !== null && found.total > drafts.length && <p className="more-drafts"><Link href="/drafts">All {count(found.total)} drafts</Link></p>}
        </section>
      )}
      {drafts !== null && examples.length > 0 && <Examples found={drafts.length > 0 ? examples.slice(0, 3) : examples} choose={choose} />}
    </div>
  );
}

function Held({ held }: { held: NonNullable<NonNullable<ReturnType<typeof useApp.getState>["health"]>["held"]> }) {
  return (
    <section>
      <h2 className="label">Learned from {many(held.scripts, "script")}</h2>
      <ul className="held">
        {KINDS.map((kind) => (
          <li key={kind} data-kind={kind}>
            <Link href={`/knowledge?kind=${kind}`}>
              <span className="held-count">{count(held.by_kind[kind] ?? 0)}</span>
              <span className="held-name"><KindIcon kind={kind} said /> {kindName(kind, held.by_kind[kind] ?? 0)}</span>
              <span className="quiet">{KIND_ABOUT[kind]}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Questions that the history itself answers, for a first try: of the scripts that use what is used most. */
function useExamples(): string[] {
  const learned = useApp((state) => state.health?.learned ?? false);
  const [found, setFound] = useState<string[]>([]);
  useEffect(() => {
    const look = async () => {
      const { items } = await ok(api.GET("/api/knowledge", { params: { query: { limit: 1 } } }));
      if (items[0] === undefined) return;
      const { scripts } = await ok(api.GET("/api/knowledge/{id}", { params: { path: { id: items[0].id } } }));
      setFound(spread(scripts.map((one) => one.question || one.comment || "").filter(askable), 5));
    };
    if (learned) look().catch(() => setFound([])); // without examples the page is whole
  }, [learned]);
  return found;
}

function Examples({ found, choose }: { found: string[]; choose: (question: string) => void }) {
  return (
    <section>
      <h2 className="label">Asked before</h2>
      <ul className="draft-list">
        {found.map((text) => (
          <li key={text}><button type="button" onClick={() => choose(text)}>{sentence(text)}</button></li>
        ))}
      </ul>
    </section>
  );
}

/** A line of some words; a comment of several lines is no question. */
function askable(text: string): boolean {
  return text.length < 90 && !text.includes("\n") && text.split(/\s+/).length >= 4;
}

/** Some of many, from all over. */
function spread(texts: string[], most: number): string[] {
  const step = Math.max(1, texts.length / most);
  return texts.filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step)).slice(0, most);
}
