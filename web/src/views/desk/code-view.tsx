import { type MouseEvent, type UIEvent, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { chipName, chipSign, chipText, chipTitle } from "../../lib/chips";
import { KINDS } from "../../lib/kinds";
import { type Line, lines, type Mark, type Segment } from "../../lib/marks";
import { find, marksOf, useDesk } from "../../state/desk";
import { KindIcon } from "../../ui/icons";

const LINE = 22;
const MARGIN = 30;
const CHIPS = 2;

const SIGNS = [["cited", "scripts that have it"], ["new_value", "never with this value"], ["near", "near: something alike"], ["novel", "new"]] as const;

/** The code to read: pieces underlined in the colour of their kind, their citations in the gutter. */
export function CodeView() {
  const { draft, explained, selection, select } = useDesk();
  const sql = draft?.sql ?? "";
  const fits = explained?.sql === sql;
  const plain = draft?.baseline ?? false;
  const marks = useMemo(() => (fits && !plain ? marksOf(explained) : []), [explained, fits, plain]);
  const found = useMemo(() => lines(sql, marks), [sql, marks]);
  const range = useMemo(() => (fits ? selectedRange(explained, selection) : null), [explained, selection, fits]);
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);

  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const watcher = new ResizeObserver(() => setHeight(element.clientHeight));
    watcher.observe(element);
    return () => watcher.disconnect();
  }, []);

  const whole = range !== null && range[0] <= 0 && range[1] >= sql.length;
  const start = range === null || whole ? null : range[0];
  useEffect(() => {
    if (start !== null) reveal(box.current, found.findLastIndex((line) => line.start <= start));
  }, [start, found]);

  const first = Math.max(0, Math.floor(top / LINE) - MARGIN);
  const last = Math.min(found.length, Math.ceil((top + height) / LINE) + MARGIN);
  const pick = (mark: string) => {
    const place = find(explained, mark);
    if (place) select({ node: place.node.id, item: selection.item === mark ? null : mark });
  };
  const click = (event: MouseEvent) => {
    if (!getSelection()?.isCollapsed) return; // text is being selected, to be copied
    const mark = (event.target as HTMLElement).closest<HTMLElement>("[data-mark]")?.dataset.mark;
    if (mark) pick(mark);
  };
  return (
    <div className="pane-body code" ref={box} tabIndex={0} role="region" aria-label="SQL text"
      onScroll={(event: UIEvent<HTMLDivElement>) => setTop(event.currentTarget.scrollTop)} onClick={click}>
      <Legend marks={marks} />
      <div className="code-lines" style={{ height: found.length * LINE }}>
        <div style={{ transform: `translateY(${first * LINE}px)` }}>
          {found.slice(first, last).map((line) => (
            <CodeLine key={line.number} line={line} range={whole ? null : range} selected={selection.item} pick={pick} />
          ))}
        </div>
      </div>
    </div>
  );
}

function reveal(box: HTMLElement | null, line: number): void {
  if (!box || line < 0) return;
  const at = line * LINE;
  if (at < box.scrollTop + LINE || at > box.scrollTop + box.clientHeight - 3 * LINE) {
    box.scrollTo({ top: Math.max(0, at - box.clientHeight / 3), behavior: "smooth" });
  }
}

type Explained = NonNullable<ReturnType<typeof useDesk.getState>["explained"]>;

function selectedRange(explained: Explained | null, selection: { node: string | null; item: string | null }): [number, number] | null {
  const item = selection.item ? find(explained, selection.item)?.item : undefined;
  if (item) return [item.start, item.end];
  const node = explained?.nodes.find((one) => one.id === selection.node);
  return node ? [node.start, node.end] : null;
}

function CodeLine(props: { line: Line; range: [number, number] | null; selected: string | null; pick: (mark: string) => void }) {
  const { line, range } = props;
  let at = line.start;
  return (
    <div className="code-line">
      <span className="code-gutter">
        <Chips marks={line.begins} pick={props.pick} selected={props.selected} />
        <span className="code-number" aria-hidden="true">{line.number}</span>
      </span>
      <span className="code-text">
        {line.segments.map((segment, number) => {
          const from = at;
          at += segment.text.length;
          const within = range !== null && from >= range[0] && at <= range[1];
          return <Piece key={from} segment={segment} within={within} indent={number === 0 && segment.type === "space"} />;
        })}
      </span>
    </div>
  );
}

function Piece({ segment, within, indent }: { segment: Segment; within: boolean; indent: boolean }) {
  const inner = segment.marks.at(-1);
  const marked = segment.kind !== null && !indent;
  return (
    <span className={`t-${segment.type}${marked ? " marked" : ""}${within && !indent ? " within" : ""}`} data-mark={inner} data-kind={segment.kind ?? undefined}>
      {segment.text}
    </span>
  );
}

/** The citations of the pieces that begin on a line. */
function Chips(props: { marks: Mark[]; pick: (mark: string) => void; selected: string | null }) {
  const shown = props.marks.filter((mark) => mark.status !== null);
  const rest = shown.length - CHIPS;
  return (
    <span className="chips">
      {shown.slice(0, rest > 0 ? CHIPS - 1 : CHIPS).map((mark) => <Chip key={mark.id} mark={mark} {...props} />)}
      {rest > 0 && <span className="chip-more" title={shown.slice(CHIPS - 1).map(chipTitle).join("\n")}>+{rest + 1}</span>}
    </span>
  );
}

function Chip({ mark, pick, selected }: { mark: Mark; pick: (mark: string) => void; selected: string | null }) {
  return (
    <button type="button" className="chip" data-kind={mark.kind} data-status={mark.status} aria-pressed={mark.id === selected}
      title={chipTitle(mark)} aria-label={chipName(mark)} tabIndex={-1}
      onClick={(event) => {
        event.stopPropagation();
        pick(mark.id);
      }}>
      <i className="sign" data-status={chipSign(mark)} aria-hidden="true" />{chipText(mark)}
    </button>
  );
}

function Legend({ marks }: { marks: Mark[] }) {
  const there = KINDS.filter((kind) => marks.some((mark) => mark.kind === kind));
  if (there.length === 0) return null;
  const signs = SIGNS.filter(([sign]) => marks.some((mark) => mark.status !== null && chipSign(mark) === sign));
  const part = marks.find((mark) => mark.status === "cited" && mark.used);
  return (
    <div className="legend" aria-hidden="true">
      <span className="signs">{signs.map(([status, said]) => <span key={status}><i className="sign" data-status={status} /> {said}{status === "cited" && part && ` (${chipText(part)}: ${part.used} with this value)`}</span>)}</span>
      {there.map((kind) => <span key={kind} data-kind={kind}><KindIcon kind={kind} size={13} said /> {kind}</span>)}
    </div>
  );
}
