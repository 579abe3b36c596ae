import { useMemo, useState } from "react";
import { api, ok } from "../../api/client";
import type { ResultPage } from "../../api/types";
import { bins, type ChartChoice, type ChartForm, type Point, seriesOf } from "../../lib/charts";
import { count, type NumberStyle, readable, styleOf } from "../../lib/format";
import { useLoaded } from "../../lib/load";
import { Plane } from "./chart-plane";

const FORMS: ChartForm[] = ["bars", "line", "points", "spread"];
const NAMES: Record<ChartForm, string> = { bars: "Bars", line: "Line", points: "Points", spread: "Distribution" };
const MOST_ROWS = 5000;

/** A chart of the rows; what it shows is suggested and can be changed. */
export default function Chart({ page, suggested }: { page: ResultPage; suggested: ChartChoice }) {
  const [choice, setChoice] = useState(suggested);
  const { data } = useLoaded(async (signal) => {
    if (page.found <= page.rows.length) return page;
    const query = { limit: MOST_ROWS, offset: 0 };
    return ok(api.GET("/api/results/{id}", { params: { path: { id: page.id }, query }, signal }));
  }, [page.id]);
  const rows = data?.rows ?? page.rows;
  const name = (at: number) => page.columns[at]?.name ?? "";
  const pick = (key: "along" | "measure") => (event: { target: { value: string } }) => setChoice({ ...choice, [key]: Number(event.target.value) });
  return (
    <div className="chart pane-body">
      <div className="chart-choice">
        <label>Form <select value={choice.form} onChange={(event) => setChoice({ ...choice, form: event.target.value as ChartForm })}>
          {FORMS.map((form) => <option key={form} value={form}>{NAMES[form]}</option>)}
        </select></label>
        {choice.form !== "spread" && (
          <label>Along <select value={choice.along} onChange={pick("along")}>
            {page.columns.map((column, at) => <option key={at} value={at}>{column.name}</option>)}
          </select></label>
        )}
        <label>Measure <select value={choice.measure} onChange={pick("measure")}>
          {page.columns.map((column, at) => column.kind === "number" && <option key={at} value={at}>{column.name}</option>)}
        </select></label>
        {(choice.form === "line" || choice.form === "points") && page.columns.length > 2 && (
          <label>Apart by <select value={choice.series ?? ""} onChange={(event) => setChoice({ ...choice, series: event.target.value === "" ? undefined : Number(event.target.value) })}>
            <option value="">nothing</option>
            {page.columns.map((column, at) => at !== choice.along && at !== choice.measure && <option key={at} value={at}>{column.name}</option>)}
          </select></label>
        )}
        {(page.truncated || page.found > rows.length) && <span className="quiet">of the first {count(rows.length)} rows</span>}
      </div>
      <Drawn rows={rows} choice={choice} name={name} />
    </div>
  );
}

function Drawn({ rows, choice, name }: { rows: ResultPage["rows"]; choice: ChartChoice; name: (at: number) => string }) {
  const style = (at: number) => styleOf(rows.map((row) => row[at]), name(at));
  const styles = { along: style(choice.along), measure: style(choice.measure) };
  const series = useMemo(() => seriesOf(rows, choice, (value) => readable(value, styles.along)), [rows, choice]);
  const points = series.flatMap((one) => one.points);
  if (points.length === 0) return <p className="quiet">There are no numbers to draw.</p>;
  if (choice.form === "bars") return <Bars points={points} style={styles.measure} label={`${name(choice.measure)} for each ${name(choice.along)}`} />;
  if (choice.form === "spread") {
    const counted = bins(points.map((point) => point.value)).map((bin, at) => ({ label: `${readable(bin.from, styles.measure)} to ${readable(bin.to, styles.measure)}`, along: at, value: bin.count }));
    return <Bars points={counted} label={`How many rows have which ${name(choice.measure)}`} />;
  }
  return <Plane series={series} styles={styles} form={choice.form} label={`${name(choice.measure)} along ${name(choice.along)}`} />;
}

/** Lying bars with their values: names can be read and compared. */
function Bars({ points, label, style }: { points: Point[]; label: string; style?: NumberStyle }) {
  const shown = points.slice(0, 60);
  const most = Math.max(0, ...shown.map((point) => point.value));
  const least = Math.min(0, ...shown.map((point) => point.value));
  const span = most - least || 1;
  return (
    <ol className="bars" aria-label={label} tabIndex={0}>
      {shown.map((point, at) => (
        <li key={at}>
          <span className="ellipsis" title={point.label}>{point.label}</span>
          <span className="bar-track">
            <i style={{ left: `${((Math.min(0, point.value) - least) / span) * 100}%`, width: `${(Math.abs(point.value) / span) * 100}%` }} />
          </span>
          <span className="bar-value">{readable(point.value, style)}</span>
        </li>
      ))}
      {points.length > shown.length && <li className="quiet">and {count(points.length - shown.length)} more</li>}
    </ol>
  );
}
