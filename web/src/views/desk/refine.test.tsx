import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { ExplainedItem } from "../../api/types";
import { useDesk } from "../../state/desk";
import { Refine } from "./refine";

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
