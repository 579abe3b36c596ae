// With the real local model, where its weights are on the machine: what it writes differs, what must hold does not.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { asked, figures, hasWeights, skip, start, suite } from "./support.mjs";

const QUESTION = "Why did consumers churn in calendar year 2024? Number of subscriptions for each reason.";
const LONG = { timeout: 300_000 };
const missing = skip || (hasWeights() ? false : "the local model is not on this machine: sqlore models fetch");

describe("the local model's answer can be checked and corrected", { skip: missing }, () => {
  let app;
  let page;
  let draft;
  const { it } = suite((started) => {
    app = started;
    page = app.page;
  }, () => start({ local: true }));
  const state = () => app.get(`/api/drafts/${draft}`);

  it("writes SQL that runs, each piece with its citation, and shows its rows", async () => {
    await page.goto(app.address);
    await page.getByLabel("What do you want to know?").fill(QUESTION);
    await page.locator(".known-kinds li").first().waitFor();
    await page.keyboard.press("Control+Enter");
    await page.waitForURL(/\/d\/[a-z2-7]{16}/, LONG);
    draft = new URL(page.url()).pathname.split("/")[2];
    await page.locator(".chip").first().waitFor(LONG);
    const { sql } = await state();
    assert.equal((await page.locator(".code-text").allInnerTexts()).join("\n"), sql);
    const rows = asked(app.folder, sql);
    assert.ok(rows.length > 0);
    assert.equal(await page.getByRole("row").count(), rows.length + 1);
  });

  it("tells of a condition what the database says", async () => {
    await figures(page);
    const condition = page.getByRole("treeitem").filter({ hasText: /\d of [\d,]+ rows/ }).first();
    await condition.click();
    const facts = await page.locator(".item-facts dl").innerText();
    const counts = [...facts.matchAll(/\d[\d,]*/g)].map((match) => Number(match[0].replaceAll(",", "")));
    assert.equal(counts.length, 3);
    assert.ok(counts[0] >= counts[1] && counts[1] >= counts[2], facts);
  });

  it("switches one piece off, changes nothing else, and takes it back", async () => {
    const before = (await state()).sql;
    const condition = page.getByRole("treeitem").filter({ hasText: /\d of [\d,]+ rows/ }).first();
    await condition.hover();
    await condition.locator("[aria-haspopup]").click();
    await page.getByRole("menuitem", { name: "Switch off" }).click();
    await page.getByRole("button", { name: "Apply", exact: true }).click();
    await page.waitForFunction((text) => [...document.querySelectorAll(".code-text")].map((line) => line.textContent).join("\n") !== text, before);
    const after = (await state()).sql;
    assert.ok(after.length < before.length);
    await page.getByRole("button", { name: "Undo the last change", exact: true }).click();
    await page.waitForFunction((text) => [...document.querySelectorAll(".code-text")].map((line) => line.textContent).join("\n") === text, before);
    assert.equal((await state()).sql, before);
    assert.deepEqual(app.seen.external, []);
  });
});
