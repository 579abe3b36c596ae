import { lazy, Suspense, useEffect, useMemo, useState } from "react";
import { api, ok, problemOf } from "../../api/client";
import type { Figure, FlowNode, ResultPage } from "../../api/types";
import { count, many, took } from "../../lib/format";
import { suggest } from "../../lib/charts";
import { useApp } from "../../state/app";
import { figureKey, find, useDesk } from "../../state/desk";
import { ProblemNote, Waiting } from "../../ui/bits";
import { Dialog } from "../../ui/dialog";
import { Icon } from "../../ui/icons";
import { MenuButton } from "../../ui/menu";
import { Tabs } from "../../ui/tabs";
import { ItemFacts } from "./item-facts";

const Grid = lazy(() => import("./grid"));
const Chart = lazy(() => import("./chart"));

/** The rows of the selected node, and the figures of the selected item above them. */
export function DataPane() {
  const { draft, explained, selection, results, run, figures } = useDesk();
  const node = explained?.nodes.find((one) => one.id === selection.node) ?? null;
  const final = node === null || node.kind === "final";
  const sql = final ? (draft?.sql ?? "") : node.sql;
  const result = sql ? results[sql] : undefined;
  useEffect(() => {
    if (sql && result === undefined) void run(sql, node?.id);
  }, [sql, result, run, node?.id]);
  const [contains, setContains] = useState("");
  const page = result && result !== "running" && "rows" in result ? result : null;
  const chart = useMemo(() => (page ? suggest(page) : null), [page]);
  const [wanted, setWanted] = useState<"rows" | "chart">("rows");
  const shape = chart === null ? "rows" : wanted;
  useEffect(() => setContains(""), [sql]);
  return (
    <section className="pane data-pane" aria-label="Data">
      <div className="pane-head data-head">
        <h2>{titleOf(node)}</h2>
        {page && <RowCount page={page} known={node === null ? null : rowsOf(figures[figureKey(node.id, null)])} />}
        <div className="actions end">
          {chart && (
            <Tabs label="Form" chosen={shape} choose={setWanted} controls="data" tabs={[{ id: "rows", label: "Rows" }, { id: "chart", label: "Chart" }]} />
          )}
          {page && shape === "rows" && (
            <input className="field filter-field" type="search" value={contains} placeholder="Filter" aria-label="Only rows that have this text"
              onChange={(event) => setContains(event.target.value)} />
          )}
          {page && <ExportButton page={page} />}
        </div>
      </div>
      <SelectedFacts />
      <div id="data" className="data-body">
        <Suspense fallback={<div className="state"><Waiting>Loading</Waiting></div>}>
          {node && !final && !sql && (
            <div className="state"><h2>These rows cannot be shown by themselves</h2><p>{node.reason}</p></div>
          )}
          {(result === "running" || (sql && result === undefined)) && <div className="state"><Waiting>Running the query</Waiting></div>}
          {result && result !== "running" && !("rows" in result) && <div className="state"><ProblemNote problem={result} /></div>}
          {page && shape === "rows" && <Grid key={page.id} result={page} contains={asFound(contains)} />}
          {page && chart && shape === "chart" && <Chart key={page.id} page={page} suggested={chart} />}
        </Suspense>
      </div>
    </section>
  );
}

/** A number that was copied off the screen is found as it is, without its separators. */
function asFound(text: string): string {
  return /^-?\d{1,3}(,\d{3})+(\.\d*)?$/.test(text.trim()) ? text.trim().replaceAll(",", "") : text;
}

function titleOf(node: FlowNode | null): string {
  if (node === null || node.kind === "final") return "Result";
  return node.kind === "table" ? node.name : `Rows of ${node.name}`;
}

function SelectedFacts() {
  const { explained, selection, figures } = useDesk();
  const place = selection.item ? find(explained, selection.item) : null;
  if (!place) return <span hidden />;
  return <ItemFacts item={place.item} figure={figures[figureKey(place.node.id, place.item.id)]} />;
}

/** How many rows a node has, where its figures said so. */
function rowsOf(figure: Figure | undefined): number | null {
  return figure?.facts?.type === "sample" ? (figure.facts.count ?? null) : null;
}

function RowCount({ page, known }: { page: ResultPage; known: number | null }) {
  const [counted, setAll] = useState<number | null>(null);
  const all = counted ?? known;
  const say = useApp((state) => state.say);
  useEffect(() => setAll(null), [page.id]);
  const ask = async () => {
    try {
      setAll((await ok(api.GET("/api/results/{id}/count", { params: { path: { id: page.id } } }))).rows);
    } catch (error) {
      say(problemOf(error).detail, "bad");
    }
  };
  return (
    <span className="quiet">
      {!page.truncated ? many(page.fetched, "row") : all === null ? (
        <>first {many(page.fetched, "row")} <button type="button" className="more" onClick={() => void ask()}>count all</button></>
      ) : (
        <>first {count(page.fetched)} of {many(all, "row")}</>
      )}
      , {took(page.seconds)}
    </span>
  );
}

function ExportButton({ page }: { page: ResultPage }) {
  const { draft, confirm } = useDesk();
  const say = useApp((state) => state.say);
  const [held, setHeld] = useState<{ format: "csv" | "parquet"; all: boolean } | null>(null);
  const save = (format: "csv" | "parquet", all: boolean) => {
    if (draft?.trust.needs_confirmation) setHeld({ format, all });
    else download(format, all);
  };
  const download = (format: "csv" | "parquet", all: boolean) => {
    const link = document.createElement("a");
    link.href = `/api/results/${page.id}/export?format=${format}&all=${all}`;
    link.download = "";
    link.click();
  };
  const rows = page.truncated ? "these rows" : many(page.fetched, "row");
  const goOn = async () => {
    try {
      await confirm();
      if (held) download(held.format, held.all);
    } catch (error) {
      say(problemOf(error).detail, "bad");
    }
    setHeld(null);
  };
  return (
    <>
    <MenuButton label="Save the rows" icon={<Icon name="save" />} items={[
      { label: `CSV, ${rows}`, act: () => save("csv", false) },
      { label: `Parquet, ${rows}`, act: () => save("parquet", false) },
      ...(page.truncated ? [
        { label: "CSV, every row", act: () => save("csv", true) },
        { label: "Parquet, every row", act: () => save("parquet", true) },
      ] : []),
    ]} />
    {held && (
      <Dialog label="Save unverified rows" className="refine" close={() => setHeld(null)}>
        <div>
          <h2>Nobody has verified how these rows are computed</h2>
          <p>The query computes in sensitive columns with unverified knowledge. Confirm that you checked it before the rows leave this page; your name is kept with the draft.</p>
          <div className="actions">
            <button type="button" className="button" onClick={() => setHeld(null)} autoFocus>Do not save</button>
            <button type="button" className="button main" onClick={() => void goOn()}>I checked it: save</button>
          </div>
        </div>
      </Dialog>
    )}
    </>
  );
}
