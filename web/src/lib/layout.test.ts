import { expect, it } from "vitest";
import type { FlowNode } from "../api/types";
import { CARD, heightOf, signOf } from "./layout";

const card = (status: string, kinds = 5): FlowNode => ({
  kind: "final", columns: [], items: ["calculation", "condition", "relation", "dimension", "output"].slice(0, kinds).map((kind) => ({ kind, citation: { status } })),
}) as unknown as FlowNode;

it("a card has room for its chips: a second row where their signs make them wider", () => {
  const one = CARD.head + CARD.chip + 8 + CARD.foot;
  expect([heightOf(card("cited")), heightOf(card("near", 3)), heightOf(card("near"))]).toEqual([one, one, one + CARD.chip]);
});

it("what is new is said before what is near", () => {
  expect([signOf(card("cited").items), signOf(card("near").items), signOf([...card("near").items, ...card("novel").items])]).toEqual([null, "near", "novel"]);
});
