import { act, type ReactElement } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach } from "vitest";

(globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = true;

/** What a test of components has: a place in the page that is made anew for each test, and the hands of a person. */
export function onPage() {
  const at = { box: document.createElement("div") as HTMLElement };
  let root: Root;
  beforeEach(() => {
    HTMLDialogElement.prototype.showModal ??= () => {};
    HTMLDialogElement.prototype.close ??= () => {};
    at.box = document.body.appendChild(document.createElement("div"));
    root = createRoot(at.box);
  });
  afterEach(() => {
    act(() => root.unmount());
    at.box.remove();
  });
  const nameOf = (one: Element) => one.getAttribute("aria-label") ?? one.textContent ?? "";
  return {
    /** Where the component stands. */
    get box() {
      return at.box;
    },
    show: (element: ReactElement) => act(async () => root.render(element)),
    click: (element: Element | null | undefined) => act(async () => (element as HTMLElement).click()),
    /** The first button whose name is, or has, this. */
    button: (name: string | RegExp) => [...at.box.querySelectorAll("button")].find((one) => nameOf(one).match(name)),
    /** Types as a person does: React hears of it. */
    type: (field: Element | null, text: string) => act(async () => {
      const prototype = field instanceof HTMLTextAreaElement ? HTMLTextAreaElement.prototype : HTMLInputElement.prototype;
      Object.getOwnPropertyDescriptor(prototype, "value")?.set?.call(field, text);
      field?.dispatchEvent(new Event("input", { bubbles: true }));
    }),
    /** Presses a key; the event says whether somebody took it. */
    press: async (target: EventTarget, key: string, more: KeyboardEventInit = {}) => {
      const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more });
      await act(async () => void target.dispatchEvent(event));
      return event;
    },
  };
}
