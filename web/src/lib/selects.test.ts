import { describe, expect, it } from "vitest";
import type { ResultPage } from "../api/types";
import { suggest } from "./charts";
import { listed, rolesOf } from "./selects";

const page = (sql: string): ResultPage => ({
  id: "1", sql, columns: [{ name: "region", kind: "text" }, { name: "clients", kind: "number" }, { name: "avg_loan", kind: "number" }],
  rows: [["Prague", 12, 99.5], ["Brno", 7, 180.25]], offset: 0, fetched: 2, found: 2, truncated: false, seconds: 0,
});
const SQL = "SELECT d.a3 AS region, COUNT(*) AS clients, AVG(l.amount) AS avg_loan FROM loan l JOIN district d ON d.id = l.d GROUP BY d.a3";

describe("the measure of a chart", () => {
  it("is what the query orders by", () => {
    expect(suggest(page(`${SQL} ORDER BY clients DESC`))?.measure).toBe(1);
    expect(suggest(page(`${SQL} ORDER BY avg_loan LIMIT 5`))?.measure).toBe(2);
    expect(suggest(page(`${SQL} ORDER BY 2 DESC, 3`))?.measure).toBe(1);
    expect(suggest(page(`${SQL} ORDER BY COUNT(*)\nDESC`))?.measure).toBe(1);
  });
  it("is the first that is computed, where it orders by none", () => {
    expect(suggest(page(SQL))?.measure).toBe(1);
    expect(suggest(page(`${SQL} ORDER BY region`))?.measure).toBe(1);
    expect(suggest(page("SELECT a3 AS region, clients, a + b AS avg_loan FROM t"))?.measure).toBe(2);
  });
});

describe("what a query lists", () => {
  it("is read from its own SELECT, not from those in it", () => {
    const sql = "WITH x AS (SELECT a, b FROM t ORDER BY a) SELECT DISTINCT p, (SELECT MAX(q) FROM u ORDER BY 1) AS m, 'FROM, ' || r FROM x ORDER BY m DESC NULLS LAST, p LIMIT 3";
    expect(listed(sql)).toEqual({ items: ["p", "(SELECT MAX(q) FROM u ORDER BY 1) AS m", "'FROM, ' || r"], order: "m" });
    expect(rolesOf(sql, ["p", "m", "n"])).toEqual({ ordered: 1, computed: [1, 2] });
  });
  it("is nothing where it cannot be told", () => {
    expect(rolesOf("SELECT * FROM t ORDER BY x", ["a", "b"])).toEqual({ ordered: null, computed: [] });
    expect(rolesOf("", ["a"])).toEqual({ ordered: null, computed: [] });
  });
});
