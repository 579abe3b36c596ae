import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { ExplainedItem, Proposal } from "../../api/types";
import { useDesk } from "../../state/desk";
import { Refine, Review } from "./refine";

const asked = vi.hoisted(() => vi.fn(async () => ({ data: undefined, error: { detail: "no", title: "no", status: 422 }, response: new Response(null, { status: 422 }) })));
vi.mock("../../api/client", async (original) => ({ ...(await original<object>()), api: { POST: asked, GET: asked } }));
(globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = true;

const item: ExplainedItem = { id: "main@1", kind: "condition", form: "predicate", clause: "where", sql: "x < 1", start: 0, end: 5, skeleton: "", name: "", description: "small x", number: 3 };
let box: HTMLElement;
let root: Root;
beforeEach(() => {
  HTMLDialogElement.prototype.showModal ??= () => {};
  HTMLDialogElement.prototype.close ??= () => {};
  useDesk.setState({ id: "d1" });
  box = document.body.appendChild(document.createElement("div"));
  root = createRoot(box);
});
afterEach(() => {
  act(() => root.unmount());
  box.remove();
  asked.mockClear();
});

const key = async (field: Element, more: KeyboardEventInit) => {
  const event = new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true, ...more });
  await act(async () => void field.dispatchEvent(event));
  return event;
};

const proposal: Proposal = { id: "p1", act: "wish", before: "SELECT a", after: "SELECT a", diff: "", spans: [], kind: "calculation", scope: "main", fragment: "a", text: "a", said: "", notes: [], affected: [] } as unknown as Proposal;

it("a change that changes nothing says so and has nothing to apply", async () => {
  const back = vi.fn();
  await act(async () => root.render(<Review proposal={proposal} problem={null} busy={false} apply={() => {}} back={back} close={() => {}} />));
  const names = () => [...box.querySelectorAll("button")].map((one) => one.textContent);
  expect(box.querySelector("h2")?.textContent).toBe("Nothing would change");
  expect(names()).toEqual(["Back", "Leave as it is"]);
  await act(async () => root.render(<Review proposal={{ ...proposal, after: "SELECT b", notes: ["b is of any row"] }} problem={null} busy={false} apply={() => {}} back={back} close={() => {}} />));
  expect(names()).toContain("Apply");
  expect(box.querySelector(".told")?.textContent).toBe("B is of any row");
});

it("the joins that only a piece needed can go with it, where that is another query", async () => {
  const off = { ...proposal, act: "off" as const, before: "SELECT a FROM t JOIN u WHERE u.x", after: "SELECT a FROM t JOIN u" };
  asked.mockImplementation((async (_path: string, { body }: { body: { joins: string } }) =>
    ({ data: body.joins === "all" ? { ...off, id: "p2", after: "SELECT a FROM t" } : off, response: new Response("{}") })) as never);
  await act(async () => root.render(<Refine change={{ how: "off", item }} close={() => {}} />));
  await act(async () => {});
  const choice = document.querySelector<HTMLInputElement>('input[type="checkbox"]');
  await act(async () => choice?.click());
  expect(choice?.checked).toBe(true);
  await act(async () => (([...document.querySelectorAll("button")].find((one) => one.textContent === "Apply")) as HTMLButtonElement).click());
  expect(asked).toHaveBeenLastCalledWith("/api/drafts/{id}/proposals/{proposal}/apply", { params: { path: { id: "d1", proposal: "p2" } } });
});

it("a wish is sent by Enter; with Shift it begins a new line; both are said", async () => {
  await act(async () => root.render(<Refine change={{ how: "wish", item }} close={() => {}} />));
  const field = document.querySelector("textarea") as HTMLTextAreaElement;
  expect(document.getElementById(field.getAttribute("aria-describedby") ?? "")?.textContent).toMatch(/Enter.*Shift\+Enter/);
  await act(async () => {
    Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value")?.set?.call(field, "under 200 thousand");
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
  expect((await key(field, { shiftKey: true })).defaultPrevented).toBe(false);
  expect(asked).not.toHaveBeenCalled();
  expect((await key(field, {})).defaultPrevented).toBe(true);
  expect(asked).toHaveBeenCalledWith("/api/drafts/{id}/wishes", { params: { path: { id: "d1" } }, body: { number: 3, words: "under 200 thousand" } });
});
