import { act } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { ExplainedItem, Proposal } from "../../api/types";
import { useDesk } from "../../state/desk";
import { onPage } from "../../testing";
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
