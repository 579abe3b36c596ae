import { act } from "react";
import { beforeEach, expect, it, vi } from "vitest";
import { api } from "../../api/client";
import { useDesk } from "../../state/desk";
import { onPage } from "../../testing";
import { AddToDraft } from "../knowledge/add-to-draft";
import { AddPiece, valuesIn } from "./add-piece";

const page = onPage();
const { show, click, button, type, press } = page;
const piece = { id: 36, kind: "condition" as const, name: "", description: "rows whose type is OWNER", sql: "disp.type = 'OWNER'", literals: [{ values: ["OWNER"], count: 9 }, { values: ["DISPONENT"], count: 1 }] };
const drafts = ["old", "new", "none"].map((id) => ({ id, question: `draft ${id}`, title: "", sql: id === "none" ? "" : `SELECT '${id}'`, changed: "2026-01-01T00:00:00Z", baseline: false }));

/** Answers by the path that is asked. */
function server(answers: Record<string, unknown>) {
  return async (path: string) => ({ data: answers[path], response: new Response("{}") }) as never;
}

beforeEach(() => {
  sessionStorage.clear();
  useDesk.setState({ id: "d1", explained: null });
});

it("a piece is put into the draft that was open last, or into another that is looked for", async () => {
  sessionStorage.setItem("sqlore.draft", JSON.stringify({ id: "last", title: "" }));
  const get = vi.spyOn(api, "GET").mockImplementation(server({ "/api/drafts": { drafts, total: 3 }, "/api/drafts/{id}": { ...drafts[0], id: "last", question: "the last one" } }));
  await show(<AddToDraft item={piece} close={() => {}} />);
  const titles = () => [...page.box.querySelectorAll(".option-title")].map((one) => one.firstChild?.textContent);
  expect(titles()).toEqual(["the last one", "draft old", "draft new"]);
  expect(page.box.querySelector(".option-title")?.textContent).toContain("open last");
  await press(page.box.querySelector("input") as Element, "Enter");
  expect(location.pathname + location.search).toBe("/d/last?add=36");
  await type(page.box.querySelector("input"), "new");
  expect(get).toHaveBeenLastCalledWith("/api/drafts", expect.objectContaining({ params: { query: { text: "new", status: "ready", limit: 12 } } }));
  expect(titles()).toEqual(["draft old", "draft new"]); // as the server orders them
  await press(page.box.querySelector("input") as Element, "ArrowDown");
  await press(document.activeElement as Element, "ArrowDown");
  await click(document.activeElement);
  expect(location.pathname + location.search).toBe("/d/new?add=36");
});

it("without any draft a question has to be asked first", async () => {
  vi.spyOn(api, "GET").mockImplementation(server({ "/api/drafts": { drafts: [], total: 0 } }));
  await show(<AddToDraft item={piece} close={() => {}} />);
  expect(page.box.textContent).toContain("There is no draft with SQL yet");
});

const proposal = { id: "p1", act: "add", kind: "condition", scope: "main", fragment: "", text: "d.type = 'OWNER'", before: "SELECT 1", after: "SELECT 1 WHERE d.type = 'OWNER'", diff: "", spans: [[8, 8, 8, 31]], notes: [], affected: [] };

it("the change is shown with the value that it has; another value and another part are proposed anew", async () => {
  vi.spyOn(api, "GET").mockImplementation(server({ "/api/knowledge/{id}": piece, "/api/drafts/{id}/items": [{ scope: "main" }, { scope: "cte:x" }], "/api/drafts/{id}/additions": [{ item: 36, column_values: ["USER"] }] }));
  const post = vi.spyOn(api, "POST").mockImplementation(server({ "/api/drafts/{id}/proposals": proposal }));
  await show(<AddPiece item={36} close={() => {}} />);
  await act(async () => {});
  expect(page.box.querySelector("ins")?.textContent).toContain("d.type = 'OWNER'");
  const field = page.box.querySelector<HTMLInputElement>(".values-wanted input");
  expect(field?.value).toBe("OWNER");
  expect([...page.box.querySelectorAll("datalist option")].map((one) => (one as HTMLOptionElement).value)).toEqual(["OWNER", "DISPONENT", "USER"]);
  await type(field, "USER");
  await press(field as Element, "Enter");
  const asked = (scope: string, values?: string[]) => ["/api/drafts/{id}/proposals", { params: { path: { id: "d1" } }, body: { act: "add", item: 36, scope, script: undefined, values } }];
  expect(post.mock.calls).toEqual([asked("main"), asked("main", ["USER"])]);
  const part = page.box.querySelector("select") as HTMLSelectElement;
  await act(async () => {
    part.value = "cte:x";
    part.dispatchEvent(new Event("change", { bubbles: true }));
  });
  expect(post.mock.lastCall).toEqual(asked("cte:x", ["USER"]));
});

it("a piece that does not fit says why, and another draft can be chosen", async () => {
  const refused = { title: "Edit error", detail: "item 36 joins tables that are here already", hint: "choose it as an alternative of a join", status: 422 };
  vi.spyOn(api, "GET").mockImplementation(server({ "/api/knowledge/{id}": piece, "/api/drafts/{id}/items": [{ scope: "main" }] }));
  vi.spyOn(api, "POST").mockResolvedValue({ error: refused, response: new Response(null, { status: 422 }) } as never);
  await show(<AddPiece item={36} close={() => {}} />);
  await act(async () => {});
  expect(page.box.querySelector("h2")?.textContent).toBe("This piece does not fit here");
  expect(page.box.querySelector('[role="alert"]')?.textContent).toContain("joins tables that are here already");
  expect(button("Apply")).toBeUndefined();
  await click(button("Choose another draft"));
  expect(location.pathname + location.search).toBe("/knowledge/36?to=draft");
});

it("a piece that the draft has already is told", async () => {
  const explained = { nodes: [{ id: "main", items: [{ id: "i", sql: "d.type = 'USER'", citation: { status: "cited", item: 36 } }] }] };
  useDesk.setState({ explained: explained as never });
  vi.spyOn(api, "GET").mockImplementation(server({ "/api/knowledge/{id}": piece, "/api/drafts/{id}/items": [], "/api/drafts/{id}/additions": [] }));
  vi.spyOn(api, "POST").mockImplementation(server({ "/api/drafts/{id}/proposals": proposal }));
  await show(<AddPiece item={36} close={() => {}} />);
  await act(async () => {});
  expect(page.box.querySelector(".told")?.textContent).toContain("d.type = 'USER'");
});

it("values are those of the history that stand in the text", () => {
  expect(valuesIn(piece as never, { text: "d.type = 'DISPONENT'" })).toEqual(["DISPONENT"]);
  expect(valuesIn(piece as never, { text: "d.type IS NULL" })).toBeNull();
});

it("what is there already can be added with another value", async () => {
  const refused = { title: "Edit error", detail: "d.type = 'OWNER' is there already", hint: "add it with another value, or another piece", status: 422 };
  vi.spyOn(api, "GET").mockImplementation(server({ "/api/knowledge/{id}": piece, "/api/drafts/{id}/items": [{ scope: "main" }], "/api/drafts/{id}/additions": [] }));
  const post = vi.spyOn(api, "POST").mockResolvedValue({ error: refused, response: new Response(null, { status: 422 }) } as never);
  await show(<AddPiece item={36} close={() => {}} />);
  await act(async () => {});
  const field = page.box.querySelector<HTMLInputElement>(".values-wanted input");
  expect(field?.value).toBe("OWNER");
  await type(field, "DISPONENT");
  await press(field as Element, "Enter");
  expect(post.mock.lastCall?.[1]).toMatchObject({ body: { item: 36, scope: "main", values: ["DISPONENT"] } });
});
