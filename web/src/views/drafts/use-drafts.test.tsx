import { act } from "react";
import { afterEach, expect, it, vi } from "vitest";
import { api } from "../../api/client";
import type { DraftSummary } from "../../api/types";
import { onPage } from "../../testing";
import { type Filter, STEP, useDrafts } from "./use-drafts";

const page = onPage();
afterEach(() => void vi.restoreAllMocks());

const FILTER: Filter = { text: "", status: null, baseline: null, session: null };
let shown: ReturnType<typeof useDrafts>;

function Listing() {
  shown = useDrafts(FILTER);
  return null;
}

/** A server with drafts; `during` is called once, after it has made up a page and before that arrives. */
function server(count: number) {
  const there = Array.from({ length: count }, (_, at) => ({ id: `d${at}` }) as DraftSummary);
  const state = { there, during: () => {} };
  vi.spyOn(api, "GET").mockImplementation((async (_: string, asked: { params: { query: { limit: number; offset: number } } }) => {
    const { limit, offset } = asked.params.query;
    const data = { drafts: there.slice(offset, offset + limit), total: there.length };
    const { during } = state;
    state.during = () => {};
    during();
    return { data, response: new Response() };
  }) as never);
  return state;
}

const settle = () => act(async () => void (await new Promise((done) => setTimeout(done, 10))));
const ids = () => shown.found?.drafts.map((one) => one.id);

it.each([false, true])("a draft that is deleted stays away, and no other is left out (while a page comes: %s)", async (coming) => {
  const state = server(120);
  const remove = () => {
    state.there.splice(3, 1);
    shown.without("d3");
  };
  await page.show(<Listing />);
  await settle();
  expect(ids()).toHaveLength(STEP);
  if (coming) state.during = remove;
  else await act(async () => remove());
  for (let pages = 0; pages < 3; pages++) {
    await act(async () => shown.more());
    await settle();
  }
  expect(ids()).toEqual(state.there.map((one) => one.id));
  expect(shown.found?.total).toBe(119);
});

it("a draft that is brought back is there again", async () => {
  const state = server(3);
  await page.show(<Listing />);
  await settle();
  const [first] = state.there.splice(0, 1) as [DraftSummary];
  await act(async () => shown.without(first.id));
  expect(ids()).toEqual(["d1", "d2"]);
  state.there.unshift(first);
  await act(async () => shown.again());
  await settle();
  expect(ids()).toEqual(["d0", "d1", "d2"]);
});
