import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, it, vi } from "vitest";
import type { RefineOption } from "../../api/types";
import { Values } from "./additions";
import { OptionList } from "./option-list";

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

it("many pieces are narrowed by words, Enter takes the first, arrows go through them", async () => {
  const options = ["M", "F", "X", "Y", "Z", "gold"].map((value, at): RefineOption => ({
    item: at, sql: `c.kind = '${value}'`, support: 1, joins: [], description: `cards whose kind is ${value}`, trust: "unverified", similarity: 1,
    synthetic: false, kind: "condition", values: [], column_values: [],
  }));
  const choose = vi.fn();
  const box = document.body.appendChild(document.createElement("div"));
  const root = createRoot(box);
  await act(async () => root.render(<OptionList options={options} choose={choose} />));
  const field = box.querySelector("input") as HTMLInputElement;
  expect(document.activeElement).toBe(field);
  const press = (target: Element, key: string) => act(async () => void target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true })));
  await press(field, "ArrowDown");
  expect(document.activeElement?.textContent).toContain("kind is M");
  await press(document.activeElement as Element, "ArrowUp");
  expect(document.activeElement).toBe(field);
  await act(async () => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set?.call(field, "gold cards");
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
  expect(box.querySelectorAll("li")).toHaveLength(1);
  await press(field, "Enter");
  expect(choose).toHaveBeenCalledWith(options[5]);
  await act(async () => root.render(<OptionList options={options.slice(0, 2)} choose={choose} />));
  expect(box.querySelector("input")).toBeNull();
  await act(async () => root.unmount());
});
