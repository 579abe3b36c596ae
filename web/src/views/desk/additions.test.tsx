import { expect, it, vi } from "vitest";
import type { RefineOption } from "../../api/types";
import { onPage } from "../../testing";
import { Values } from "./additions";
import { OptionList, toldApart } from "./option-list";

const page = onPage();
const { show, click, press, type } = page;

it("a piece with a value asks for it, offers those of the history and of the column, and takes another", async () => {
  const option: RefineOption = {
    item: 7, sql: "c.gender = 'F'", support: 3, joins: [], description: "clients whose gender is F", trust: "unverified", similarity: 1, synthetic: false,
    kind: "condition", values: [["F"], ["M"]], column_values: ["M", "X"],
  };
  const choose = vi.fn();
  await show(<Values option={option} back={() => {}} choose={choose} />);
  const field = page.box.querySelector("input") as HTMLInputElement;
  expect(field.value).toBe("F");
  expect([...page.box.querySelectorAll("option")].map((one) => one.value)).toEqual(["F", "M", "X"]);
  await type(field, "X");
  await click([...page.box.querySelectorAll("button")].at(-1));
  expect(choose).toHaveBeenCalledWith(["X"]);
});

it("many pieces are narrowed by words, Enter takes the first, arrows go through them", async () => {
  const options = ["M", "F", "X", "Y", "Z", "gold"].map((value, at): RefineOption => ({
    item: at, sql: `c.kind = '${value}'`, support: 1, joins: [], description: `cards whose kind is ${value}`, trust: "unverified", similarity: 1,
    synthetic: false, kind: "condition", values: [], column_values: [],
  }));
  const choose = vi.fn();
  await show(<OptionList options={options} choose={choose} />);
  const field = page.box.querySelector("input") as HTMLInputElement;
  expect(document.activeElement).toBe(field);
  await press(field, "ArrowDown");
  expect(document.activeElement?.textContent).toContain("kind is M");
  await press(document.activeElement as Element, "ArrowUp");
  expect(document.activeElement).toBe(field);
  await type(field, "gold cards");
  expect(page.box.querySelectorAll("li")).toHaveLength(1);
  await press(field, "Enter");
  expect(choose).toHaveBeenCalledWith(options[5]);
  await show(<OptionList options={options.slice(0, 2)} choose={choose} />);
  expect(page.box.querySelector("input")).toBeNull();
});

it("pieces of one title say what tells them apart", async () => {
  const option = (description: string, sql: string) => ({ item: 1, sql, support: 1, joins: [], description, trust: "unverified", similarity: 1, synthetic: false, kind: "condition", values: [], column_values: [] }) as RefineOption;
  const options = [option("home", "t.A3 = 'east Bohemia'"), option("home", "t.A3 = 'Prague'"), option("other", "t.A2 = 'x'"), option("span", "d BETWEEN 1 AND 2"), option("span", "d BETWEEN 3 AND 4"), option("twice", "a = 1"), option("twice", "a = 1")];
  expect([...toldApart(options).values()]).toEqual(["'east Bohemia'", "'Prague'", "1 AND 2", "3 AND 4", "a = 1", "a = 1"]);
  await show(<OptionList options={options.slice(0, 3)} choose={() => {}} />);
  expect([...page.box.querySelectorAll("strong")].map((one) => one.textContent)).toEqual(["'east Bohemia'", "'Prague'"]);
});
