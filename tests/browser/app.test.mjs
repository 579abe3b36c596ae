// The main job of the app, in a browser, against the real server: ask, look, correct one piece, undo, come back.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { NET, NET_SQL, WISH, WISHED } from "./answers.mjs";
import { asked, figures, skip, suite } from "./support.mjs";

const FROM = `FROM orders o JOIN cust c ON c.leg_cd = o.cust_cd JOIN region r ON r.cd = c.reg
  LEFT JOIN (SELECT ord_id, SUM(amt_c) AS amt_c FROM refund WHERE ok = 1 GROUP BY ord_id) f ON f.ord_id = o.id`;
const WHERE = NET_SQL.match(/WHERE o\.st[\s\S]*?(?=GROUP BY r)/)[0];

const numbers = (text) => [...text.matchAll(/\d[\d,]*/g)].map((match) => Number(match[0].replaceAll(",", "")));
const flat = (text) => text.replace(/\s+/g, " ");

describe("a question becomes a query that can be checked and corrected", { skip }, () => {
  let app;
  let page;
  let draft;
  const { it, button, clean } = suite((started) => {
    app = started;
    page = app.page;
  });
  const sql = async () => (await app.get(`/api/drafts/${draft}`)).sql;
  const item = (text) => page.getByRole("treeitem").filter({ hasText: text });
  const code = (text) => page.locator(".code-text", { hasText: text });
  const menu = async (text, entry) => {
    await item(text).hover();
    await item(text).locator("[aria-haspopup]").click();
    await page.getByRole("menuitem", { name: entry }).click();
  };
  const undone = async () => {
    await button("Undo the last change").click();
    await page.waitForFunction((text) => [...document.querySelectorAll(".code-text")].map((line) => line.textContent).join("\n") === text, NET_SQL);
    assert.equal(await sql(), NET_SQL);
    await figures(page);
  };

  it("shows what is known before anything is written", async () => {
    await page.goto(app.address);
    await page.getByLabel("What do you want to know?").fill(NET);
    await page.locator(".known-kinds li").first().waitFor();
    assert.equal(app.model.asked.length, 0);
    const known = await page.locator(".known").innerText();
    assert.match(known, /in \d+ scripts/);
    assert.match(known, /Orders whose st \(status of the order\) is not 7/);
  });

  it("asks, and shows the SQL with its citations and rows", async () => {
    await page.keyboard.press("Control+Enter");
    await page.waitForURL(/\/d\/[a-z2-7]{16}/);
    draft = new URL(page.url()).pathname.split("/")[2];
    await page.locator(".chip").first().waitFor();
    assert.equal((await page.locator(".code-text").allInnerTexts()).join("\n"), NET_SQL);
    await page.getByRole("gridcell", { name: "United Kingdom" }).waitFor();
    const rows = asked(app.folder, NET_SQL);
    assert.equal(await page.getByRole("row").count(), rows.length + 1);
    const shown = await page.getByRole("row").nth(1).innerText();
    assert.equal(Number(shown.split(/\s+/).at(-1).replaceAll(",", "")), rows[0][1]);
    await figures(page);
  });

  it("shows one selection in every view, and a condition's two counts are those of the database", async () => {
    await item("status of the order").click();
    assert.equal((await page.locator(".within").allInnerTexts()).join(""), "o.st <> 7");
    assert.match(page.url(), /item=/);
    const count = (where) => asked(app.folder, `SELECT COUNT(*) ${FROM} ${where}`)[0][0];
    assert.deepEqual(numbers(await page.locator(".item-facts dl").innerText()), [count(""), count("WHERE o.st <> 7"), count(WHERE)]);
    await page.locator(".marked", { hasText: "'Z'" }).click();
    await page.waitForFunction(() => document.querySelector('.item[aria-selected="true"]')?.textContent?.includes("is not Z"));
  });

  it("shows the flow, and the rows of a card", async () => {
    await page.getByRole("tab", { name: "Flow" }).click();
    await page.locator('[aria-label^="subquery f,"]').click();
    await page.getByRole("heading", { name: "Rows of f" }).waitFor();
    const within = (await page.locator(".within").allInnerTexts()).join("");
    assert.match(within, /^SELECT ord_id.*GROUP BY ord_id$/);
    const [[count]] = asked(app.folder, "SELECT COUNT(*) FROM (SELECT 1 FROM refund WHERE ok = 1 GROUP BY ord_id)");
    await page.locator(".data-head", { hasText: count.toLocaleString("en") }).waitFor();
    await page.locator('[aria-label^="table refund,"]').click();
    await page.getByRole("heading", { name: "refund", exact: true }).waitFor();
    await page.getByRole("tab", { name: "Knowledge", exact: true }).click();
  });

  it("sorts, filters and copies rows by keyboard", async () => {
    await page.getByRole("treeitem", { name: /Final query/ }).click();
    await page.getByRole("gridcell", { name: "United Kingdom" }).waitFor();
    await page.getByRole("grid").focus();
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await page.locator('[aria-sort="ascending"]').waitFor();
    await page.getByRole("row").nth(1).filter({ hasText: "Austria" }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Control+c");
    await page.getByText("The value is copied").waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), "Austria");
    await page.getByLabel("Only rows that have this text").fill("land");
    await page.waitForFunction(() => document.querySelectorAll(".grid-row").length === 3);
    await page.getByLabel("Only rows that have this text").fill("");
  });

  it("draws the chart that the rows suggest, and saves the rows", async () => {
    await page.getByRole("tab", { name: "Chart" }).click();
    await page.locator(".bars li").first().filter({ hasText: "United Kingdom" }).waitFor();
    assert.equal(await page.locator(".bars li").count(), asked(app.folder, NET_SQL).length);
    await page.getByRole("tab", { name: "Rows" }).click();
    await button("Save the rows").click();
    const [saved] = await Promise.all([page.waitForEvent("download"), page.getByRole("menuitem", { name: /^CSV/ }).click()]);
    assert.match(saved.suggestedFilename(), /\.csv$/);
    let text = "";
    for await (const part of await saved.createReadStream()) text += part;
    assert.equal(text.trim().split("\n").length, asked(app.folder, NET_SQL).length + 1);
  });

  it("switches one piece off: the difference first, and nothing else changes", async () => {
    await menu("status of the order", "Switch off");
    await page.locator(".diff del").first().waitFor();
    assert.equal(await sql(), NET_SQL);
    await button("Apply").click();
    await page.locator(".off-item", { hasText: "o.st <> 7" }).waitFor();
    assert.equal(flat(await sql()), flat(NET_SQL.replace(/o\.st <> 7\s+AND /, "")));
  });

  it("undoes and redoes", async () => {
    await undone();
    await page.keyboard.press("Control+Shift+Z");
    await page.locator(".off-item").waitFor();
    await page.keyboard.press("Control+z");
    await page.locator(".off-item").waitFor({ state: "detached" });
    assert.equal(await sql(), NET_SQL);
    await figures(page);
  });

  it("edits the SQL of one piece", async () => {
    await menu("is not Z", "Edit its SQL");
    await page.getByLabel("The SQL of this piece").fill("c.acct_type = 'C'");
    await page.keyboard.press("Control+Enter");
    await page.locator(".diff ins").first().waitFor();
    await button("Apply").click();
    await code("c.acct_type = 'C'").waitFor();
    assert.equal(await sql(), NET_SQL.replace("c.acct_type <> 'Z'", "c.acct_type = 'C'"));
    await undone();
  });

  it("changes one piece as plain words say", async () => {
    await menu("is on or after 2024-02-01", "Say what to change");
    await page.getByLabel("What to change").fill(WISH);
    await button("Show the change").click();
    await page.locator(".diff ins").first().waitFor();
    await button("Apply").click();
    await code(WISHED).waitFor();
    assert.equal(await sql(), NET_SQL.replace("o.dt >= '2024-02-01'", WISHED));
    await page.getByRole("tab", { name: "Changes" }).click();
    await page.locator(".steps li", { hasText: WISH }).waitFor();
    await page.getByRole("tab", { name: "Knowledge", exact: true }).click();
    await undone();
  });

  it("takes an alternative of the history, with its support", async () => {
    await menu("status of the order", "Alternatives from the history");
    const option = page.locator(".options li", { hasText: "is one of" }).first();
    const text = await option.locator("code").innerText();
    assert.match(await option.innerText(), /in \d+ scripts/);
    await option.getByRole("button").click();
    await page.locator(".diff ins").first().waitFor();
    await button("Apply").click();
    const note = await page.locator(".note", { hasText: "Changed." }).last().boundingBox();
    const rows = await page.locator(".data-body").boundingBox();
    assert.ok(note.y + note.height <= rows.y, "what is said covers no row");
    await code(text).waitFor();
    await page.waitForFunction(() => document.activeElement?.matches('.item[aria-selected="true"]') && document.activeElement.textContent.includes("is one of"));
    assert.equal(await sql(), NET_SQL.replace("o.st <> 7", text));
    await undone();
  });

  it("edits the whole by hand, and says what is wrong where it is", async () => {
    await page.keyboard.press("Control+e");
    await page.locator(".cm-content").waitFor();
    await page.keyboard.press("Control+End");
    await page.keyboard.type(", nosuch");
    await page.keyboard.press("Control+Enter");
    await page.locator(".code-problem", { hasText: "nosuch" }).waitFor();
    assert.equal(await page.locator(".cm-wrong").innerText(), "nosuch");
    await button("Leave as it was").click();
    assert.equal(await sql(), NET_SQL);
  });

  it("verifies a piece where it is used", async () => {
    await menu("is not Z", "Verify");
    await item("is not Z").locator('[data-tone="verified"]').waitFor();
    const found = await app.get("/api/knowledge?trust=verified");
    assert.deepEqual(found.items.map((one) => one.sql), ["cust.acct_type <> 'Z'"]);
  });

  it("loses nothing when the server is killed, and a link opens what was seen", async () => {
    await figures(page);
    await item("is not Z").click();
    const address = page.url();
    const before = await app.get(`/api/drafts/${draft}`);
    await app.crash();
    await page.goto(address);
    await page.waitForFunction(() => document.querySelector('.item[aria-selected="true"]')?.textContent?.includes("is not Z"));
    const { sql: text, steps, title, question, trust } = await app.get(`/api/drafts/${draft}`);
    assert.deepEqual({ text, steps, title, question, trust }, { text: NET_SQL, steps: before.steps, title: before.title, question: NET, trust: before.trust });
    assert.equal((await app.get("/api/knowledge?trust=verified")).total, 1);
    await page.keyboard.press("Control+Shift+Z"); // what was undone before the crash can be redone after it
    await code("o.st").filter({ hasText: "in" }).waitFor();
    await button("Undo the last change").click();
    await code("o.st <> 7").waitFor();
  });

  it("goes on in the page that was open when the server is there again", async () => {
    await app.crash();
    await item("status of the order").click();
    await menu("status of the order", "Switch off");
    await page.locator(".diff del").first().waitFor();
    await button("Leave as it is").click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
  });

  it("asked no other place for anything, and nothing broke", clean);
});
