// The list of drafts: found again, opened, deleted and brought back, with the keyboard and without.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { NET, NET_SQL } from "./answers.mjs";
import { cut, faults } from "./checks.mjs";
import { figures, skip, suite } from "./support.mjs";

describe("all drafts in one place", { skip }, () => {
  let app;
  let page;
  const { it, button, heading, clean } = suite((started) => {
    app = started;
    page = app.page;
  });
  const rows = () => page.locator(".draft-row");
  const counted = (text) => page.locator(".drafts-tools [role=status]", { hasText: text }).waitFor();
  const focusedOn = (text) => page.waitForFunction((wanted) => document.activeElement?.textContent?.includes(wanted), text);

  it("says what will be here where nothing was asked yet", async () => {
    await page.goto(`${app.address}/drafts`);
    await heading("Nothing was asked yet").waitFor();
    assert.deepEqual(await faults(page), []);
    await page.getByRole("link", { name: "Ask a question", exact: true }).click();
    await page.getByLabel("What do you want to know?").waitFor();
  });

  it("lists what was asked, with its state, its versions and what it rests on", async () => {
    await page.getByLabel("What do you want to know?").fill(NET);
    await page.keyboard.press("Control+Enter");
    await page.waitForURL(/\/d\//);
    await figures(page);
    const draft = new URL(page.url()).pathname.split("/")[2];
    await page.request.put(`${app.address}/api/drafts/${draft}/sql`, { data: { sql: `${NET_SQL} LIMIT 3` }, headers: { origin: app.address } });
    const { citations } = await app.get(`/api/drafts/${draft}`);
    const cited = citations.filter((one) => one.kind !== "query" && one.status === "cited" && one.trust !== "verified").length;
    const plans = await app.draft("SELECT nm || '!' || LENGTH(nm) AS loud FROM plan WHERE nm GLOB '*a*'", "All plans");
    await app.draft("SELECT cd FROM region");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("drafts all");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/drafts$/);
    await counted("3 found");
    await page.getByRole("region", { name: "Today" }).waitFor();
    const told = await rows().filter({ hasText: NET }).innerText();
    assert.match(told, /2 versions/);
    assert.match(told, new RegExp(`${cited} cited`));
    const novel = (await app.get(`/api/drafts/${plans}`)).citations.filter((one) => one.kind !== "query" && one.status === "novel").length;
    assert.ok(novel > 0);
    assert.match(await rows().filter({ hasText: "All plans" }).innerText(), new RegExp(`${novel} new`));
    await rows().filter({ hasText: "SQL by hand" }).filter({ hasText: "SELECT cd FROM region" }).waitFor();
  });

  it("finds by words and by state, and keeps that in the address", async () => {
    await page.getByLabel("Search the drafts").fill("net revenue");
    await counted("1 found");
    await page.reload();
    await counted("1 found");
    assert.equal(await rows().count(), 1);
    await page.getByLabel("Search the drafts").fill("");
    await page.getByLabel("State").selectOption("failed");
    await page.getByText("No draft is like that.").waitFor();
    await button("Show all drafts").click();
    await counted("3 found");
  });

  it("goes from draft to draft by the arrows, deletes one, takes that back, and opens one", async () => {
    await page.getByLabel("Search the drafts").focus();
    await page.keyboard.press("ArrowDown");
    await focusedOn("SELECT cd FROM region");
    await page.keyboard.press("ArrowDown");
    await focusedOn("All plans");
    await page.keyboard.press("Delete");
    await page.locator(".note", { hasText: "Deleted: All plans" }).waitFor();
    await focusedOn(NET);
    assert.equal((await app.get("/api/drafts")).total, 2);
    await page.locator(".note").getByRole("button", { name: "Undo" }).click();
    await counted("3 found");
    assert.equal((await app.get("/api/drafts")).total, 3);
    await rows().filter({ hasText: "All plans" }).hover();
    await button("Delete All plans").click();
    await counted("2 found");
    await page.getByRole("link", { name: new RegExp(`^${NET.slice(0, 20)}`) }).focus();
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/d\//);
    await figures(page);
  });

  it("deletes the draft that is open, and goes back to it", async () => {
    const address = page.url();
    await button("More about this draft").click();
    await page.getByRole("menuitem", { name: "Delete the draft" }).click();
    await page.waitForURL(/\/drafts$/);
    await page.locator(".note", { hasText: NET.slice(0, 20) }).getByRole("button", { name: "Undo" }).click();
    await page.waitForURL((url) => address.startsWith(url.origin + url.pathname) && url.pathname.startsWith("/d/"));
    await figures(page);
  });

  it("is right for axe and cuts nothing off, light and dark, at 1280x720 and at 200 %", async () => {
    await page.goto(`${app.address}/drafts`);
    await rows().first().waitFor();
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      assert.deepEqual([...(await faults(page)), ...(await cut(page))], []);
    }
    await page.setViewportSize({ width: 640, height: 360 });
    assert.deepEqual(await cut(page), []);
  });

  it("asked no other place for anything, and nothing broke", clean);
});
