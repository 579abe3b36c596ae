import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { api, ok, problemOf } from "../../api/client";
import type { Draft } from "../../api/types";
import { sentence } from "../../lib/format";
import { useShortcut, writing } from "../../lib/keys";
import { setQuery, useQuery } from "../../lib/router";
import { useApp } from "../../state/app";
import { finalNode, useDesk } from "../../state/desk";
import { Empty, ProblemNote, Waiting } from "../../ui/bits";
import { Icon } from "../../ui/icons";
import { Link } from "../../ui/link";
import { Split } from "../../ui/split";
import { Tabs } from "../../ui/tabs";
import { KnownPanel } from "../ask/known";
import { AddPiece } from "./add-piece";
import { Asking } from "./asking";
import { Attempts } from "./attempts";
import { ChatPane } from "./chat-pane";
import { CodePane } from "./code-pane";
import { ComparePane } from "./compare-pane";
import { DataPane } from "./data-pane";
import { DraftDialogs } from "./draft-dialogs";
import { DraftMenu } from "./draft-menu";
import { KnowledgePane } from "./knowledge-pane";
import { LeftOut } from "./left-out";
import { Remarks } from "./remarks";
import { StepsPane } from "./steps-pane";
import { TrustBar } from "./trust-bar";

const FlowPane = lazy(() => import("./flow-pane"));

type Side = "knowledge" | "flow" | "known" | "steps" | "compare";

/** The sides of a draft. One of the baseline shows no knowledge: a chat is in its place. */
function sidesOf(baseline: boolean, other: string | null): { id: Side; label: string }[] {
  return [
    { id: "knowledge", label: baseline ? "Chat" : "Knowledge" },
    { id: "flow", label: "Flow" },
    { id: "steps", label: "Changes" },
    ...(baseline ? [] : [{ id: "known" as const, label: "What was known" }]),
    ...(other ? [{ id: "compare" as const, label: "Compare" }] : []),
  ];
}

/** A draft: the knowledge in it or its flow on one side, its code and rows on the other, one selection. */
export function Desk({ id }: { id: string }) {
  const { draft, progress, problem, open, close, again } = useDesk();
  useEffect(() => {
    void open(id);
  }, [id, open]);
  useEffect(() => close, [close]);
  useReturn();
  useEffect(() => {
    document.title = draft ? `${draft.title || draft.question || "SQL by hand"} · sqlore` : "sqlore";
    return () => {
      document.title = "sqlore";
    };
  }, [draft]);
  if (progress && !draft?.sql) return <Asking question={draft?.question ?? ""} progress={progress} />;
  if (problem && !draft) {
    return (
      <Empty title={problem.status === 404 ? "This draft is not here" : "The draft cannot be shown"}>
        <ProblemNote problem={problem}><Link className="button" href="/">Ask a question</Link></ProblemNote>
      </Empty>
    );
  }
  if (!draft) return <div className="state"><Waiting>Opening the draft</Waiting></div>;
  if (!draft.sql) return <Unanswered again={again} />;
  return <Open />;
}

/** When the server is back after it was gone, the draft is read again: a job of before is not there any more. */
function useReturn(): void {
  const lost = useApp((state) => state.lost);
  const was = useRef(false);
  useEffect(() => {
    if (was.current && !lost) void useDesk.getState().reopen();
    was.current = lost;
  }, [lost]);
}

/** A question that got no SQL: why, and what was tried. */
function Unanswered({ again }: { again: () => Promise<unknown> }) {
  const draft = useDesk((state) => state.draft);
  const problem = useDesk((state) => state.problem);
  if (!draft) return null;
  const title = { cancelled: "You stopped this question", interrupted: "The server stopped before the answer came" }[draft.status as string];
  return (
    <div className="asking">
      <h1>{draft.question}</h1>
      <div className="state">
        <h2>{title ?? "There is no SQL for this question yet"}</h2>
        {draft.error && draft.status !== "interrupted" && <p>{sentence(draft.error)}</p>}
        {problem && <ProblemNote problem={problem} />}
        <div className="actions">
          <button type="button" className="button main" onClick={() => void again()}>Ask again</button>
          <Link className="button" href="/">Another question</Link>
        </div>
      </div>
      {draft.attempts.length > 0 && <Attempts draft={draft} />}
      {draft.known && <KnownPanel known={draft.known} />}
    </div>
  );
}

function Open() {
  const view = useQuery("view");
  const other = useQuery("with");
  const baseline = useDesk((state) => state.draft?.baseline ?? false);
  const sides = sidesOf(baseline, other);
  const side = sides.find((one) => one.id === view)?.id ?? "knowledge";
  useSelectionInAddress();
  return (
    <div className="desk">
      <Strip />
      <TrustBar />
      <LeftOut />
      <Remarks />
      <Split id="desk" className="desk-body" direction="row" initial={0.42} label="Width of the left side">
        <section className="pane desk-side" aria-label="Knowledge and flow">
          <div className="pane-head">
            <Tabs<Side> label="Side" chosen={side} controls="side" choose={(chosen) => setQuery({ view: chosen === "knowledge" ? null : chosen })}
              tabs={sides} />
          </div>
          <div id="side" role="tabpanel" className="pane-body" aria-label={side}>
            <SideBody side={side} other={other} />
          </div>
        </section>
        <Split id="desk-right" className="desk-right" direction="column" initial={0.56} label="Height of the code">
          <CodePane />
          <DataPane />
        </Split>
      </Split>
      <Adding />
      <DraftDialogs />
    </div>
  );
}

/** Knowledge that was chosen in the browser to be added here. */
function Adding() {
  const add = useQuery("add");
  const like = useQuery("like");
  if (add === null || !/^\d+$/.test(add)) return null;
  const script = like !== null && /^\d+$/.test(like) ? Number(like) : undefined;
  return <AddPiece item={Number(add)} script={script} close={() => setQuery({ add: null, like: null })} />;
}

function SideBody({ side, other }: { side: Side; other: string | null }) {
  const { known, baseline, reused } = useDesk((state) => state.draft) ?? {};
  if (side === "compare" && other) return <ComparePane other={other} />;
  if (side === "flow") {
    return <Suspense fallback={<div className="state"><Waiting>Drawing</Waiting></div>}><FlowPane /></Suspense>;
  }
  if (side === "steps") return <StepsPane />;
  if (side === "known") {
    if (reused) return <FromHistory reused={reused} />;
    return known ? <div className="known-side"><KnownPanel known={known} /></div> : (
      <Empty title="Nothing was looked up"><p>This draft was written without the history.</p></Empty>
    );
  }
  return baseline ? <ChatPane /> : <KnowledgePane />;
}

/** An answer that is a script of the history: which one, and the way to ask the model instead. */
export function FromHistory({ reused }: { reused: NonNullable<Draft["reused"]> }) {
  const { again, progress } = useDesk();
  return (
    <Empty title={reused.changed?.length ? "From the history, with other values" : "Asked before"}>
      <p>{sentence(reused.note ?? "")}.</p>
      <button type="button" className="button" disabled={progress !== null} onClick={() => void again(undefined, "none")}>Ask the model instead</button>
    </Empty>
  );
}

/** The selection is part of the address: a link shows what one sees. */
function useSelectionInAddress(): void {
  const { explained, selection, select } = useDesk();
  const node = useQuery("node");
  const item = useQuery("item");
  const [read, setRead] = useState(false);
  useEffect(() => {
    if (!explained) return;
    if (!read) {
      setRead(true);
      const found = explained.nodes.find((one) => one.id === node);
      if (found) select({ node: found.id, item: found.items.some((one) => one.id === item) ? item : null });
      return;
    }
    const final = selection.item === null && selection.node === finalNode(explained)?.id;
    setQuery({ node: final ? null : selection.node, item: selection.item });
  }, [explained, selection, read, node, item, select]);
}

function Strip() {
  const { draft, act, again, progress, cancel } = useDesk();
  const reused = draft?.reused;
  const say = useApp((state) => state.say);
  const guarded = (work: () => Promise<void>) => () => void work().catch((error) => say(problemOf(error).detail, "bad"));
  const undo = guarded(() => act("undo"));
  const redo = guarded(() => act("redo"));
  const free = () => !(document.activeElement as HTMLElement | null)?.closest(".cm-editor, input, textarea");
  useShortcut("mod+z", () => (free() && draft?.can_undo ? undo() : false));
  useShortcut("mod+shift+z", () => (free() && draft?.can_redo ? redo() : false));
  const keys = () => (writing() || document.querySelector("dialog[open]") ? false : useDesk.setState({ dialog: "keys" }));
  useShortcut("shift+?", keys);
  useShortcut("?", keys); // where the layout has it without Shift
  if (!draft) return null;
  return (
    <header className="strip">
      <Title key={draft.id} />
      {draft.baseline && <span className="strip-tag" title="Answered from the schema alone">without history</span>}
      {reused && <span className="strip-tag" title={sentence(reused.note ?? "")}>asked before: {reused.key}</span>}
      <div className="actions">
        {reused && !progress && <button type="button" className="button bare" onClick={() => void again(undefined, "none")}>Ask the model instead</button>}
        {progress ? (
          <>
            <Waiting>{progress.stages.at(-1) ?? "Asking again"}</Waiting>
            <button type="button" className="button" onClick={() => void cancel()}>Stop</button>
          </>
        ) : (
          draft.question && <button type="button" className="button bare" onClick={() => void again()}><Icon name="again" /> Ask again</button>
        )}
        <button type="button" className="button bare icon" disabled={!draft.can_undo} onClick={undo} aria-label="Undo the last change" title="Undo"><Icon name="undo" /></button>
        <button type="button" className="button bare icon" disabled={!draft.can_redo} onClick={redo} aria-label="Redo" title="Redo"><Icon name="redo" /></button>
        <button type="button" className="button bare icon" aria-haspopup="dialog" aria-keyshortcuts="Shift+?" onClick={() => useDesk.setState({ dialog: "keys" })} aria-label="Keys" title="Keys (?)"><Icon name="keys" /></button>
        <DraftMenu />
      </div>
    </header>
  );
}

/** The draft's title, which is its question until somebody names it. */
function Title() {
  const { draft, show } = useDesk();
  const say = useApp((state) => state.say);
  const [editing, setEditing] = useState(false);
  if (!draft) return null;
  const text = draft.title || draft.question || "SQL by hand";
  const save = async (title: string) => {
    setEditing(false);
    if (title === text) return;
    try {
      show(await ok(api.PATCH("/api/drafts/{id}", { params: { path: { id: draft.id } }, body: { title } })));
    } catch (error) {
      say(problemOf(error).detail, "bad");
    }
  };
  if (editing) {
    return (
      <input className="strip-title-field" aria-label="Title of the draft" defaultValue={text} autoFocus maxLength={300}
        onBlur={(event) => void save(event.target.value.trim())}
        onKeyDown={(event) => {
          if (event.key === "Enter") event.currentTarget.blur();
          if (event.key === "Escape") setEditing(false);
        }} />
    );
  }
  return (
    <h1 title={draft.title ? draft.question : undefined}>
      <button type="button" className="ellipsis" onClick={() => setEditing(true)} title="Give it another title">{text}</button>
    </h1>
  );
}
