import { useLayoutEffect, useRef, useState } from "react";
import type { Cell, ResultPage } from "../../api/types";
import { type ChartChoice, type ChartForm, ticks } from "../../lib/charts";
import { count, readable } from "../../lib/format";

const FORMS: ChartForm[] = ["bars", "line", "points"];
const NAMES: Record<ChartForm, string> = { bars: "Bars", line: "Line", points: "Points" };

interface Point {
  label: string;
  along: number;
  value: number;
}

/** A chart of the rows that were sent; what it shows is suggested and can be changed. */
export default function Chart({ page, suggested }: { page: ResultPage; suggested: ChartChoice }) {
  const [choice, setChoice] = useState(suggested);
  const points = pointsOf(page.rows, choice);
  const name = (at: number) => page.columns[at]?.name ?? "";
  const pick = (key: "along" | "measure") => (event: { target: { value: string } }) =>
    setChoice({ ...choice, [key]: Number(event.target.value) });
  return (
    <div className="chart pane-body">
      <div className="chart-choice">
        <label>Form <select value={choice.form} onChange={(event) => setChoice({ ...choice, form: event.target.value as ChartForm })}>
          {FORMS.map((form) => <option key={form} value={form}>{NAMES[form]}</option>)}
        </select></label>
        <label>Along <select value={choice.along} onChange={pick("along")}>
          {page.columns.map((column, at) => <option key={at} value={at}>{column.name}</option>)}
        </select></label>
        <label>Measure <select value={choice.measure} onChange={pick("measure")}>
          {page.columns.map((column, at) => column.kind === "number" && <option key={at} value={at}>{column.name}</option>)}
        </select></label>
        {page.fetched > page.rows.length && <span className="quiet">of the first {count(page.rows.length)} rows</span>}
      </div>
      {points.length === 0 ? <p className="quiet">There are no numbers to draw.</p> : choice.form === "bars" ? (
        <Bars points={points} label={`${name(choice.measure)} for each ${name(choice.along)}`} />
      ) : (
        <Plane points={points} form={choice.form} label={`${name(choice.measure)} along ${name(choice.along)}`} />
      )}
    </div>
  );
}

function pointsOf(rows: Cell[][], choice: ChartChoice): Point[] {
  const found = rows.flatMap((row, at) => {
    const value = row[choice.measure];
    const along = row[choice.along];
    if (typeof value !== "number") return [];
    return [{ label: readable(along), along: choice.form === "points" && typeof along === "number" ? along : at, value }];
  });
  if (choice.form === "line") {
    found.sort((a, b) => a.label.localeCompare(b.label, "en", { numeric: true }));
    for (const [at, point] of found.entries()) point.along = at;
  }
  return found;
}

/** Lying bars with their values: names can be read and compared. */
function Bars({ points, label }: { points: Point[]; label: string }) {
  const shown = points.slice(0, 60);
  const most = Math.max(0, ...shown.map((point) => point.value));
  const least = Math.min(0, ...shown.map((point) => point.value));
  const span = most - least || 1;
  return (
    <ol className="bars" aria-label={label}>
      {shown.map((point, at) => (
        <li key={at}>
          <span className="ellipsis" title={point.label}>{point.label}</span>
          <span className="bar-track">
            <i style={{ left: `${((Math.min(0, point.value) - least) / span) * 100}%`, width: `${(Math.abs(point.value) / span) * 100}%` }} />
          </span>
          <span className="bar-value">{readable(point.value)}</span>
        </li>
      ))}
      {points.length > shown.length && <li className="quiet">and {count(points.length - shown.length)} more</li>}
    </ol>
  );
}

const LEFT = 72;
const BOTTOM = 28;
const TOP = 14;
const RIGHT = 20;

function Plane({ points, form, label }: { points: Point[]; form: ChartForm; label: string }) {
  const box = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ width: 640, height: 260 });
  const [near, setNear] = useState<number | null>(null);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const watcher = new ResizeObserver(() => setSize({ width: element.clientWidth, height: Math.max(160, element.clientHeight) }));
    watcher.observe(element);
    return () => watcher.disconnect();
  }, []);
  const values = points.map((point) => point.value);
  const places = points.map((point) => point.along);
  const [low, high] = wide(form === "points" ? Math.min(...values) : Math.min(0, ...values), Math.max(...values));
  const [left, right] = wide(Math.min(...places), Math.max(...places));
  const x = (along: number) => LEFT + ((along - left) / (right - left)) * (size.width - LEFT - RIGHT);
  const y = (value: number) => size.height - BOTTOM - ((value - low) / (high - low)) * (size.height - TOP - BOTTOM);
  const path = points.map((point, at) => `${at ? "L" : "M"}${x(point.along).toFixed(1)} ${y(point.value).toFixed(1)}`).join("");
  const hit = near === null ? null : points[near];
  const every = Math.max(1, Math.ceil(points.length / Math.max(2, Math.floor(size.width / 90))));
  const marks = form === "points" ? ticks(left, right).map((at) => ({ at, text: readable(at) }))
    : points.filter((_, at) => at % every === 0).map((point) => ({ at: point.along, text: point.label }));
  return (
    <div className="plane" ref={box}>
      <svg width={size.width} height={size.height} role="img" aria-label={label} onPointerLeave={() => setNear(null)}
        onPointerMove={(event) => {
          const at = event.clientX - event.currentTarget.getBoundingClientRect().left;
          setNear(nearest(points.map((point) => x(point.along)), at));
        }}>
        {ticks(low, high).map((at) => (
          <g key={at}>
            <line x1={LEFT} x2={size.width - RIGHT} y1={y(at)} y2={y(at)} className="axis" />
            <text x={LEFT - 8} y={y(at) + 4} textAnchor="end">{readable(at)}</text>
          </g>
        ))}
        {marks.map((mark) => <text key={mark.at} x={x(mark.at)} y={size.height - 8} textAnchor="middle">{mark.text}</text>)}
        {form === "line" && <path d={path} className="line" />}
        {(form === "points" || points.length <= 40) && points.map((point, at) => (
          <circle key={at} cx={x(point.along)} cy={y(point.value)} r={at === near ? 5 : 3} className="dot" />
        ))}
      </svg>
      {hit && (
        <div className="hit float" style={{ left: Math.min(x(hit.along) + 10, size.width - 150), top: Math.max(0, y(hit.value) - 48) }}>
          <span className="quiet">{hit.label}</span> <strong>{readable(hit.value)}</strong>
        </div>
      )}
    </div>
  );
}

function wide(low: number, high: number): [number, number] {
  return low === high ? [low - 1, high + 1] : [low, high];
}

function nearest(places: number[], at: number): number | null {
  let best: number | null = null;
  for (const [number, place] of places.entries()) {
    if (best === null || Math.abs(place - at) < Math.abs((places[best] as number) - at)) best = number;
  }
  return best;
}
