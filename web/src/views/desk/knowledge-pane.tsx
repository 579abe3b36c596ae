import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from "react";
import type { ExplainedItem, Figure, FlowNode, Step } from "../../api/types";
import { many, sentence } from "../../lib/format";
import { unfolded } from "../../lib/folding";
import { figureKey, find, useDesk } from "../../state/desk";
import { Badge, ProblemNote, Waiting } from "../../ui/bits";
import { Sql } from "../../ui/code-line";
import { KindIcon } from "../../ui/icons";
import { Link } from "../../ui/link";
import { ItemMenu } from "./item-menu";
import { type Change, Refine } from "./refine";
import { StaysOff } from "./steps-pane";

/** Two levels: each subquery, and in it the pieces of knowledge in the order in which they are carried out. */
export function KnowledgePane() {
  const { explained, explainProblem, figuresRunning, draft } = useDesk();
  const [change, setChange] = useState<Change | null>(null);
  const begin = (wanted: Change) => {
    if ("item" in wanted) showChanged(wanted.item.id);
    setChange(wanted);
  };
  if (explainProblem) return <div className="state"><ProblemNote problem={explainProblem} /></div>;
  if (!explained || !draft) return <div className="state"><Waiting>Reading the query</Waiting></div>;
  const nodes = explained.nodes.filter((node) => node.kind !== "table");
  const tables = explained.nodes.filter((node) => node.kind === "table");
  const off = draft.steps.filter((step) => step.off && step.done);
  return (
    <>
      <Tree nodes={nodes} tables={tables} change={begin} busy={figuresRunning} />
      {off.length > 0 && <SwitchedOff steps={off} change={setChange} />}
      <p className="quiet keys-said">Arrow keys choose a piece, Enter opens what can be done with it, <kbd>?</kbd> lists all keys.</p>
      {change && <Refine change={change} close={() => setChange(null)} />}
    </>
  );
}

/** What is being changed is what is selected: in the list, in the code and in the flow. */
function showChanged(item: string): void {
  const { explained, selection, select } = useDesk.getState();
  const found = find(explained, item);
  if (found && selection.item !== item) select({ node: found.node.id, item });
}

function Tree(props: { nodes: FlowNode[]; tables: FlowNode[]; change: (change: Change) => void; busy: boolean }) {
  const { selection, select, figures } = useDesk();
  const box = useRef<HTMLDivElement>(null);
  const chosen = selection.item ?? selection.node;
  const all = [...props.nodes, ...props.tables];
  const rows = all.flatMap((node) => [{ node, item: null as ExplainedItem | null }, ...unfolded(node.items, chosen).map((item) => ({ node, item }))]);

  useEffect(() => {
    const row = box.current?.querySelector<HTMLElement>('[aria-selected="true"]');
    row?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  useKeptFocus(box, props.nodes);
  useChangedFocus(box);

  const press = (event: KeyboardEvent) => {
    if ((event.target as HTMLElement).getAttribute("role") !== "treeitem") return;
    const at = rows.findIndex((row) => (row.item?.id ?? row.node.id) === chosen);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key];
    if (to !== undefined) {
      const row = rows[Math.max(0, Math.min(rows.length - 1, to))];
      if (row) {
        select({ node: row.node.id, item: row.item?.id ?? null });
        requestAnimationFrame(() => box.current?.querySelector<HTMLElement>('[aria-selected="true"]')?.focus());
      }
    } else if (event.key === "Enter" || event.key === " ") {
      (event.target as HTMLElement).querySelector<HTMLElement>("[aria-haspopup]")?.click();
    } else return;
    event.preventDefault();
  };

  return (
    <div ref={box} className="nodes" role="tree" aria-label="Knowledge in the query" aria-busy={props.busy} onKeyDown={press}>
      {props.nodes.map((node) => (
        <Group key={node.id} node={node} chosen={chosen} first={chosen === null && node === props.nodes[0]} change={props.change} />
      ))}
      {props.tables.length > 0 && <p className="tables-head label" role="presentation">Tables it reads</p>}
      {props.tables.map((node) => (
        <div key={node.id} className="table-row" role="treeitem" aria-level={1} aria-selected={chosen === node.id} tabIndex={chosen === node.id ? 0 : -1}
          onClick={() => select({ node: node.id, item: null })}>
          <strong>{node.name}</strong>
          <span className="quiet">{node.description}</span>
          <FigureLine figure={figures[figureKey(node.id, null)]} rowsOnly rows={node.rows} />
        </div>
      ))}
    </div>
  );
}

/** Gives the focus to what is selected where the piece that had it went away with a change. */
function useKeptFocus(box: RefObject<HTMLElement | null>, nodes: FlowNode[]): void {
  const here = useRef(false);
  useEffect(() => {
    const note = (event: FocusEvent) => {
      here.current = (event.target as Element).closest?.(".desk-side") === box.current?.closest(".desk-side");
    };
    document.addEventListener("focusin", note);
    return () => document.removeEventListener("focusin", note);
  }, [box]);
  useEffect(() => {
    if (here.current && document.activeElement === document.body) box.current?.querySelector<HTMLElement>('[aria-selected="true"]')?.focus();
  }, [box, nodes]);
}

/** Gives the focus to the piece that was changed as soon as it is there; to the way back where it was switched off. */
function useChangedFocus(box: RefObject<HTMLElement | null>): void {
  const focus = useDesk((state) => state.focus);
  const seen = useRef(focus);
  useEffect(() => {
    if (seen.current === focus) return;
    seen.current = focus;
    const back = focus.to === "back" ? box.current?.parentElement?.querySelector<HTMLElement>(".off-item:last-child button") : null;
    (back ?? box.current?.querySelector<HTMLElement>('[aria-selected="true"]'))?.focus();
  }, [box, focus]);
}

function Group(props: { node: FlowNode; chosen: string | null; first: boolean; change: (change: Change) => void }) {
  const { node, chosen } = props;
  const { select, figures } = useDesk();
  const scope = scopeOf(node);
  return (
    <>
      <div className="node-head" role="treeitem" aria-level={1} aria-expanded={node.items.length > 0 ? true : undefined}
        aria-selected={chosen === node.id} tabIndex={chosen === node.id || props.first ? 0 : -1} onClick={() => select({ node: node.id, item: null })}>
        <h3 className="ellipsis">{nodeTitle(node)}</h3>
        {node.kind !== "final" && <span className="quiet node-kind">{node.kind === "cte" ? "CTE" : node.kind}</span>}
        {node.correlated && <span className="quiet">for each outer row</span>}
        <FigureLine figure={figures[figureKey(node.id, null)]} rowsOnly rows={node.rows} />
        {scope !== null && (
          <button type="button" className="button bare add-piece" aria-haspopup="dialog" tabIndex={chosen === node.id ? 0 : -1}
            onClick={(event) => {
              event.stopPropagation();
              props.change({ how: "pick", scope });
            }}>Add</button>
        )}
      </div>
      {unfolded(node.items, chosen).map((item) => (
        <Item key={item.id} node={node} item={item} selected={chosen === item.id} figure={figures[figureKey(node.id, item.id)]} change={props.change} />
      ))}
      {node.items.length === 0 && <p className="quiet none">Nothing is computed here: its columns are passed on.</p>}
    </>
  );
}

/** What refinement calls a part; null where nothing can be put in. */
function scopeOf(node: FlowNode): string | null {
  if (node.kind === "final") return "main";
  return node.items.length > 0 && /^(cte:|main\/)/.test(node.id) ? node.id : null;
}

export function nodeTitle(node: FlowNode): string {
  if (node.kind === "final") return "Final query";
  if (node.kind === "cte") return node.name;
  return node.name === "" ? sentence(node.kind) : node.name;
}

function Item(props: { node: FlowNode; item: ExplainedItem; selected: boolean; figure: Figure | undefined; change: (change: Change) => void }) {
  const { node, item, selected } = props;
  const select = useDesk((state) => state.select);
  return (
    <div className="item" data-kind={item.kind} role="treeitem" aria-level={2} aria-selected={selected} tabIndex={selected ? 0 : -1}
      onClick={() => select({ node: node.id, item: selected ? null : item.id })}>
      <KindIcon kind={item.kind} />
      <div className="item-text">
        <p className="item-said">{sentence(item.description || item.name) || <Sql text={item.sql} />}</p>
        <div className="item-meta">
          <span className="figures"><FigureLine figure={props.figure} /></span>
          <Badge citation={item.citation} />
        </div>
        {selected && item.citation?.status === "near" && item.citation.item != null && (
          <p className="quiet">Like <Link href={`/knowledge/${item.citation.item}`}>{sentence(item.citation.description) || "this piece"}</Link> of the history, in {many(item.citation.support, "script")}, but not the same</p>
        )}
      </div>
      <ItemMenu item={item} tabIndex={selected ? 0 : -1} change={props.change} />
    </div>
  );
}

/** The second line: what the data says of a piece. */
export function FigureLine(props: { figure: Figure | undefined; rowsOnly?: boolean; rows?: number | null }) {
  const { figure } = props;
  if (props.rowsOnly) {
    const facts = figure?.facts;
    const rows = facts?.type === "sample" && facts.count != null ? facts.count : props.rows;
    if (rows != null) return <span className="figure">{many(rows, "row")}</span>;
    return figure && figure.status !== "done" ? <span className="figure">{figure.text}</span> : null;
  }
  if (!figure) return <span className="figure quiet waits">computing</span>;
  return (
    <>
      {figure.warning && <span className="figure warned">{figure.warning}</span>}
      <span className={`figure${figure.status === "slow" ? " waits" : ""}${losesMost(figure.facts) ? " notable" : ""}`}>
        <Funnel facts={figure.facts} />
        <span className="figure-text">{figure.text}</span>
      </span>
    </>
  );
}

/** Whether a join drops more rows than it keeps, or some for a table of which nothing else is used. */
function losesMost(facts: Figure["facts"]): boolean {
  if (facts?.type !== "joined") return false;
  return Boolean(facts.unused) || [facts, ...(facts.steps ?? [])].some((step) => 2 * (step.lost ?? 0) > (step.before ?? 0));
}

/** How many rows a condition leaves, alone and with the others, as parts of all. */
function Funnel({ facts }: { facts: Figure["facts"] }) {
  if (facts?.type !== "counts" || !facts.total) return null;
  const part = (count: number) => `${Math.max(count > 0 ? 2 : 0, (count / (facts.total as number)) * 100)}%`;
  return (
    <span className="funnel" aria-hidden="true">
      <i style={{ width: part(facts.alone) }} />
      {facts.together != null && <i style={{ width: part(facts.together) }} />}
    </span>
  );
}

function SwitchedOff({ steps, change }: { steps: Step[]; change: (change: Change) => void }) {
  return (
    <section className="switched-off" aria-label="Switched off">
      <h3 className="label">Switched off</h3>
      {steps.map((step) => (
        <div key={step.number} className="off-item" data-kind={step.kind}>
          <KindIcon kind={step.kind} />
          <div className="off-text">
            <p className="item-said"><Sql text={step.fragment} /></p>
            {step.stays_off && <StaysOff why={step.stays_off} />}
          </div>
          {!step.stays_off && <button type="button" className="button" onClick={() => change({ how: "on", step })}>Bring back</button>}
        </div>
      ))}
    </section>
  );
}
