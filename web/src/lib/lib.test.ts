import { describe, expect, it } from "vitest";
import type { LoggedEvent, ResultPage } from "../api/types";
import { bins, isPeriod, seriesOf, suggest, ticks } from "./charts";
import { partsOf } from "./diff";
import { ago, cell, count, many, padOf, readable, shown, styleOf, took, tsv } from "./format";
import { matches } from "./keys";
import { badgeOf } from "./kinds";
import { unitsOf } from "./offsets";
import { pathOf, type Route, routeOf } from "./router";
import { fit, ranked } from "./search";
import { looksLikeSql, tokens } from "./sql";
import { phaseMeans, timelines } from "./timeline";

const page = (names: [string, ResultPage["columns"][number]["kind"]][], rows: ResultPage["rows"]): ResultPage => ({
  id: "1", sql: "", columns: names.map(([name, kind]) => ({ name, kind })), rows, offset: 0, fetched: rows.length, found: rows.length, truncated: false, seconds: 0,
});

describe("tokens", () => {
  it("leaves nothing out and overlaps nowhere", () => {
    const sql = "SELECT \"a b\", 'it''s', 1.5e3 /* open";
    expect(tokens(sql).map((one) => sql.slice(one.start, one.end)).join("")).toBe(sql);
  });
  it("tells keywords, functions, names and strings apart", () => {
    const sql = "select count(id) from t where note = 'select' -- from";
    const types = tokens(sql).filter((one) => one.type !== "space").map((one) => `${sql.slice(one.start, one.end)}:${one.type}`);
    expect(types).toContain("select:keyword");
    expect(types).toContain("count:function");
    expect(types).toContain("id:name");
    expect(types).toContain("'select':string");
    expect(types).toContain("-- from:comment");
  });
});

describe("a query that is pasted where questions are asked", () => {
  it("is told from a question", () => {
    for (const sql of ["select a\nfrom t", "-- of March\nSELECT 1 FROM t", "/* x */ WITH a AS (SELECT 1) SELECT * FROM a", "with recursive n(i) as (select 1) select i from n"]) {
      expect(looksLikeSql(sql)).toBe(true);
    }
    for (const text of ["Select the best customers", "with which customers did we earn most", "revenue from orders", ""]) expect(looksLikeSql(text)).toBe(false);
  });
});

describe("offsets", () => {
  it("count as the server does", () => {
    const text = "a🙂b";
    expect([0, 1, 2, 3].map(unitsOf(text))).toEqual([0, 1, 3, 4]);
    expect(unitsOf("abc")(2)).toBe(2);
  });
});

describe("diff", () => {
  it("shows the changed place between what stays", () => {
    const parts = partsOf({ before: "SELECT a WHERE x = 1", after: "SELECT a WHERE x = 2016", spans: [[19, 20, 19, 23]] });
    expect(parts).toEqual([{ how: "same", text: "SELECT a WHERE x = " }, { how: "cut", text: "1" }, { how: "new", text: "2016" }]);
  });
  it("leaves lines far away out and says how many", () => {
    const head = Array.from({ length: 20 }, (_, at) => `line ${at}`).join("\n");
    const parts = partsOf({ before: `${head}\nx`, after: `${head}\ny`, spans: [[head.length + 1, head.length + 2, head.length + 1, head.length + 2]] });
    expect(parts[0]).toEqual({ how: "gap", text: "18 lines as before" });
    expect(parts.slice(-2)).toEqual([{ how: "cut", text: "x" }, { how: "new", text: "y" }]);
  });
});

describe("format", () => {
  it("says numbers and times", () => {
    expect(count(12143)).toBe("12,143");
    expect([many(1, "row"), many(2, "row")]).toEqual(["1 row", "2 rows"]);
    expect([took(0.0001), took(0.223), took(1.24), took(75)]).toEqual(["under 1 ms", "223 ms", "1.2 s", "1 min 15 s"]);
    expect(ago("2026-01-01T00:00:00Z", Date.parse("2026-01-01T03:10:00Z"))).toBe("3 hours ago");
  });
  it("shows values as they are, and copies them without breaking the table", () => {
    expect([cell(1234567), cell(0.1 + 0.2), cell(null), cell(false)]).toEqual(["1234567", "0.3", "", "false"]);
    expect(tsv([["a\tb", 1], ["c\nd", null]])).toBe("a b\t1\nc d\t");
    expect(cell(125_887.375_123_456_7)).toBe("125887.375123457");
  });
  it("shows the numbers of a column in one way, invents no decimals, and leaves identifiers alone", () => {
    const salaries = [61_714.2, 125_887.375_000_1, 83_170];
    const style = styleOf(salaries, "avg_loan");
    const texts = salaries.map((one) => shown(one, style));
    expect(texts).toEqual(["61,714.2", "125,887.38", "83,170"]);
    expect(texts.map((text) => text + padOf(text, style.digits).replace(/./g, "_"))).toEqual(["61,714.2_", "125,887.38", "83,170___"]);
    expect(salaries.map((one) => readable(one, style))).toEqual(texts);
    expect(shown(0.000_12, style)).toBe("0.00012");
    for (const name of ["account_id", "CustomerID", "zip", "year", "T1.account_id"]) expect(shown(12_345, styleOf([12_345], name))).toBe("12345");
    for (const name of ["paid", "COUNT(account_id)", "amount"]) expect(shown(12_345, styleOf([12_345], name))).toBe("12,345");
    expect(shown(1 / 3, styleOf([1 / 3]))).toBe("0.333333");
  });
});

describe("charts", () => {
  it("suggests bars for names, a line for periods, nothing for identifiers", () => {
    expect(suggest(page([["ctry", "text"], ["revenue", "number"]], [["UK", 2], ["DE", 1]]))).toEqual({ form: "bars", along: 0, measure: 1 });
    expect(suggest(page([["month", "text"], ["revenue", "number"]], [["2025-01", 2], ["2025-02", 1]]))?.form).toBe("line");
    expect(suggest(page([["name", "text"], ["cust_id", "number"]], [["a", 2], ["b", 1]]))).toBeNull();
    expect(suggest(page([["name", "text"], ["n", "number"]], [["a", 2], ["a", 1]]))).toBeNull();
    expect(suggest(page([["n", "number"]], [[1]]))).toBeNull();
  });
  it("draws a period that repeats apart by what tells its rows apart, else not at all", () => {
    const rows = [["2024", "DE", 5], ["2024", "UK", 2], ["2025", "DE", 6], ["2025", "UK", 3]];
    const columns: Parameters<typeof page>[0] = [["year", "text"], ["ctry", "text"], ["revenue", "number"]];
    const choice = suggest(page(columns, rows));
    expect(choice).toEqual({ form: "line", along: 0, measure: 2, series: 1 });
    expect(seriesOf(rows, choice as NonNullable<typeof choice>, String)).toEqual([
      { name: "DE", points: [{ label: "2024", along: 0, value: 5 }, { label: "2025", along: 1, value: 6 }] },
      { name: "UK", points: [{ label: "2024", along: 0, value: 2 }, { label: "2025", along: 1, value: 3 }] },
    ]);
    expect(suggest(page(columns, [...rows, ["2025", "UK", 4]]))).toBeNull();
  });
  it("counts the values of one column between round bounds", () => {
    const values = Array.from({ length: 40 }, (_, at) => [at]);
    expect(suggest(page([["price", "number"]], values))?.form).toBe("spread");
    const found = bins([0, 1, 4.9, 5, 9.9, 10], 2);
    expect(found).toEqual([{ from: 0, to: 5, count: 3 }, { from: 5, to: 10, count: 2 }, { from: 10, to: 15, count: 1 }]);
    expect(bins([3, 3])).toEqual([{ from: 3, to: 3, count: 2 }]);
  });
  it("knows periods and round steps", () => {
    expect(isPeriod([["2024"], ["2025"]], 0)).toBe(true);
    expect(isPeriod([["2024"], ["total"]], 0)).toBe(false);
    expect(ticks(0, 527_797)).toEqual([0, 200_000, 400_000]);
    expect(ticks(3, 3)).toEqual([3]);
  });
});

describe("routes", () => {
  it("have an address each, and back", () => {
    const all: Route[] = [
      { view: "ask" }, { view: "draft", id: "abc" }, { view: "knowledge" }, { view: "knowledge", item: 7 }, { view: "dictionary", table: "a b/c" }, { view: "learn" }, { view: "settings" },
    ];
    for (const route of all) expect(routeOf(pathOf(route))).toEqual(route);
    expect(routeOf("/knowledge/x").view).toBe("missing");
    expect(routeOf("/%E0%A4%A").view).toBe("missing");
  });
});

describe("keys", () => {
  it("need exactly their modifiers", () => {
    const press = (key: string, more: KeyboardEventInit = {}) => new KeyboardEvent("keydown", { key, ...more });
    expect(matches("mod+k", press("k", { ctrlKey: true }), false)).toBe(true);
    expect(matches("mod+k", press("k", { metaKey: true }), true)).toBe(true);
    expect(matches("mod+z", press("Z", { ctrlKey: true, shiftKey: true }), false)).toBe(false);
    expect(matches("mod+shift+z", press("Z", { ctrlKey: true, shiftKey: true }), false)).toBe(true);
  });
});

describe("badges", () => {
  it("say where knowledge comes from", () => {
    const of = (status: "cited" | "near" | "novel", trust: "unverified" | "verified" | "deprecated" = "unverified") => badgeOf({ status, trust, support: 3 });
    expect([of("cited").short, of("near").short, of("novel").short]).toEqual(["in 3 scripts", "near", "new, unverified"]);
    expect(of("cited", "verified").tone).toBe("verified");
    expect(of("near", "verified").tone).toBe("near");
    expect(of("cited", "deprecated").tone).toBe("deprecated");
    expect(badgeOf(null).short).toBe("");
  });

  it("count the scripts that have the value apart from those that have the pattern", () => {
    const cited = { status: "cited", trust: "unverified", support: 9 } as const;
    expect(badgeOf({ ...cited, with_values: 2 }).short).toBe("2 of 9 scripts with this value");
    expect(badgeOf({ ...cited, with_values: 9 }).short).toBe("in 9 scripts");
    expect(badgeOf({ ...cited, trust: "verified", with_values: 0, new_values: ["4000"] })).toEqual({
      tone: "verified", short: "pattern verified, 0 of 9 scripts with this value",
      long: "The pattern is in 9 scripts of the history and verified; 0 of 9 scripts with this value, never with 4000",
    });
  });

  it("say what the authors of all scripts of a piece warn of, and where it only ever had a parameter", () => {
    const cited = { status: "cited", trust: "unverified", support: 1 } as const;
    expect(badgeOf({ ...cited, warning: "do not use" })).toEqual({
      tone: "cited", short: "in 1 script, with a warning",
      long: "Cited: used in 1 script of the history; its author warns: “do not use”",
    });
    expect(badgeOf({ ...cited, with_values: 0, new_values: ["Ulm"], parameter: true }).long).toMatch(/never with Ulm, only ever with a parameter$/);
  });

  it("say how near a piece is, and to what", () => {
    const near = badgeOf({ status: "near", trust: "unverified", support: 1, similarity: 0.684, description: "loans in trouble" });
    expect(near.short).toBe("near, 68 %");
    expect(near.long).toMatch(/68 % alike: .*“loans in trouble”/);
  });
});

describe("search", () => {
  it("takes every word and puts beginnings first", () => {
    expect(fit("net rev", "Revenue, net")).toBeGreaterThan(0);
    expect(fit("net cost", "Revenue, net")).toBe(0);
    expect(ranked("un", ["run", "undo", "the undo"], (one) => one)).toEqual(["undo", "the undo", "run"]);
  });
});

describe("timelines", () => {
  it("join what belongs together and end idle time", () => {
    const event = (at: number, phase: string, action: string): LoggedEvent => ({
      time: new Date(Date.UTC(2026, 0, 1, 0, 0, at)).toISOString(), phase, action, draft: "d", baseline: false, detail: {},
    });
    const [line] = timelines([event(0, "prompting", "ask"), event(10, "inspection", "run"), event(20, "inspection", "run"), event(400, "refinement", "off"), event(401, "other", "x")]);
    expect(line?.segments.map((one) => [one.phase, one.start, one.end])).toEqual([["prompting", 0, 10], ["inspection", 10, 140], ["refinement", 400, 405]]);
  });
  it("begin typing when it began, not when it was told", () => {
    const event = (at: number, phase: string, detail: Record<string, unknown> = {}): LoggedEvent => ({
      time: new Date(Date.UTC(2026, 0, 1, 0, 0, at)).toISOString(), phase, action: "x", draft: "d", baseline: true, detail,
    });
    const [line] = timelines([event(40, "prompting"), event(40, "prompting", { seconds: 30 }), event(50, "structure")]);
    expect(line?.segments.map((one) => [one.phase, one.start, one.end])).toEqual([["prompting", 0, 40], ["structure", 40, 45]]);
    expect(line?.baseline).toBe(true);
    const means = phaseMeans(line ? [line, { ...line, draft: "e", segments: [] }] : []);
    expect(means).toEqual([{ baseline: true, drafts: 2, seconds: { prompting: 20, structure: 2.5, inspection: 0, refinement: 0 } }]);
  });
});
