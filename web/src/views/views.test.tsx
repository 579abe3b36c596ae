import { act } from "react";
import { describe, expect, it, vi } from "vitest";
import { ApiError } from "../api/client";
import type { ColumnEntry, Draft, Example, Problem, ResultPage } from "../api/types";
import { useDesk } from "../state/desk";
import { onPage } from "../testing";
import { ChatPane } from "./desk/chat-pane";
import Chart from "./desk/chart";
import { spread } from "./desk/chart-plane";
import { LeftOut } from "./desk/left-out";
import { Remarks } from "./desk/remarks";
import { TrustBar } from "./desk/trust-bar";
import { Names } from "./dictionary/names";
import { Values } from "./dictionary/values";
import { byDay } from "./drafts/days";
import { DraftRow } from "./drafts/draft-row";
import { ExamplePage } from "./examples/example-page";
import { SettingField } from "./settings/settings";
import { NO_READING, ReadingOptions } from "./learn/reading";

const page = onPage();
const { show, click, button, type } = page;

const column = (more: Partial<ColumnEntry>): ColumnEntry => ({
  name: "st", type: "INTEGER", nullable: true, primary_key: false, called: "st", description: "", synonyms: [], sensitive: false, kind: "", complete: true,
  distinct: 2, samples: [{ value: "7", count: 3 }, { value: "1", count: 9 }], meanings: [{ value: "7", meaning: "cancelled", source: "person" }],
  aliases: [{ name: "order_state", support: 4 }], said: [], items: 0, ...more,
});

const LEARNING: Problem = { type: "about:blank", title: "Conflict", status: 409, detail: "knowledge is being learned now", kinds: [], errors: [] };

describe("a number among the settings", () => {
  it("that is emptied is what it was, and not 0", async () => {
    const save = vi.fn();
    const setting = { name: "scripts", value: 4, default: 4, description: "", type: "int", choices: [], minimum: 0, maximum: 1000, changeable: true, changed: false };
    await show(<SettingField setting={setting} save={save} />);
    const field = page.box.querySelector("input") as HTMLInputElement;
    const leave = () => act(async () => void field.dispatchEvent(new FocusEvent("focusout", { bubbles: true })));
    await type(field, "");
    await leave();
    expect([field.value, save.mock.calls.length]).toEqual(["4", 0]);
    await type(field, "0");
    await leave();
    expect(save).toHaveBeenCalledWith(0);
  });
});

describe("values of a column", () => {
  it("say what they mean, and take what a person says", async () => {
    const save = vi.fn(async () => null);
    await show(<Values column={column({})} save={save} />);
    expect(page.box.textContent).toContain("2 values");
    expect(button(/^7cancelled/)).toBeTruthy();
    await click(button(/^1$/));
    await type(page.box.querySelector("form input"), " paid ");
    await click(button("Save"));
    expect(save).toHaveBeenCalledWith({ "1": "paid" });
    expect(page.box.querySelector("form")).toBeNull();
  });
  it("keep what was typed where it cannot be saved", async () => {
    await show(<Values column={column({})} save={async () => LEARNING} />);
    await click(button(/^1$/));
    await type(page.box.querySelector("form input"), "paid");
    await click(button("Save"));
    expect(page.box.querySelector<HTMLInputElement>("form input")?.value).toBe("paid");
    expect(page.box.querySelector("[role=alert]")?.textContent).toContain("Knowledge is being learned now");
    expect(button("Save")?.disabled).toBe(false);
  });
  it("lose a meaning that is emptied", async () => {
    const save = vi.fn(async () => null);
    await show(<Values column={column({})} save={save} />);
    await click(button(/^7/));
    await type(page.box.querySelector("form input"), "");
    await click(button("Save"));
    expect(save).toHaveBeenCalledWith({ "7": null });
  });
});

describe("names of a column", () => {
  it("take over what scripts call it", async () => {
    const save = vi.fn(async () => null);
    await show(<Names column={column({ synonyms: ["status"] })} save={save} />);
    expect(button(/^called “status”$/)).toBeTruthy(); // that it is called st is seen
    await click(button(/^called/));
    await click(button("order_state"));
    await click(button("Save"));
    expect(save).toHaveBeenCalledWith({ name: "st", synonyms: ["status", "order state"] });
  });
  it("keep what was typed where it cannot be saved", async () => {
    await show(<Names column={column({})} save={async () => LEARNING} />);
    await click(button(/^called|Name it/));
    await type(page.box.querySelector("form input"), "state");
    await click(button("Save"));
    expect(page.box.querySelector<HTMLInputElement>("form input")?.value).toBe("state");
    expect(page.box.querySelector("[role=alert]")?.textContent).toContain("Knowledge is being learned now");
  });
  it("say nothing where there is no other than its own", async () => {
    await show(<Names column={column({ name: "ORD_ID", called: "ord id" })} save={async () => null} />);
    expect(page.box.textContent).not.toContain("called");
    expect(button("Name it")).toBeTruthy();
  });
});

describe("how a history is read", () => {
  it("names the columns that are given and none that is empty", async () => {
    const set = vi.fn();
    await show(<ReadingOptions reading={{ ...NO_READING, columns: { sql: "stmt" } }} set={set} disabled={false} />);
    const fields = [...page.box.querySelectorAll("input")];
    await type(fields.find((one) => one.value === "stmt") ?? null, "");
    expect(set).toHaveBeenLastCalledWith({ ...NO_READING, columns: {} });
  });
});

const rowsOf = (names: [string, ResultPage["columns"][number]["kind"]][], rows: ResultPage["rows"]): ResultPage => ({
  id: "1", sql: "", columns: names.map(([name, kind]) => ({ name, kind })), rows, offset: 0, fetched: rows.length, found: rows.length, truncated: false, seconds: 0,
});

describe("charts", () => {
  it("draw a line for each series, with its name", async () => {
    const rows = [["2024", "DE", 5], ["2024", "UK", 2], ["2025", "DE", 6], ["2025", "UK", 3]];
    await show(<Chart page={rowsOf([["year", "text"], ["ctry", "text"], ["revenue", "number"]], rows)} suggested={{ form: "line", along: 0, measure: 2, series: 1 }} />);
    expect(page.box.querySelectorAll("path.line")).toHaveLength(2);
    expect([...page.box.querySelectorAll(".series-name")].map((one) => one.textContent)).toEqual(["DE", "UK"]);
  });
  it("can be changed to a distribution", async () => {
    await show(<Chart page={rowsOf([["price", "number"]], [[1], [1], [9]])} suggested={{ form: "points", along: 0, measure: 0 }} />);
    const form = page.box.querySelector("select") as HTMLSelectElement;
    await act(async () => {
      form.value = "spread";
      form.dispatchEvent(new Event("change", { bubbles: true }));
    });
    const counts = [...page.box.querySelectorAll(".bar-value")].map((one) => Number(one.textContent));
    expect(counts.reduce((sum, one) => sum + one, 0)).toBe(3);
    expect(counts[0]).toBe(2);
  });
  it("keep names apart from each other", () => {
    expect(spread([10, 10, 40], 14, 100)).toEqual([10, 24, 40]);
    expect(spread([95, 98], 14, 100)).toEqual([86, 100]);
  });
});

const draft = (more: Partial<Draft>): Draft => ({
  id: "d", question: "revenue", title: "", status: "ready", baseline: false, created: "", changed: "", sql: "SELECT 1", steps: [], citations: [], attempts: [], notes: [],
  strategy: "history", dialect: "sqlite", can_undo: false, can_redo: false, known: null, session: null, error: null, job: null,
  trust: { concerns: [], needs_confirmation: false, confirmed: null }, ...more,
} as unknown as Draft);

describe("the baseline", () => {
  it("is a chat: what was said so far is part of the next question", async () => {
    const again = vi.fn(async () => null);
    useDesk.setState({ draft: draft({ baseline: true, question: "revenue\nonly Austria" }), explained: null, progress: null, problem: null, again });
    await show(<ChatPane />);
    expect([...page.box.querySelectorAll('[data-who="me"]')].map((one) => one.textContent)).toEqual(["revenue", "only Austria"]);
    await type(page.box.querySelector("textarea"), "by month ");
    await click(button("Send"));
    expect(again).toHaveBeenCalledWith("revenue\nonly Austria\nby month");
  });
});

describe("trust", () => {
  const concern = { start: 0, end: 1, kind: "condition", sql: "a.b = 1", skeleton: "", columns: ["a.b"], why: "novel", item: null, version: null, status: "novel", trust: "unverified" };
  it("asks for a confirmation and keeps the reason with it", async () => {
    const confirm = vi.fn(async () => {});
    useDesk.setState({ draft: draft({ trust: { concerns: [concern], needs_confirmation: true, confirmed: null } as unknown as Draft["trust"] }), confirm });
    await show(<TrustBar />);
    expect(page.box.textContent).toContain("a.b");
    await click(button("Show them"));
    await type(page.box.querySelector("input"), "with the ledger");
    await click(button("I checked them"));
    expect(confirm).toHaveBeenCalledWith("with the ledger");
  });
  it("says who confirmed, and why", async () => {
    const confirmed = { who: "Ann", when: "2026-01-01T00:00:00Z", why: "with the ledger", skeletons: [] };
    useDesk.setState({ draft: draft({ trust: { concerns: [concern], needs_confirmation: false, confirmed } as unknown as Draft["trust"] }) });
    await show(<TrustBar />);
    expect(page.box.textContent).toMatch(/Ann looked at .*: with the ledger/);
    expect(button("I checked them")).toBeUndefined();
  });
});

describe("what a draft leaves out", () => {
  const owner = { item: 22, kind: "condition", sql: "disp.type = 'OWNER'", scripts: [26, 34] };
  it("is told with what the history has for it, which one button brings to the draft", async () => {
    useDesk.setState({ draft: draft({ uncovered: [{ phrase: "eligible for loans", start: 0, end: 18, items: [owner] }] as unknown as Draft["uncovered"] }) });
    await show(<LeftOut />);
    expect(page.box.textContent).toMatch(/“eligible for loans”: nothing in this SQL answers it.*disp.type = 'OWNER'.*in 2 scripts/);
    await click(button("Add it"));
    expect(location.search).toContain("add=22");
    expect(location.search).toContain("like=26");
  });
  it("is told with the value that the SQL has in its place, which is not added but changed", async () => {
    const senior = { item: 7, kind: "condition", sql: "member.cat = 3", scripts: [4] };
    useDesk.setState({ draft: draft({ uncovered: [{ phrase: "seniors", start: 0, end: 7, items: [senior], instead: "2" }] as unknown as Draft["uncovered"] }) });
    await show(<LeftOut />);
    expect(page.box.textContent).toMatch(/“seniors”: this SQL has another value.*member.cat = 3, not 2 in 1 script/);
    expect(button("Add it")).toBeUndefined();
  });
  it("is not told where there is nothing", async () => {
    useDesk.setState({ draft: draft({ uncovered: [] }) });
    await show(<LeftOut />);
    expect(page.box.textContent).toBe("");
  });
});

describe("what is told with an answer", () => {
  it("stands above it, but for what is told of a script that was taken as it is", async () => {
    useDesk.setState({ draft: draft({ notes: ["branch.name has no 'Egenberg'; nearest: 'Eggenberg'", "asked before"], reused: { note: "asked before" } as Draft["reused"] }) });
    await show(<Remarks />);
    expect(page.box.textContent).toBe("branch.name has no 'Egenberg'; nearest: 'Eggenberg'");
  });
  it("takes no room where there is nothing", async () => {
    useDesk.setState({ draft: draft({ notes: [] }) });
    await show(<Remarks />);
    expect(page.box.textContent).toBe("");
  });
});

describe("drafts in their list", () => {
  const now = new Date("2026-03-12T15:00:00");
  const at = (changed: string) => draft({ changed });
  it("stand under the days they were changed on", () => {
    const days = byDay([at("2026-03-12T00:10:00"), at("2026-03-11T23:50:00"), at("2026-03-11T08:00:00"), at("2026-03-07T08:00:00"), at("2026-02-20T08:00:00"), at("2025-02-20T08:00:00")], now);
    expect(days.map(([day, drafts]) => [day, drafts.length])).toEqual([["Today", 1], ["Yesterday", 2], ["Saturday", 1], ["February 2026", 1], ["February 2025", 1]]);
  });
  it("say what nobody checked, and how many versions there were", async () => {
    await show(<ul><DraftRow draft={{ ...draft({}), versions: 3, holds: { verified: 2, cited: 0, near: 1, novel: 4 } }} remove={() => {}} /></ul>);
    expect(page.box.textContent).toMatch(/3 versions.*2 verified.*1 near.*4 new/);
    expect(page.box.textContent).not.toContain("cited");
    expect(page.box.querySelector('[data-tone="new"]')?.textContent).toBe("4 new");
  });
  it("that are all verified say so; one that is being answered cannot be deleted", async () => {
    const remove = vi.fn();
    await show(<ul><DraftRow draft={{ ...draft({ status: "asking" }), versions: 1, holds: { verified: 2, cited: 0, near: 0, novel: 0 } }} remove={remove} /></ul>);
    expect(page.box.textContent).toContain("all verified");
    expect(page.box.textContent).toContain("being answered");
    await click(button("Delete revenue"));
    expect(remove).not.toHaveBeenCalled();
  });
});

describe("an example", () => {
  const example = (more: Partial<Example>): Example => ({
    key: "k", number: 2, source: "school", pattern: "SELECT 1", question: "How many?", sql: "", state: "waiting", changed: false, by: "", at: "", problem: "", failed: {}, version: "v", item: null, ...more,
  });
  const press = (key: string) => page.press(window, key);
  it("that has no SQL cannot be approved, but written", async () => {
    const settle = vi.fn(async () => {});
    const one = example({ state: "missing", question: "", failed: { "does not run": 3 } });
    await show(<ExamplePage example={one} total={4} settle={settle} />);
    expect(page.box.textContent).toContain("does not run (3)");
    expect(button(/^\s*Approve/)).toBeUndefined();
    await press("a");
    expect(settle).not.toHaveBeenCalled();
    await press("e");
    await type(page.box.querySelector("#example-question"), "How many pupils?");
    await type(page.box.querySelector("#example-sql"), "SELECT COUNT(*) FROM pupil");
    await press("a");
    expect(settle).not.toHaveBeenCalled();
    await click(button("Save and approve"));
    expect(settle).toHaveBeenCalledWith(one, { state: "approved", question: "How many pupils?", sql: "SELECT COUNT(*) FROM pupil" });
  });
  it("that was rejected says who did, and can wait again by a key", async () => {
    const settle = vi.fn(async () => {});
    const one = example({ state: "rejected", by: "Ann", at: new Date().toISOString() });
    await show(<ExamplePage example={one} total={4} settle={settle} />);
    expect(page.box.textContent).toContain("Rejected by Ann, just now");
    await press("r");
    expect(settle).not.toHaveBeenCalled();
    await press("w");
    expect(settle).toHaveBeenCalledWith(one, { state: "waiting" });
  });
  it("keeps the form open where the server refuses", async () => {
    const refused = { type: "", title: "The request cannot be carried out", status: 422, detail: "there is no column nosuch", kinds: [], errors: [] };
    const settle = vi.fn(async () => Promise.reject(new ApiError(refused)));
    await show(<ExamplePage example={example({})} total={4} settle={settle} />);
    await press("e");
    await type(page.box.querySelector("#example-sql"), "SELECT nosuch FROM pupil");
    await click(button("Save and approve"));
    expect(page.box.querySelector('[role="alert"]')?.textContent).toContain("There is no column nosuch");
    expect((page.box.querySelector("#example-sql") as HTMLTextAreaElement).value).toBe("SELECT nosuch FROM pupil");
  });
});
