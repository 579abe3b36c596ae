import { create } from "zustand";
import { api, ok, problemOf } from "../api/client";
import { listen } from "../api/events";
import type { Draft, Explained, ExplainedItem, Figure, FlowNode, Kind, Known, ModelEvent, Problem, Proposal, ResultPage } from "../api/types";
import { valueIsNew } from "../lib/kinds";
import type { Mark } from "../lib/marks";
import { unitsOf } from "../lib/offsets";
import { logged } from "./app";

/** What is selected: a node, and within it perhaps one item. Every view shows the same selection. */
export interface Selection {
  node: string | null;
  item: string | null;
}

/** A window over the desk that is about the whole draft. */
export type DeskDialog = "question" | "teach" | "keys";

/**
 * What a change leaves in the query: the text of a piece (none where it was switched off), and the places that the
 * change wrote, where these are known. `focus`: where the focus goes then, to the piece or to the way back.
 */
export interface Left {
  kind: Kind;
  text: string;
  at: [number, number][];
  focus?: "piece" | "back";
}

export interface Progress {
  stages: string[];
  written: string;
  known: Known | null;
  /** How far the model is in the last stage. */
  model: ModelEvent | null;
  /** When the question was asked, in milliseconds. */
  began: number;
}

interface DeskState {
  id: string | null;
  draft: Draft | null;
  progress: Progress | null;
  problem: Problem | null;
  explained: Explained | null;
  explainProblem: Problem | null;
  figures: Record<string, Figure>;
  figuresRunning: boolean;
  selection: Selection;
  results: Record<string, ResultPage | Problem | "running">;
  dialog: DeskDialog | null;
  /** Where the focus goes after the change that was shown last. */
  focus: { to: Left["focus"] };
  open: (id: string) => Promise<void>;
  close: () => void;
  show: (draft: Draft, result?: ResultPage | null, left?: Left | null) => void;
  changed: (draft: Draft, proposal: Proposal) => void;
  select: (selection: Selection) => void;
  run: (sql: string, node?: string | null) => Promise<void>;
  act: (what: "undo" | "redo") => Promise<void>;
  write: (sql: string) => Promise<Problem | null>;
  again: (question?: string, reuse?: "none") => Promise<Problem | null>;
  refresh: () => Promise<void>;
  reopen: () => Promise<void>;
  cancel: () => Promise<void>;
  confirm: (why?: string) => Promise<void>;
}

const EMPTY = {
  draft: null,
  progress: null,
  problem: null,
  explained: null,
  explainProblem: null,
  figures: {},
  figuresRunning: false,
  selection: { node: null, item: null },
  results: {},
  dialog: null,
};

let stopAsking = () => {};
let stopFigures = () => {};

export const useDesk = create<DeskState>((set, get) => ({
  id: null,
  focus: { to: undefined },
  ...EMPTY,

  open: async (id) => {
    if (get().id === id && get().draft !== null) return;
    const selection = get().id === id ? get().selection : EMPTY.selection;
    get().close();
    set({ id, ...EMPTY, selection });
    try {
      const draft = await ok(api.GET("/api/drafts/{id}", { params: { path: { id } } }));
      if (get().id !== id) return;
      if (draft.job && draft.status === "asking") {
        set({ draft });
        follow(draft.job, id);
      } else get().show(draft);
    } catch (error) {
      if (get().id === id) set({ problem: problemOf(error) });
    }
  },

  close: () => {
    stopAsking();
    stopFigures();
    set({ id: null, ...EMPTY });
  },

  show: (draft, result, left = null) => {
    const before = get().draft;
    const same = before?.id === draft.id && before.sql === draft.sql && get().explained !== null;
    const results = { ...get().results };
    if (result) results[draft.sql] = result;
    set({ id: draft.id, draft, problem: null, progress: null, results });
    if (draft.sql) sessionStorage.setItem(LAST, JSON.stringify({ id: draft.id, title: draft.title || draft.question }));
    if (draft.sql && !same) void explain(draft, left);
  },

  changed: (draft, proposal) => {
    const at = unitsOf(proposal.after);
    const spans = proposal.spans.map(([, , from = 0, to = 0]): [number, number] => [at(from), at(to)]);
    const { kind, text } = proposal;
    get().show(draft, null, proposal.act === "off" ? { kind, text: "", at: [], focus: "back" } : { kind, text, at: spans, focus: "piece" });
  },

  select: (selection) => {
    const { selection: before, id } = get();
    set({ selection });
    if (selection.item !== null && selection.item !== before.item) logged("inspection", "piece", id ?? undefined);
    else if (selection.node !== before.node) logged("structure", "part", id ?? undefined);
  },

  run: async (sql, node = null) => {
    const known = get().results[sql];
    if (known && known !== "running" && "rows" in known) return;
    if (known === "running") return;
    set({ results: { ...get().results, [sql]: "running" } });
    const kept = get().id;
    let found: ResultPage | Problem;
    try {
      found = await ok(api.POST("/api/run", { body: { sql, limit: 200, draft: kept, node } }));
    } catch (error) {
      found = problemOf(error);
    }
    if (get().id === kept) set({ results: { ...get().results, [sql]: found } });
  },

  act: async (what) => {
    const id = get().id;
    if (id === null) return;
    const params = { params: { path: { id } } };
    const asked = what === "undo" ? api.POST("/api/drafts/{id}/undo", params) : api.POST("/api/drafts/{id}/redo", params);
    const before = get().draft?.steps ?? [];
    const draft = await ok(asked);
    const step = draft.steps.find((one, at) => one.done !== before[at]?.done);
    const text = what === "undo" ? step?.fragment : step?.act === "off" ? "" : step?.text;
    get().show(draft, null, step && text ? { kind: step.kind, text, at: [] } : null);
  },

  write: async (sql) => {
    const id = get().id;
    if (id === null) return null;
    try {
      get().show(await ok(api.PUT("/api/drafts/{id}/sql", { params: { path: { id } }, body: { sql } })));
      return null;
    } catch (error) {
      return problemOf(error);
    }
  },

  again: async (question, reuse) => {
    const draft = get().draft;
    if (draft === null) return null;
    const body = { question: question ?? draft.question, draft: draft.id, strategy: draft.strategy, baseline: draft.baseline, reuse };
    try {
      const job = await ok(api.POST("/api/asks", { body }));
      follow(job.id, draft.id);
      return null;
    } catch (error) {
      const problem = problemOf(error);
      set({ problem });
      return problem;
    }
  },

  refresh: async () => {
    const id = get().id;
    if (id === null) return;
    const draft = await ok(api.GET("/api/drafts/{id}", { params: { path: { id } } }));
    if (get().id !== id) return;
    get().show(draft);
    if (draft.sql) await explain(draft);
  },

  reopen: async () => {
    const { id, selection, draft, progress, results } = get();
    if (id === null) return;
    if (draft?.sql && progress === null) {
      // what is being edited stays as it is
      set({ results: Object.fromEntries(Object.entries(results).filter(([, one]) => one !== "running" && "rows" in one)) });
      return get().refresh().catch((error) => set({ problem: problemOf(error) }));
    }
    stopAsking();
    stopFigures();
    set({ id, ...EMPTY, selection });
    await get().open(id);
  },

  cancel: async () => {
    const job = get().draft?.job ?? askingJob;
    if (job) await api.DELETE("/api/jobs/{id}", { params: { path: { id: job } } });
  },

  confirm: async (why = "") => {
    const id = get().id;
    if (id === null) return;
    get().show(await ok(api.POST("/api/drafts/{id}/confirmations", { params: { path: { id } }, body: { why } })));
  },
}));

let askingJob: string | null = null;

/** Follows a question until the draft is there; a draft that is asked anew keeps what it shows until then. */
function follow(job: string, id: string): void {
  const { setState: set, getState: get } = useDesk;
  stopAsking();
  askingJob = job;
  const mine = () => get().id === id;
  set({ progress: { stages: [], written: "", known: null, model: null, began: Date.now() }, problem: null });
  const advance = (change: (progress: Progress) => Progress) => {
    const progress = get().progress;
    if (mine() && progress) set({ progress: change(progress) });
  };
  const reload = async () => {
    askingJob = null;
    if (!mine()) return;
    try {
      get().show(await ok(api.GET("/api/drafts/{id}", { params: { path: { id } } })));
    } catch (error) {
      set({ problem: problemOf(error), progress: null });
    }
  };
  ok(api.GET("/api/jobs/{id}", { params: { path: { id: job } } }))
    .then(({ started }) => advance((p) => ({ ...p, began: Date.parse(started) })))
    .catch(() => {}); // then it counts from when the page began to listen
  stopAsking = listen(
    job,
    {
      stage: ({ stage }) =>
        advance((p) => (p.stages.at(-1) === stage ? p : { ...p, stages: [...p.stages, stage], written: "", model: null })),
      model: (model) => advance((p) => ({ ...p, model })),
      token: ({ text }) =>
        advance((p) => ({ ...p, written: p.written + text, model: p.model && { ...p.model, phase: "writes", done: p.model.phase === "writes" ? p.model.done + 1 : 1 } })),
      known: ({ known }) => advance((p) => ({ ...p, known })),
      draft: ({ draft, result }) => mine() && get().show(draft, result),
      end: ({ status }) => {
        askingJob = null;
        if (status !== "done") void reload();
      },
    },
    () => void reload(),
  );
}

/** Explains the draft and asks for the figures, which arrive one by one. */
async function explain(draft: Draft, left: Left | null = null): Promise<void> {
  const { setState: set, getState: get } = useDesk;
  stopFigures();
  const mine = () => get().id === draft.id && get().draft?.sql === draft.sql;
  try {
    const body = { sql: draft.sql, baseline: draft.baseline };
    const explained = inUnits((await ok(api.POST("/api/explanations", { body }))) as Explained);
    if (!mine()) return;
    const figures = get().explained?.sql === explained.sql ? get().figures : {}; // the data is the same: they stay until new ones come
    const selection = (left && pieceLeft(explained, left)) ?? kept(explained, get().selection, get().explained);
    set({ explained, explainProblem: null, figures, figuresRunning: true, selection, ...(left?.focus && { focus: { to: left.focus } }) });
    const job = await ok(
      api.POST("/api/explanations/{id}/figures", { params: { path: { id: explained.id } }, body: { seconds: 10 } }),
    );
    if (!mine()) return;
    stopFigures = listen(
      job.id,
      {
        figure: ({ figure }) => mine() && set({ figures: { ...get().figures, [figureKey(figure.node, figure.item)]: figure } }),
        end: () => mine() && set({ figuresRunning: false }),
      },
      () => mine() && set({ figuresRunning: false }),
    );
  } catch (error) {
    if (mine()) set({ explained: null, explainProblem: problemOf(error), figuresRunning: false });
  }
}

/** The selection where what it names is still there, or what has come into its place; else its part of the query. */
export function kept(explained: Explained, selection: Selection, before: Explained | null): Selection {
  const node = explained.nodes.find((one) => one.id === selection.node);
  if (node === undefined) return { node: finalNode(explained)?.id ?? null, item: null };
  const old = selection.item === null ? undefined : find(before, selection.item)?.item;
  const alike = node.items.filter((one) => one.kind === old?.kind && one.form === old?.form);
  const found =
    node.items.find((one) => one.id === selection.item) ??
    alike.find((one) => one.start === old?.start) ??
    alike.find((one) => one.sql === old?.sql) ??
    sameInOrder(alike, before?.nodes.find((one) => one.id === node.id)?.items ?? [], old);
  return { node: node.id, item: found?.id ?? null };
}

/** The piece in the place of another among those like it, where there are as many as there were. */
function sameInOrder(alike: ExplainedItem[], before: ExplainedItem[], old: ExplainedItem | undefined): ExplainedItem | undefined {
  const were = before.filter((one) => one.kind === old?.kind && one.form === old?.form);
  return were.length === alike.length ? alike[were.findIndex((one) => one.id === old?.id)] : undefined;
}

/** The piece that a change left: that of its text where it wrote, else the smallest there. */
export function pieceLeft(explained: Explained, left: Left): Selection | null {
  if (left.text === "") return null;
  const flat = (sql: string) => sql.replace(/\s+/g, " ").trim();
  const all = explained.nodes.flatMap((node) => node.items.map((item) => ({ node: node.id, item })));
  const mine = all.filter(({ item }) => item.kind === left.kind);
  const equal = mine.filter(({ item }) => flat(item.sql) === flat(left.text));
  const written = ({ item }: { item: ExplainedItem }) => left.at.some(([from, to]) => item.start < to && from < item.end);
  const smallest = (found: typeof all) => [...found].sort((a, b) => a.item.end - a.item.start - (b.item.end - b.item.start))[0];
  const found = equal.find(written) ?? equal[0] ?? smallest(mine.filter(written)) ?? smallest(all.filter(written));
  return found ? { node: found.node, item: found.item.id } : null;
}

export function finalNode(explained: Explained): FlowNode | undefined {
  return explained.nodes.find((node) => node.kind === "final") ?? explained.nodes.at(-1);
}

const LAST = "sqlore.draft";

/** The draft that was open last in this tab: where knowledge is added to. */
export function lastDraft(): { id: string; title: string } | null {
  try {
    return JSON.parse(sessionStorage.getItem(LAST) ?? "null");
  } catch {
    return null;
  }
}

/** A draft that is deleted is not the last one any more. */
export function forgetDraft(id: string): void {
  if (lastDraft()?.id === id) sessionStorage.removeItem(LAST);
}

export function figureKey(node: string, item: string | null | undefined): string {
  return `${node} ${item ?? ""}`;
}

/** The explanation with offsets as JavaScript counts them. */
export function inUnits(explained: Explained): Explained {
  const at = unitsOf(explained.sql);
  const moved = <T extends { start: number; end: number }>(one: T): T => ({ ...one, start: at(one.start), end: at(one.end) });
  return {
    ...explained,
    nodes: explained.nodes.map((node) => ({
      ...moved(node),
      spans: node.spans.map((span) => [at(span[0] as number), at(span[1] as number)]) as [number, number][],
      items: node.items.map(moved),
    })),
  };
}

/** The items of an explanation as marks in its text. */
export function marksOf(explained: Explained | null): Mark[] {
  return (explained?.nodes ?? []).flatMap((node) => node.items.map(markOf));
}

function markOf(item: ExplainedItem): Mark {
  const { id, start, end, kind, citation } = item;
  const support = citation?.support ?? 0;
  const used = valueIsNew(citation) ? 0 : citation?.with_values;
  return { id, start, end, kind, status: citation?.status ?? null, support, used: used != null && used < support ? used : null, similarity: citation?.similarity, like: citation?.description };
}

/** The node and the item that a mark is. */
export function find(explained: Explained | null, item: string): { node: FlowNode; item: ExplainedItem } | null {
  for (const node of explained?.nodes ?? []) {
    const found = node.items.find((one) => one.id === item);
    if (found) return { node, item: found };
  }
  return null;
}
