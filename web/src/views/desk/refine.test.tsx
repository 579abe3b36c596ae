import { act } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Explained, ExplainedItem, Proposal } from "../../api/types";
import { chipTitle } from "../../lib/chips";
import { kept, pieceLeft, useDesk } from "../../state/desk";
import { onPage } from "../../testing";
import { Badge } from "../../ui/bits";
import { KindIcon } from "../../ui/icons";
import { MenuButton } from "../../ui/menu";
import { origin, unverifiable } from "./item-menu";
import { Keys } from "./keys";
import { Refine } from "./refine";
import { Review } from "./review";

const asked = vi.hoisted(() => vi.fn(async () => ({ data: undefined, error: { detail: "no", title: "no", status: 422 }, response: new Response(null, { status: 422 }) })));
vi.mock("../../api/client", async (original) => ({ ...(await original<object>()), api: { POST: asked, GET: asked } }));

const item: ExplainedItem = { id: "main@1", kind: "condition", form: "predicate", clause: "where", sql: "x < 1", start: 0, end: 5, skeleton: "", name: "", description: "small x", number: 3 };
const page = onPage();
const { show, click, button } = page;
beforeEach(() => useDesk.setState({ id: "d1" }));
afterEach(() => void asked.mockClear());

const proposal: Proposal = { id: "p1", act: "wish", before: "SELECT a", after: "SELECT a", diff: "", spans: [], kind: "calculation", scope: "main", fragment: "a", text: "a", said: "", notes: [], affected: [] } as unknown as Proposal;

it("a change that changes nothing says so and has nothing to apply", async () => {
  const back = vi.fn();
  await show(<Review proposal={proposal} problem={null} busy={false} apply={() => {}} back={back} close={() => {}} />);
  const names = () => [...page.box.querySelectorAll("button")].map((one) => one.textContent);
  expect(page.box.querySelector("h2")?.textContent).toBe("Nothing would change");
  expect(names()).toEqual(["Back", "Leave as it is"]);
  await show(<Review proposal={{ ...proposal, after: "SELECT b", notes: ["b is of any row"] }} problem={null} busy={false} apply={() => {}} back={back} close={() => {}} />);
  expect(names()).toContain("Apply");
  expect(page.box.querySelector(".told")?.textContent).toBe("B is of any row");
});

it("the joins that only a piece needed can go with it, where that is another query", async () => {
  const off = { ...proposal, act: "off" as const, before: "SELECT a FROM t JOIN u WHERE u.x", after: "SELECT a FROM t JOIN u" };
  asked.mockImplementation((async (_path: string, { body }: { body: { joins: string } }) =>
    ({ data: body.joins === "all" ? { ...off, id: "p2", after: "SELECT a FROM t" } : off, response: new Response("{}") })) as never);
  await show(<Refine change={{ how: "off", item }} close={() => {}} />);
  await act(async () => {});
  const choice = document.querySelector<HTMLInputElement>('input[type="checkbox"]');
  await click(choice);
  expect(choice?.checked).toBe(true);
  await click(button("Apply"));
  expect(asked).toHaveBeenLastCalledWith("/api/drafts/{id}/proposals/{proposal}/apply", { params: { path: { id: "d1", proposal: "p2" } } });
});

it("a wish is sent by Enter; with Shift it begins a new line; both are said", async () => {
  await show(<Refine change={{ how: "wish", item }} close={() => {}} />);
  const field = document.querySelector("textarea") as HTMLTextAreaElement;
  expect(document.getElementById(field.getAttribute("aria-describedby") ?? "")?.textContent).toMatch(/Enter.*Shift\+Enter/);
  await page.type(field, "under 200 thousand");
  expect((await page.press(field, "Enter", { shiftKey: true })).defaultPrevented).toBe(false);
  expect(asked).not.toHaveBeenCalled();
  expect((await page.press(field, "Enter")).defaultPrevented).toBe(true);
  expect(asked).toHaveBeenCalledWith("/api/drafts/{id}/wishes", { params: { path: { id: "d1" } }, body: { number: 3, words: "under 200 thousand" } });
});

const explained = (sql: string, items: [string, ExplainedItem["kind"]][]): Explained => ({
  id: sql, sql, edges: [], nodes: [{ id: "main", kind: "final", name: "", columns: [], spans: [], start: 0, end: sql.length, items: items.map(([text, kind]) => ({ ...item, id: `${text}@${sql.indexOf(text)}`, kind, sql: text, start: sql.indexOf(text), end: sql.indexOf(text) + text.length })) }],
}) as unknown as Explained;

it("what a change left is the piece of its text, else the smallest that it wrote", () => {
  const sql = "SELECT n FROM t JOIN u ON t.a = u.b WHERE n > 1 AND m = 2";
  const all = explained(sql, [["FROM t JOIN u ON t.a = u.b", "relation"], ["t.a = u.b", "relation"], ["n > 1", "condition"], ["m = 2", "condition"]]);
  const wrote = (text: string): [number, number] => [sql.indexOf(text), sql.indexOf(text) + text.length];
  expect(pieceLeft(all, { kind: "condition", text: "m  = 2", at: [wrote("AND m = 2")] })?.item).toBe("m = 2@52");
  expect(pieceLeft(all, { kind: "relation", text: "JOIN u ON t.a = u.b", at: [wrote("JOIN u ON t.a = u.b")] })?.item).toBe("t.a = u.b@26");
  expect(pieceLeft(all, { kind: "dimension", text: "GROUP BY n", at: [wrote("n > 1")] })?.item).toBe("n > 1@42");
  expect(pieceLeft(all, { kind: "condition", text: "", at: [] })).toBeNull();
});

it("a piece that moved and has another text is still the selected one where its like are as many", () => {
  const before = explained("SELECT n FROM t WHERE n > 1 AND m = 2", [["n > 1", "condition"], ["m = 2", "condition"]]);
  const after = explained("SELECT n FROM t JOIN u WHERE n > 1 AND m = 7", [["n > 1", "condition"], ["m = 7", "condition"]]);
  expect(kept(after, { node: "main", item: before.nodes[0]?.items[1]?.id ?? null }, before).item).toBe("m = 7@39");
});

describe("what a piece is near to", () => {
  const near = { citation: { status: "near", item: 5, support: 2, similarity: 0.684, trust: "unverified", description: "loans in trouble" } } as unknown as ExplainedItem;
  const cited = { citation: { ...near.citation, status: "cited" } } as ExplainedItem;
  it("is told in the gutter, and in the menu, where verifying has its reason", () => {
    expect(chipTitle({ kind: "condition", status: "near", support: 2, similarity: 0.684, like: "loans in trouble" })).toBe("condition: near, 68 %: like “loans in trouble” of the history, but not the same");
    expect(origin(near)).toMatchObject({ label: "What it is near to", hint: "only a neighbour, 68 %", title: expect.stringContaining("loans in trouble") });
    expect(origin(cited)).toEqual({ label: "Where it comes from" });
    expect(unverifiable(near)?.long).toMatch(/Only its neighbour is in the history.*teach/);
    expect(unverifiable(cited)).toBeUndefined();
  });
  it("is heard with its badge", async () => {
    await show(<Badge citation={near.citation as never} />);
    expect(page.box.querySelector(".badge .hidden")?.textContent).toMatch(/68 % alike.*loans in trouble/);
  });
  it("is the reason of an entry that cannot be chosen", async () => {
    await show(<MenuButton label="more" icon="…" items={[{ label: "Verify", title: "because", disabled: true, act: () => {} }]} />);
    await click(button("more"));
    expect(document.querySelector('[role="menuitem"]')?.getAttribute("title")).toBe("because");
  });
});

it("a sign whose kind is said beside it has no name of its own", async () => {
  await show(<p><KindIcon kind="condition" said /> conditions</p>);
  expect(page.box.textContent?.trim()).toBe("conditions");
  await show(<p><KindIcon kind="condition" /> 3</p>);
  expect(page.box.textContent).toBe("condition 3");
});

it("the keys are listed", async () => {
  await show(<Keys close={() => {}} />);
  expect([...page.box.querySelectorAll("h3")].map((one) => one.textContent)).toEqual(["Anywhere", "Knowledge", "Changing something", "Rows"]);
});
