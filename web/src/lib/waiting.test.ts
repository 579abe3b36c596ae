import { expect, test } from "vitest";
import { elapsed, limitWords, modelWords } from "./waiting";

test("what the model is at is told with its figures and its limit", () => {
  const reads = { event: "model", phase: "reads", done: 512, total: 1400, limit: 300, still: true } as const;
  expect(modelWords(reads)).toBe("The model reads the question with its context: 512 of 1,400 tokens");
  expect(limitWords(reads)).toContain("after 300 s without progress");
  expect(modelWords({ ...reads, phase: "writes", done: 1, total: null })).toBe("The model writes: 1 token");
  expect(limitWords({ ...reads, limit: null })).toBe("");
  expect([elapsed(7900), elapsed(75_000), elapsed(-5)]).toEqual(["7 s", "1 min 15 s", "0 s"]);
});
