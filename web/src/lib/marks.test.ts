import { describe, expect, it } from "vitest";
import { lines, type Mark, markAt } from "./marks";

const mark = (id: string, start: number, end: number, kind: Mark["kind"] = "condition"): Mark => ({ id, start, end, kind, status: "cited", support: 1 });

describe("lines", () => {
  it("gives back the text, whatever lies in it", () => {
    const sql = "SELECT a,\n  '🙂\nb' AS c -- end\n\nFROM t\n";
    const marks = [mark("x", 7, 8), mark("y", 12, 17), mark("all", 0, sql.length, "query"), mark("empty", 9, 9)];
    const found = lines(sql, marks);
    expect(found.map((line) => line.segments.map((one) => one.text).join("")).join("\n")).toBe(sql);
    for (const line of found) expect(sql.slice(line.start).startsWith(line.segments.map((one) => one.text).join(""))).toBe(true);
  });

  it("knows the innermost kind and all marks around", () => {
    const sql = "FROM a JOIN b ON a.x = b.y";
    const found = lines(sql, [mark("edge", 17, 26, "relation"), mark("clause", 0, 26, "dimension")]);
    const inner = found[0]?.segments.filter((one) => one.marks.includes("edge"));
    expect(inner?.map((one) => one.text).join("")).toBe("a.x = b.y");
    expect(inner?.every((one) => one.kind === "relation" && one.marks[0] === "clause")).toBe(true);
    expect(found[0]?.segments[0]?.kind).toBe("dimension");
  });

  it("lists a mark on the line where it begins", () => {
    const found = lines("SELECT a\nFROM t\nWHERE a = 1", [mark("w", 22, 27), mark("f", 9, 15)]);
    expect(found.map((line) => line.begins.map((one) => one.id))).toEqual([[], ["f"], ["w"]]);
  });

  it("takes 2,000 lines with a thousand marks", () => {
    const sql = Array.from({ length: 2000 }, (_, at) => `  AND column_${at} = ${at}`).join("\n");
    const marks = Array.from({ length: 1000 }, (_, at) => mark(String(at), at * 20, at * 20 + 12));
    expect(lines(sql, marks)).toHaveLength(2000);
  });
});

describe("markAt", () => {
  it("is the narrowest", () => {
    const marks = [mark("wide", 0, 10), mark("narrow", 3, 6)];
    expect(markAt(marks, 4)?.id).toBe("narrow");
    expect(markAt(marks, 8)?.id).toBe("wide");
    expect(markAt(marks, 10)).toBeNull();
  });
});
