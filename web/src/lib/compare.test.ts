import { describe, expect, it } from "vitest";
import { compareRows, lineDiff } from "./compare";

describe("lineDiff", () => {
  it("keeps what both have, in order, and tells what only one has", () => {
    const parts = lineDiff("SELECT a\nFROM t\nWHERE b = 1", "SELECT a\nFROM  t\nJOIN u\nWHERE b = 2");
    expect(parts).toEqual([
      { how: "same", text: "SELECT a\nFROM  t" },
      { how: "cut", text: "WHERE b = 1" },
      { how: "new", text: "JOIN u\nWHERE b = 2" },
    ]);
  });
  it("is one part where nothing differs", () => {
    expect(lineDiff("SELECT 1\n  FROM t", "SELECT 1\nFROM t")).toEqual([{ how: "same", text: "SELECT 1\nFROM t" }]);
  });
  it("gives both whole where they are very long", () => {
    const long = "a\n".repeat(2000);
    expect(lineDiff(long, "b").map((part) => part.how)).toEqual(["cut", "new"]);
  });
});

describe("compareRows", () => {
  it("counts rows as often as they are there, in any order", () => {
    const found = compareRows([["a", 1], ["a", 1], ["b", 2]], [["b", 2], ["a", 1], ["c", null]]);
    expect(found).toMatchObject({ both: 2, onlyFirst: 1, onlySecond: 1 });
    expect(found.examples).toEqual({ first: [["a", 1]], second: [["c", null]] });
  });
  it("does not take rounding for a difference", () => {
    expect(compareRows([[0.1 + 0.2]], [[0.3]])).toMatchObject({ both: 1, onlyFirst: 0, onlySecond: 0 });
  });
});
