import { EditorState, RangeSet } from "@codemirror/state";
import { GutterMarker } from "@codemirror/view";
import { CompletionContext } from "@codemirror/autocomplete";
import { describe, expect, it, vi } from "vitest";
import type { ColumnEntry, ItemSummary, KnownItem, LearnReport, Problem, Rejected, ResultPage } from "../api/types";
import { api } from "../api/client";
import * as events from "../api/events";
import { chipName, chipSign, chipText } from "../lib/chips";
import { kindName } from "../lib/kinds";
import { SQLITE_WORDS } from "../lib/sql";
import { useApp } from "../state/app";
import { onPage } from "../testing";
import { apart, KnownPanel } from "./ask/known";
import { unfinished } from "./desk/code-editor";
import { withoutLines } from "./desk/code-gutter";
import { FigureLine } from "./desk/knowledge-pane";
import Grid from "./desk/grid";
import { Description } from "./dictionary/description";
import { Names } from "./dictionary/names";
import { Values } from "./dictionary/values";
import { inOrder, relevant } from "./knowledge/knowledge";
import { NotLearned, Report } from "./learn/learn";
import { labelOf } from "./settings/settings";

const page = onPage();
const { show, click, button, type } = page;
const column = (more: Partial<ColumnEntry>): ColumnEntry => ({
  name: "A11", type: "INTEGER", nullable: true, primary_key: false, called: "A11", description: "", synonyms: [], sensitive: false, kind: "", complete: true,
  distinct: 77, samples: Array.from({ length: 12 }, (_, at) => ({ value: String(8000 + at), count: 1 })), meanings: [], aliases: [], said: [], items: 0, ...more,
});

describe("a description", () => {
  const described = (save: () => Promise<Problem | null> = async () => null) => show(<Description table="district" column="A11" text="" source={null} aliases={[]} save={save} />);
  it("is opened by one click, and looks as if it were", async () => {
    await described();
    expect(button(/^Describe it: A11/)?.querySelector("svg")).toBeTruthy();
    await click(button(/^Describe it: A11/));
    expect(document.activeElement).toBe(page.box.querySelector("textarea"));
  });
  it("keeps what was typed when the model is stopped, and can be saved while it writes", async () => {
    const save = vi.fn(async () => null);
    const stopped = vi.spyOn(api, "DELETE").mockResolvedValue({ response: new Response() } as never);
    vi.spyOn(api, "POST").mockResolvedValue({ data: { id: "job" }, response: new Response() } as never);
    vi.spyOn(events, "listen").mockReturnValue(() => {});
    await described(save);
    await click(button(/^Describe it: A11/));
    await type(page.box.querySelector("textarea"), "average salary in the dis");
    await click(button(/^Complete it/));
    await click(button(/^Stop the model/));
    expect(stopped).toHaveBeenCalledOnce();
    expect(page.box.querySelector("textarea")?.value).toBe("average salary in the dis");
    await click(button(/^Complete it/));
    await click(button(/^Save$/));
    expect(save).toHaveBeenCalledWith("average salary in the dis");
  });
  it("that cannot be saved stays open with what was typed, and says why", async () => {
    let failed: Problem | null = { type: "about:blank", title: "Conflict", status: 409, detail: "knowledge is being learned now", kinds: [], errors: [] };
    await described(async () => failed);
    await click(button(/^Describe it: A11/));
    await type(page.box.querySelector("textarea"), "average salary");
    await click(button(/^Save$/));
    expect(page.box.querySelector("textarea")?.value).toBe("average salary");
    expect(page.box.querySelector("[role=alert]")?.textContent).toContain("Knowledge is being learned now");
    failed = null;
    await click(button(/^Save$/));
    expect(page.box.querySelector("textarea")).toBeNull();
  });
});

describe("names and values of a column", () => {
  it("begin with no name where nobody gave one: nothing is typed behind the raw name", async () => {
    await show(<Names column={column({})} save={vi.fn(async () => null)} />);
    await click(button(/Name it/));
    expect([page.box.querySelector("input")?.value, page.box.querySelector("input")?.placeholder]).toEqual(["", "A11"]);
  });
  it("say how many values are not listed", async () => {
    await show(<Values column={column({})} save={vi.fn(async () => null)} />);
    expect(button(/6 more of 71/)).toBeTruthy();
    await click(button(/6 more of 71/));
    expect(page.box.textContent).toContain("and 65 others, not listed");
  });
});

describe("knowledge that is searched", () => {
  it("leaves out what is far behind the best, and can be put in another order", () => {
    const scores = [0.9, 0.5, 0.32, 0.31, 0.1].map((score) => ({ score }));
    expect(relevant(scores).map((one) => one.score)).toEqual([0.9, 0.5, 0.32]);
    expect(relevant([])).toEqual([]);
    const items = [["b", 3, "2025"], ["a", 9, "2024"]].map(([name, support, last_seen]) => ({ name, description: "", support, last_seen })) as ItemSummary[];
    expect((["name", "support", "recent"] as const).map((order) => inOrder(items, order)[0]?.name)).toEqual(["a", "a", "b"]);
  });
  it("is told in whole words", async () => {
    expect([kindName("calculation", 26), kindName("condition", 1), kindName("query", 81)]).toEqual(["calculations", "condition", "whole queries"]);
    const item = { id: 1, kind: "condition", name: "n", description: "rows of disp", sql: "disp.type = 'OWNER'", support: 10, trust: "unverified" };
    await show(<KnownPanel known={{ question: "q", values: [], phrases: [], notes: [], scripts: [], said: [], items: [{ item } as KnownItem], milliseconds: 1, learned: true }} />);
    expect(page.box.querySelector(".badge")?.textContent).toBe("in 10 scripts");
    expect(page.box.querySelector(".badge")?.closest(".known-said")).toBeTruthy();
  });
});

describe("words looked up in the history", () => {
  it("do not reach into each other", () => {
    const phrase = (text: string, start: number) => ({ text, start, end: start + text.length, kind: "group" }) as const;
    expect(apart([phrase("born between 1974", 8), phrase("between 1974 and 1976", 13), phrase("1974", 21), phrase("loans", 0)])).toEqual(["loans", "between 1974 and 1976"]);
  });
});

describe("what was learned", () => {
  const report: LearnReport = { read: 3, new: 1, folded: 0, known: 0, items: 4, seconds: 9.1, rejected: { not_a_query: 1, unparsable: 1 }, scripts: 5, pieces: 9, verified: 0, misnamed: [] };
  it("tells statements that are no queries from what was not understood", async () => {
    await show(<Report report={report} />);
    expect(page.box.textContent).toMatch(/no queries, left out1not understood1took9\.1 s/);
  });
  it("lets what was left out be dismissed, one by one or all of a reason", async () => {
    const dismiss = vi.fn();
    const one = (id: string, reason: Rejected["reason"]): Rejected => ({ id, reason, message: id, sql: "UPDATE t" }) as Rejected;
    await show(<NotLearned rejected={[one("1", "not_a_query"), one("2", "unparsable"), one("3", "unparsable")]} dismiss={dismiss} />);
    expect(page.box.textContent).toContain("No query: it changes something 1");
    await click(button(/^Dismiss it/));
    await click(button(/^Dismiss all/));
    await click(button(/^Dismiss this one/));
    expect(dismiss.mock.calls).toEqual([[{ reason: "not_a_query" }], [{ reason: "unparsable" }], [{ id: "2" }]]);
    expect(button(/^Mend it/)).toBeUndefined();
    const mend = vi.fn();
    await show(<NotLearned rejected={[one("1", "not_a_query"), one("2", "unparsable")]} dismiss={dismiss} mend={mend} />);
    await click(button(/^Mend it and try again/));
    expect(mend).toHaveBeenCalledExactlyOnceWith(one("2", "unparsable"));
  });
});

describe("the grid", () => {
  it("shows a measure with separators and its exact value in the title, an identifier as it is", async () => {
    vi.stubGlobal("ResizeObserver", class { observe() {} disconnect() {} });
    const rows = [[11_000, 125_887.375_000_1], [12_000, 61_714.2]];
    const result: ResultPage = { id: "1", sql: "", columns: [{ name: "account_id", kind: "number" }, { name: "avg_loan", kind: "number" }], rows, offset: 0, fetched: 2, found: 2, truncated: false, seconds: 0 };
    await show(<Grid result={result} contains="" />);
    const cells = [...page.box.querySelectorAll<HTMLElement>('[role="gridcell"]')];
    expect(cells.map((one) => one.textContent)).toEqual(["11000", "125,887.38", "12000", "61,714.2"]);
    expect(cells.map((one) => one.title)).toEqual(["", "125887.3750001", "", "61714.2"]);
    expect(cells[3]?.querySelector<HTMLElement>(".pad")?.dataset.pad).toBe("0");
  });
});

describe("the editor", () => {
  it("offers nothing behind a word that is whole, and no words that SQLite does not know", async () => {
    const source = () => ({ from: 0, options: ["DESC", "DESCRIPTOR"].map((label) => ({ label })) });
    const ask = (text: string) => unfinished(source)(new CompletionContext(EditorState.create({ doc: text }), text.length, false));
    expect(await ask("desc")).toBeNull();
    expect(await ask("des")).not.toBeNull();
    expect(SQLITE_WORDS.split(" ")).not.toContain("descriptor");
    expect(SQLITE_WORDS.split(" ")).toContain("desc");
  });
  it("says nothing of a line that is being written", () => {
    const state = EditorState.create({ doc: "SELECT a\nFROM t" });
    const marks = RangeSet.of([new (class extends GutterMarker {})().range(0), new (class extends GutterMarker {})().range(9)]);
    const change = state.update({ changes: { from: 7, to: 8, insert: "bb" } });
    const left: number[] = [];
    withoutLines(marks, change).between(0, change.state.doc.length, (at) => void left.push(at));
    expect(left).toEqual([10]);
  });
  it("shows the signs of the command line: a number where cited, nothing more where near", () => {
    expect((["cited", "near", "novel"] as const).map((status) => chipText({ status, support: 14 }))).toEqual(["14", "", "new"]);
    const used = (number: number) => ({ status: "cited", support: 9, used: number }) as const;
    expect([chipText(used(2)), chipText(used(0)), chipSign(used(2)), chipSign(used(0))]).toEqual(["2/9", "0/9", "cited", "new_value"]);
    expect(chipName({ ...used(2), kind: "condition" })).toBe("condition: 2 of 9 scripts with this value, 2/9");
  });
});

describe("figures of a piece", () => {
  it("stand beside their bar, and wrap there", async () => {
    const facts = { type: "counts", alone: 49, together: 49, total: 4500, unit: "rows" } as const;
    await show(<FigureLine figure={{ node: "n", item: "i", status: "done", text: "49 of 4,500 rows; 49 with all conditions together", warning: "", facts } as never} />);
    expect(page.box.querySelector(".funnel + .figure-text")?.textContent).toContain("conditions together");
  });
});

describe("settings and the server", () => {
  it("have names for people", () => {
    expect([labelOf("model_timeout"), labelOf("some_new_one")]).toEqual(["Patience with the model", "Some new one"]);
  });
  it("are asked for while a page stands open, so that a server that is gone is told", async () => {
    vi.useFakeTimers();
    const { watchServer } = await import("../state/app");
    const asked = vi.spyOn(api, "GET").mockResolvedValue({ data: {}, response: new Response() } as never);
    useApp.setState({ lost: false });
    const stop = watchServer();
    await vi.advanceTimersByTimeAsync(2100);
    expect(asked).toHaveBeenCalledOnce();
    stop();
    vi.useRealTimers();
  });
});
