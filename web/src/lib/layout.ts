import dagre from "@dagrejs/dagre";
import type { Explained, FlowNode } from "../api/types";

export const CARD = { width: 200, head: 40, row: 22, chip: 24, foot: 10 };
const MOST_COLUMNS = 6;

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
  const chips = node.items.length > 0 ? Math.ceil(kindsOf(node).length / 5) * CARD.chip + 8 : 0;
  return CARD.head + columns * CARD.row + chips + CARD.foot;
}

export function kindsOf(node: FlowNode): [string, number][] {
  const counts = new Map<string, number>();
  for (const item of node.items) counts.set(item.kind, (counts.get(item.kind) ?? 0) + 1);
  return [...counts];
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
