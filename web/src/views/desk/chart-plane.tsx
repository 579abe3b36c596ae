import { useLayoutEffect, useMemo, useRef, useState } from "react";
import { type ChartForm, type Series, ticks } from "../../lib/charts";
import { type NumberStyle, readable } from "../../lib/format";

const LEFT = 72;
const BOTTOM = 28;
const TOP = 14;
const RIGHT = 20;
const NAMES = 110;

interface Styles {
  along: NumberStyle;
  measure: NumberStyle;
}

interface Near {
  series: number;
  point: number;
}

/** Lines or points on two axes; each series has a colour, and its name at its end. */
export function Plane({ series, form, label, styles }: { series: Series[]; form: ChartForm; label: string; styles: Styles }) {
  const box = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ width: 640, height: 260 });
  const [near, setNear] = useState<Near | null>(null);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const watcher = new ResizeObserver(() => setSize({ width: element.clientWidth, height: Math.max(160, element.clientHeight) }));
    watcher.observe(element);
    return () => watcher.disconnect();
  }, []);
  const named = series.length > 1;
  const right = RIGHT + (named ? NAMES : 0);
  const bounds = useMemo(() => boundsOf(series, form), [series, form]);
  const x = (along: number) => LEFT + ((along - bounds.left) / (bounds.right - bounds.left)) * (size.width - LEFT - right);
  const y = (value: number) => size.height - BOTTOM - ((value - bounds.low) / (bounds.high - bounds.low)) * (size.height - TOP - BOTTOM);
  const hit = near === null ? undefined : series[near.series]?.points[near.point];
  const count = series.reduce((most, one) => Math.max(most, one.points.length), 0);
  const ends = named ? spread(series.map((one) => y(one.points.at(-1)?.value ?? 0)), 14, size.height - BOTTOM) : [];
  return (
    <div className="plane" ref={box}>
      <svg width={size.width} height={size.height} role="img" aria-label={label} onPointerLeave={() => setNear(null)}
        onPointerMove={(event) => {
          const rect = event.currentTarget.getBoundingClientRect();
          setNear(nearest(series, event.clientX - rect.left, event.clientY - rect.top, x, y));
        }}>
        {ticks(bounds.low, bounds.high).map((at) => (
          <g key={at}>
            <line x1={LEFT} x2={size.width - right} y1={y(at)} y2={y(at)} className="axis" />
            <text x={LEFT - 8} y={y(at) + 4} textAnchor="end">{readable(at, { ...styles.measure, digits: 6 })}</text>
          </g>
        ))}
        {marksOf(series, form, bounds, size.width, styles.along).map((mark) => <text key={mark.at} x={x(mark.at)} y={size.height - 8} textAnchor="middle">{mark.text}</text>)}
        {series.map((one, number) => (
          <g key={one.name} data-series={named ? number % 8 : undefined}>
            {form === "line" && <path className="line" d={one.points.map((point, at) => `${at ? "L" : "M"}${x(point.along).toFixed(1)} ${y(point.value).toFixed(1)}`).join("")} />}
            {(form === "points" || count <= 40) && one.points.map((point, at) => (
              <circle key={at} cx={x(point.along)} cy={y(point.value)} r={near?.series === number && near.point === at ? 5 : 3} className="dot" />
            ))}
            {named && <text x={size.width - right + 10} y={(ends[number] ?? 0) + 4} className="series-name">{one.name.length > 16 ? `${one.name.slice(0, 15)}…` : one.name}</text>}
          </g>
        ))}
      </svg>
      {hit && near && (
        <div className="hit float" style={{ left: Math.max(0, Math.min(x(hit.along) + 10, size.width - 190)), top: Math.max(0, y(hit.value) - 48) }}>
          <span className="quiet">{named && `${series[near.series]?.name}, `}{hit.label}</span> <strong>{readable(hit.value, styles.measure)}</strong>
        </div>
      )}
    </div>
  );
}

interface Bounds {
  low: number;
  high: number;
  left: number;
  right: number;
}

function boundsOf(series: Series[], form: ChartForm): Bounds {
  const points = series.flatMap((one) => one.points);
  const least = (numbers: number[]) => numbers.reduce((a, b) => Math.min(a, b), Infinity);
  const most = (numbers: number[]) => numbers.reduce((a, b) => Math.max(a, b), -Infinity);
  const values = points.map((point) => point.value);
  const places = points.map((point) => point.along);
  const [low, high] = wide(form === "points" ? least(values) : Math.min(0, least(values)), most(values));
  const [left, right] = wide(least(places), most(places));
  return { low, high, left, right };
}

function wide(low: number, high: number): [number, number] {
  return low === high ? [low - 1, high + 1] : [low, high];
}

/** What stands under the horizontal axis: round numbers, or as many labels as have room. */
function marksOf(series: Series[], form: ChartForm, bounds: Bounds, width: number, style: NumberStyle): { at: number; text: string }[] {
  if (form === "points" && series.some((one) => one.points.some((point) => point.label === readable(point.along, style)))) {
    return ticks(bounds.left, bounds.right).map((at) => ({ at, text: readable(at, { ...style, digits: 6 }) }));
  }
  const labels = new Map(series.flatMap((one) => one.points).map((point) => [point.along, point.label]));
  const all = [...labels].sort((a, b) => a[0] - b[0]);
  const every = Math.max(1, Math.ceil(all.length / Math.max(2, Math.floor(width / 90))));
  return all.filter((_, at) => at % every === 0).map(([at, text]) => ({ at, text }));
}

/** Heights moved apart so that names of `room` pixels do not cover each other. */
export function spread(heights: number[], room: number, bottom: number): number[] {
  const order = heights.map((height, at) => ({ height, at })).sort((a, b) => a.height - b.height);
  let free = 0;
  for (const one of order) {
    one.height = Math.max(one.height, free);
    free = one.height + room;
  }
  let most = bottom;
  for (const one of [...order].reverse()) {
    one.height = Math.min(one.height, most);
    most = one.height - room;
  }
  const found = [...heights];
  for (const one of order) found[one.at] = one.height;
  return found;
}

function nearest(series: Series[], left: number, top: number, x: (along: number) => number, y: (value: number) => number): Near | null {
  let best: Near | null = null;
  let least = Infinity;
  for (const [number, one] of series.entries()) {
    for (const [at, point] of one.points.entries()) {
      const away = Math.abs(x(point.along) - left) * 3 + Math.abs(y(point.value) - top);
      if (away < least) {
        least = away;
        best = { series: number, point: at };
      }
    }
  }
  return best;
}
