import { type KeyboardEvent, type PointerEvent, type UIEvent, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { Cell, ResultColumn, ResultPage } from "../../api/types";
import { cell, many, type NumberStyle, padOf, shown, styleOf, tsv } from "../../lib/format";
import { isMac } from "../../lib/keys";
import { useApp } from "../../state/app";
import { ProblemNote } from "../../ui/bits";
import { Icon } from "../../ui/icons";
import { type Order, PAGE, useRows } from "./rows";

const ROW = 28;
const EXTRA = 12;
const MOST_COPIED = 50_000;

interface Place {
  row: number;
  column: number;
}

/**
 * Rows in a grid that draws only what is in sight. Row -1 is the head: Enter sorts there. Arrows move, Shift extends,
 * copying takes what is selected with tabs between the columns.
 */
export default function Grid({ result, contains }: { result: ResultPage; contains: string }) {
  const [order, setOrder] = useState<Order | null>(null);
  const rows = useRows(result, order, contains);
  const styles = useMemo(() => result.columns.map((column, at) => styleOf(result.rows.map((row) => row[at]), column.name)), [result]);
  const widths = useWidths(result, styles);
  const [at, setAt] = useState<Place>({ row: 0, column: 0 });
  const [from, setFrom] = useState<Place>({ row: 0, column: 0 });
  const [seen, setSeen] = useState({ top: 0, height: 320 });
  const box = useRef<HTMLDivElement>(null);
  const say = useApp((state) => state.say);
  const columns = result.columns;

  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const watcher = new ResizeObserver(() => setSeen((before) => ({ ...before, height: element.clientHeight })));
    watcher.observe(element);
    return () => watcher.disconnect();
  }, []);

  const first = Math.max(0, Math.floor(seen.top / ROW) - EXTRA);
  const last = Math.min(rows.found, Math.ceil((seen.top + seen.height) / ROW) + EXTRA);
  useEffect(() => rows.want(first, last), [rows, first, last]);

  const go = (row: number, column: number, extend: boolean) => {
    const next = { row: clamp(row, -1, rows.found - 1), column: clamp(column, 0, columns.length - 1) };
    setAt(next);
    if (!extend || next.row < 0) setFrom(next);
    keepInSight(box.current, next, widths.all);
  };
  const sort = (column: number) => {
    setOrder(order?.column !== column ? { column, descending: false } : order.descending ? null : { column, descending: true });
    setAt({ row: -1, column });
    setFrom({ row: -1, column });
  };
  const copy = async () => {
    const [top, bottom] = at.row < 0 ? [0, rows.found - 1] : [Math.min(at.row, from.row), Math.max(at.row, from.row)];
    const [left, right] = [Math.min(at.column, from.column), Math.max(at.column, from.column)];
    const taken: Cell[][] = [];
    for (let row = top; row <= bottom && taken.length < MOST_COPIED; row++) {
      const values = rows.row(row);
      if (values) taken.push(values.slice(left, right + 1));
    }
    const head: Cell[][] = taken.length > 1 ? [columns.slice(left, right + 1).map((one) => one.name)] : [];
    await navigator.clipboard.writeText(tsv([...head, ...taken]));
    say(taken.length === 1 && left === right ? "The value is copied" : `${many(taken.length, "row")} copied`);
  };
  const press = (event: KeyboardEvent) => {
    const mod = isMac ? event.metaKey : event.ctrlKey;
    const page = Math.max(1, Math.floor(seen.height / ROW) - 2);
    const moves: Record<string, [number, number]> = {
      ArrowDown: [at.row + 1, at.column],
      ArrowUp: [at.row - 1, at.column],
      ArrowLeft: [at.row, at.column - 1],
      ArrowRight: [at.row, at.column + 1],
      PageDown: [at.row + page, at.column],
      PageUp: [at.row - page, at.column],
      Home: mod ? [0, 0] : [at.row, 0],
      End: mod ? [rows.found - 1, columns.length - 1] : [at.row, columns.length - 1],
    };
    const move = moves[event.key];
    if (move) go(move[0], move[1], event.shiftKey);
    else if (event.key === "Enter" && at.row < 0) sort(at.column);
    else if (mod && event.key.toLowerCase() === "c" && getSelection()?.isCollapsed) void copy();
    else if (mod && event.key.toLowerCase() === "a") {
      setFrom({ row: 0, column: 0 });
      setAt({ row: rows.found - 1, column: columns.length - 1 });
    } else return;
    event.preventDefault();
  };

  if (rows.problem) return <div className="state"><ProblemNote problem={rows.problem} /></div>;
  const template = widths.all.map((width) => `${width}px`).join(" ");
  const id = (place: Place) => `cell-${place.row}-${place.column}`;
  return (
    <div ref={box} className="grid pane-body" role="grid" tabIndex={0} aria-label="Rows" aria-rowcount={rows.found + 1}
      aria-colcount={columns.length} aria-activedescendant={id(at)} aria-multiselectable="true" onKeyDown={press}
      onScroll={(event: UIEvent<HTMLDivElement>) => {
        const { scrollTop, clientHeight } = event.currentTarget;
        setSeen({ top: scrollTop, height: clientHeight });
      }}>
      <div className="grid-head" role="row" aria-rowindex={1} style={{ gridTemplateColumns: template }}>
        {columns.map((column, number) => (
          <Head key={number} id={id({ row: -1, column: number })} column={column} number={number} order={order}
            active={at.row === -1 && at.column === number} sort={() => sort(number)} resize={(width) => widths.set(number, width)} />
        ))}
      </div>
      <div role="presentation" style={{ height: rows.found * ROW, minWidth: "max-content" }}>
        <div role="presentation" style={{ transform: `translateY(${first * ROW}px)` }}>
          {Array.from({ length: last - first }, (_, offset) => first + offset).map((row) => (
            <div key={row} role="row" aria-rowindex={row + 2} className="grid-row" style={{ gridTemplateColumns: template }}>
              {columns.map((column, number) => {
                const values = rows.row(row);
                const value = values?.[number];
                const place = { row, column: number };
                const text = value === null ? "null" : shown(value, styles[number] as NumberStyle);
                return (
                  <div key={number} id={id(place)} role="gridcell" aria-colindex={number + 1} data-kind-of={column.kind}
                    aria-selected={inside(place, at, from)} data-active={at.row === row && at.column === number}
                    data-null={values !== undefined && value === null} title={value !== null && (text !== cell(value) || text.length > 30) ? cell(value) : undefined}
                    onPointerDown={(event) => event.button === 0 && go(row, number, event.shiftKey)}
                    onPointerEnter={(event) => event.buttons === 1 && go(row, number, true)}>
                    {text}
                    {typeof value === "number" && <i className="pad" data-pad={padOf(text, styles[number]?.digits ?? 0)} aria-hidden="true" />}
                  </div>
                );
              })}
            </div>
          ))}
        </div>
      </div>
      {rows.found === 0 && <p className="grid-none">{contains ? `No row has “${contains}”.` : "The query gives no rows."}</p>}
    </div>
  );
}

function Head(props: {
  id: string;
  column: ResultColumn;
  number: number;
  order: Order | null;
  active: boolean;
  sort: () => void;
  resize: (width: number) => void;
}) {
  const { column, order, number } = props;
  const sorted = order?.column === number ? (order.descending ? "descending" : "ascending") : "none";
  const drag = (event: PointerEvent<HTMLElement>) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const left = event.currentTarget.parentElement?.getBoundingClientRect().left ?? 0;
    props.resize(event.clientX - left);
  };
  return (
    <div id={props.id} role="columnheader" aria-colindex={number + 1} aria-sort={sorted} data-kind-of={column.kind} data-active={props.active}
      onClick={props.sort} title={`${column.name}: sort`}>
      <span className="ellipsis">{column.name}</span>
      {sorted !== "none" && <span className="sorted" data-order={sorted}><Icon name="down" size={13} /></span>}
      <i className="resize" onClick={(event) => event.stopPropagation()} onPointerMove={drag}
        onPointerDown={(event) => {
          event.stopPropagation();
          event.currentTarget.setPointerCapture(event.pointerId);
        }} />
    </div>
  );
}

/** Widths after the longest of the first values, numbers never cut; a person may drag them. */
function useWidths(result: ResultPage, styles: NumberStyle[]) {
  const measured = useMemo(
    () =>
      result.columns.map((column, at) => {
        const style = styles[at] as NumberStyle;
        const longest = result.rows.slice(0, column.kind === "number" ? PAGE : 60).reduce((most, row) => {
          const text = shown(row[at], style);
          return Math.max(most, text.length + (column.kind === "number" ? padOf(text, style.digits).length : 0));
        }, 4);
        return clamp(Math.max(longest * 7.9, column.name.length * 8.2 + 18) + 26, 64, 340);
      }),
    [result, styles],
  );
  const [own, setOwn] = useState<{ id: string; widths: Record<number, number> }>({ id: result.id, widths: {} });
  const chosen = own.id === result.id ? own.widths : {};
  return {
    all: measured.map((width, at) => chosen[at] ?? width),
    set: (column: number, width: number) => setOwn({ id: result.id, widths: { ...chosen, [column]: clamp(width, 48, 900) } }),
  };
}

function inside(place: Place, a: Place, b: Place): boolean {
  return (
    a.row >= 0 &&
    between(place.row, a.row, b.row) &&
    between(place.column, a.column, b.column)
  );
}

function between(value: number, a: number, b: number): boolean {
  return value >= Math.min(a, b) && value <= Math.max(a, b);
}

function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(value, Math.max(least, most)));
}

function keepInSight(box: HTMLElement | null, place: Place, widths: number[]): void {
  if (!box) return;
  const top = place.row * ROW;
  const room = box.clientHeight - ROW;
  if (place.row >= 0 && top < box.scrollTop) box.scrollTop = top;
  if (place.row >= 0 && top + ROW > box.scrollTop + room) box.scrollTop = top + ROW - room;
  const left = widths.slice(0, place.column).reduce((sum, width) => sum + width, 0);
  const width = widths[place.column] ?? 0;
  if (left < box.scrollLeft) box.scrollLeft = left;
  if (left + width > box.scrollLeft + box.clientWidth) box.scrollLeft = left + width - box.clientWidth;
}
