import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, it, vi } from "vitest";
import type { RefineOption } from "../../api/types";
import { Values } from "./additions";

(globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = true;

it("a piece with a value asks for it, offers those of the history and of the column, and takes another", async () => {
  const option: RefineOption = {
    item: 7, sql: "c.gender = 'F'", support: 3, joins: [], description: "clients whose gender is F", trust: "unverified", similarity: 1, synthetic: false,
    kind: "condition", values: [["F"], ["M"]], column_values: ["M", "X"],
  };
  const choose = vi.fn();
  const box = document.body.appendChild(document.createElement("div"));
  const root = createRoot(box);
  await act(async () => root.render(<Values option={option} back={() => {}} choose={choose} />));
  const field = box.querySelector("input") as HTMLInputElement;
  expect(field.value).toBe("F");
  expect([...box.querySelectorAll("option")].map((one) => one.value)).toEqual(["F", "M", "X"]);
  await act(async () => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set?.call(field, "X");
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
  await act(async () => ([...box.querySelectorAll("button")].at(-1) as HTMLElement).click());
  expect(choose).toHaveBeenCalledWith(["X"]);
  await act(async () => root.unmount());
});
