import { describe, expect, it } from "vitest";
import type { ExplainedItem } from "../api/types";
import { says, unfolded } from "./folding";

const item = (id: string, kind: ExplainedItem["kind"], form: ExplainedItem["form"]): ExplainedItem => ({
  id, kind, form, clause: "from", sql: id, start: 0, end: 1, skeleton: "", name: "", description: "",
});
const JOIN = [item("from", "relation", "clause"), item("a = b", "relation", "edge"), item("x > 1", "condition", "predicate")];
const shown = (items: ExplainedItem[], chosen: string | null) => unfolded(items, chosen).map((one) => one.id);

describe("each join is told once", () => {
  it("its links lie inside the FROM clause", () => {
    expect(shown(JOIN, null)).toEqual(["from", "x > 1"]);
    expect(shown(JOIN, "x > 1")).toEqual(["from", "x > 1"]);
  });
  it("and show where it or one of them is chosen", () => {
    expect(shown(JOIN, "from")).toEqual(["from", "a = b", "x > 1"]);
    expect(shown(JOIN, "a = b")).toEqual(["from", "a = b", "x > 1"]);
  });
  it("a link without a clause stays", () => {
    expect(shown(JOIN.slice(1), null)).toEqual(["a = b", "x > 1"]);
  });
  it("code that repeats the words is not shown again", () => {
    expect(says("account and district are linked by district id: account.district_id = district.district_id", "account.district_id =  district.district_id")).toBe(true);
    expect(says("accounts of Prague", "district.a3 = 'Prague'")).toBe(false);
    expect(says("anything", " ")).toBe(false);
  });
});
