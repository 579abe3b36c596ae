import dagre from "@dagrejs/dagre";
import type { Explained, ExplainedItem, FlowNode } from "../api/types";

export const CARD = { width: 200, head: 40, row: 22, chip: 24, foot: 10 };
const MOST_COLUMNS = 6;
/** A row of chips, and the parts of one, in pixels. */
const CHIPS = { row: 175, gap: 11, width: 24, digit: 7, sign: 12 };

export interface Placed {
  node: FlowNode;
  x: number;
  y: number;
  width: number;
  height: number;
}

/** How many columns a card shows; the rest is a number. */
export function shownColumns(node: FlowNode): number {
  return Math.min(node.columns.length, node.kind === "table" ? 4 : MOST_COLUMNS);
}

/** The height of a card, known before it is drawn. */
export function heightOf(node: FlowNode): number {
  const columns = shownColumns(node) + (node.columns.length > shownColumns(node) ? 1 : 0);
  const chips = node.items.length > 0 ? chipRows(node) * CARD.chip + 8 : 0;
  return CARD.head + columns * CARD.row + chips + CARD.foot;
}

export function kindsOf(node: FlowNode): [string, number][] {
  const counts = new Map<string, number>();
  for (const item of node.items) counts.set(item.kind, (counts.get(item.kind) ?? 0) + 1);
  return [...counts];
}

/** How many rows the chips of a card need: a chip is wider where it has a sign or a longer number. */
function chipRows(node: FlowNode): number {
  let rows = 1;
  let left: number = CHIPS.row;
  for (const [kind, count] of kindsOf(node)) {
    const signed = signOf(node.items.filter((item) => item.kind === kind)) !== null;
    const width = CHIPS.width + CHIPS.digit * (String(count).length - 1) + (signed ? CHIPS.sign : 0);
    if (width > left) {
      rows++;
      left = CHIPS.row;
    }
    left -= width + CHIPS.gap;
  }
  return rows;
}

/** What is shown of pieces that are not simply cited: that some are new, or else that some are only near. */
export function signOf(items: readonly Pick<ExplainedItem, "citation">[]): "novel" | "near" | null {
  return (["novel", "near"] as const).find((status) => items.some((item) => item.citation?.status === status)) ?? null;
}

/** Where the cards lie: what is read lies left of what reads it. */
export function layout(explained: Explained): Placed[] {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: "LR", nodesep: 20, ranksep: 48, marginx: 16, marginy: 16 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const node of explained.nodes) graph.setNode(node.id, { width: CARD.width, height: heightOf(node) });
  for (const edge of explained.edges) graph.setEdge(edge.source, edge.target);
  dagre.layout(graph);
  return explained.nodes.map((node) => {
    const { x, y, width, height } = graph.node(node.id) as { x: number; y: number; width: number; height: number };
    return { node, x: x - width / 2, y: y - height / 2, width, height };
  });
}
