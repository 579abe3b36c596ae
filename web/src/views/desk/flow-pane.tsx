import "@xyflow/react/dist/base.css";
import {
  Background, BackgroundVariant, Controls, type Edge, Handle, type Node, type NodeProps, Position, ReactFlow, ReactFlowProvider, useReactFlow,
} from "@xyflow/react";
import { useEffect, useMemo, useRef } from "react";
import type { ExplainedItem, FlowNode, Kind } from "../../api/types";
import { nearTo } from "../../lib/chips";
import { many, sentence } from "../../lib/format";
import { badgeOf } from "../../lib/kinds";
import { CARD, kindsOf, layout, shownColumns, signOf } from "../../lib/layout";
import { logged } from "../../state/app";
import { figureKey, useDesk } from "../../state/desk";
import { ProblemNote, Waiting } from "../../ui/bits";
import { Icon, KindIcon } from "../../ui/icons";
import { nodeTitle } from "./knowledge-pane";

type CardNode = Node<{ node: FlowNode }, "card">;

const TYPES = { card: Card };
const FIT = { padding: 0.08, maxZoom: 1 };

/** How the rows flow: tables, subqueries and the final query as cards, from left to right. */
export default function FlowPane() {
  const { explained, explainProblem, draft } = useDesk();
  useEffect(() => logged("structure", "flow", draft?.id), [draft?.id]);
  if (explainProblem) return <div className="state"><ProblemNote problem={explainProblem} /></div>;
  if (!explained) return <div className="state"><Waiting>Reading the query</Waiting></div>;
  return <ReactFlowProvider><Flow key={explained.id} /></ReactFlowProvider>;
}

function Flow() {
  const { explained, selection, select } = useDesk();
  const placed = useMemo(() => (explained ? layout(explained) : []), [explained]);
  const { fitView } = useReactFlow();
  const nodes: CardNode[] = useMemo(
    () => placed.map(({ node, x, y, width, height }) => ({
      id: node.id, type: "card", position: { x, y }, data: { node }, width, height, selected: node.id === selection.node, ariaLabel: cardLabel(node),
    })),
    [placed, selection.node],
  );
  const edges: Edge[] = useMemo(
    () => (explained?.edges ?? []).map((edge) => {
      const touched = edge.target === selection.node || edge.source === selection.node;
      const dashed = edge.how !== "from" && edge.how !== "join";
      return { id: `${edge.source}>${edge.target}>${edge.how}`, source: edge.source, target: edge.target, className: `${touched ? "touched" : ""}${dashed ? " aside" : ""}`, focusable: false };
    }),
    [explained, selection.node],
  );
  useEffect(() => {
    const near = placed.find((one) => one.node.id === selection.node);
    if (near && placed.length > 12) void fitView({ nodes: [{ id: near.node.id }], duration: 200, maxZoom: 1, padding: 0.6 });
  }, [placed, selection.node, fitView]);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const watcher = new ResizeObserver(() => void fitView(FIT)); // the whole of it stays in sight as the pane changes
    watcher.observe(element);
    return () => watcher.disconnect();
  }, [fitView]);
  return (
    <ReactFlow<CardNode> ref={box} className="flow" nodes={nodes} edges={edges} nodeTypes={TYPES} fitView fitViewOptions={FIT} minZoom={0.1} maxZoom={1.5}
      nodesDraggable={false} nodesConnectable={false} edgesFocusable={false} onlyRenderVisibleElements={placed.length > 40} proOptions={{ hideAttribution: true }}
      onNodesChange={(changes) => {
        const chosen = changes.find((change) => change.type === "select" && change.selected); // by a click or by Enter
        if (chosen?.type === "select" && chosen.id !== selection.node) select({ node: chosen.id, item: null });
      }}
      aria-label="Data flow">
      <Background variant={BackgroundVariant.Dots} gap={20} size={1} />
      <Controls showInteractive={false} position="bottom-right" />
    </ReactFlow>
  );
}

function cardLabel(node: FlowNode): string {
  const items = node.items.length > 0 ? `, ${many(node.items.length, "piece")} of knowledge` : "";
  const near = node.items.filter((item) => item.citation?.status === "near").map((item) => `; ${saidOf(item)}`);
  return `${node.kind} ${node.name}, ${many(node.columns.length, "column")}${items}${near.join("")}`;
}

/** A piece and where it comes from, in words. */
function saidOf({ description, name, citation }: ExplainedItem): string {
  const where = citation?.status === "near" ? nearTo({ similarity: citation.similarity, like: citation.description }) : badgeOf(citation).short;
  return `${description || name}${where && `: ${where}`}`;
}

/** The pieces of a kind on a card: how many, the sign of those that are not simply cited, and each in the title. */
function KindChip({ kind, count, items }: { kind: Kind; count: number; items: ExplainedItem[] }) {
  const sign = signOf(items);
  return (
    <li data-kind={kind} title={items.map((item) => sentence(saidOf(item))).join("\n")}>
      <KindIcon kind={kind} size={13} /> {count}
      {sign && <i className="sign" data-status={sign} role="img" aria-label={sign === "near" ? "some only near" : "some new"} />}
    </li>
  );
}

/** A table or subquery: its name, its columns with types, and its pieces by kind. */
function Card({ data: { node } }: NodeProps<CardNode>) {
  const figure = useDesk((state) => state.figures[figureKey(node.id, null)]);
  const warned = useDesk((state) => node.items.some((item) => state.figures[figureKey(node.id, item.id)]?.warning));
  const baseline = useDesk((state) => state.draft?.baseline ?? false);
  const fresh = !baseline && node.items.some((item) => item.citation?.status === "novel");
  const rows = figure?.facts?.type === "sample" ? (figure.facts.count ?? node.rows) : node.rows;
  const columns = node.columns.slice(0, shownColumns(node));
  return (
    <div className="card" data-node={node.kind} style={{ width: CARD.width }}>
      <Handle type="target" position={Position.Left} isConnectable={false} />
      <header>
        {node.kind === "table" && <Icon name="table" size={14} />}
        <strong className="ellipsis">{node.kind === "table" ? node.name : nodeTitle(node)}</strong>
        {(warned || fresh) && <span className="card-warn" title={warned ? "Look at its figures" : "Some of it is new"}><Icon name="warn" size={14} /></span>}
        {rows != null && <span className="quiet">{many(rows, "row")}</span>}
      </header>
      <dl>
        {columns.map((column) => (
          <div key={column.name}><dt className="ellipsis">{column.name}</dt><dd>{column.type?.toLowerCase()}</dd></div>
        ))}
        {node.columns.length > columns.length && <div className="quiet"><dt>and {node.columns.length - columns.length} more</dt></div>}
      </dl>
      {node.items.length > 0 && !baseline && (
        <ul>
          {kindsOf(node).map(([kind, count]) => <KindChip key={kind} kind={kind as Kind} count={count} items={node.items.filter((item) => item.kind === kind)} />)}
        </ul>
      )}
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </div>
  );
}
