// A database without a history: the model writes examples, people look at each and say whether it is right.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe } from "node:test";
import { cut, faults } from "./checks.mjs";
import { asked, skip, start, suite } from "./support.mjs";

const TRAINING = `
database: school
ddl: |
  CREATE TABLE pupil (pupil_id INTEGER PRIMARY KEY, name TEXT, town TEXT, marks INTEGER);
pairs:
`;
const PAIRS = [
  ["How many pupils live in Bree?", "SELECT COUNT(*) FROM pupil WHERE town = 'Bree'", "How many customers have the account type C?", "SELECT COUNT(*) FROM cust WHERE acct_type = 'C'"],
  ["Who has the best marks?", "SELECT name FROM pupil ORDER BY marks DESC LIMIT 1", "Which plan costs the most?", "SELECT nm FROM plan ORDER BY fee_c DESC LIMIT 1"],
  ["How many marks has each town?", "SELECT town, SUM(marks) FROM pupil GROUP BY town", "What did each channel sell?", "SELECT ch, SUM(gross_c) FROM orders GROUP BY ch"],
];
const [COUNT, PLAN, CHANNEL] = PAIRS.map(([, , question, sql]) => ({ question, sql }));
const replies = Object.fromEntries(PAIRS.flatMap(([, pattern, question, sql]) => [
  [`Query: ${pattern}\n\nWrite`, "```sql\n" + sql + "\n```"],
  [`Query: ${sql}\n\nWhich question`, question],
]));

describe("reviewing the examples of a cold start", { skip }, () => {
  let app;
  let page;
  const { it, button, heading, clean } = suite((started) => {
    app = started;
    page = app.page;
    const pairs = PAIRS.map(([question, sql]) => `  - question: ${question}\n    sql: ${JSON.stringify(sql)}\n`);
    writeFileSync(join(app.folder, "school.yaml"), TRAINING + pairs.join(""));
  }, () => start({ cold: true, replies, env: { SQLORE_TRAINING: "school.yaml" } }));
  const state = async (sql) => (await app.get("/api/examples")).examples.find((one) => one.sql === sql)?.state;
  const title = (text) => page.getByRole("heading", { level: 1, name: text }).waitFor();
  const reviewed = (text) => page.locator(".examples-head", { hasText: text }).waitFor();
  const file = () => readFileSync(join(app.folder, ".sqlore/prepared", readdirSync(join(app.folder, ".sqlore/prepared")).find((one) => one.endsWith(".yaml"))), "utf8");

  it("says what this is for where there are none, and leads to where they are written", async () => {
    await page.goto(`${app.address}/examples`);
    await heading("There are no examples to review").waitFor();
    assert.deepEqual(await faults(page), []);
    await page.getByRole("link", { name: "Write examples" }).click();
    await button("Write examples").click();
    await page.getByText("3 of 3 examples run on this database").waitFor();
    await page.getByRole("link", { name: "Review the examples" }).click();
  });

  it("shows the first that waits, with its rows", async () => {
    await title(COUNT.question);
    const [[customers]] = asked(app.folder, COUNT.sql);
    await page.getByRole("gridcell", { name: customers.toLocaleString("en"), exact: true }).waitFor();
    await reviewed("0 of 3 reviewed");
    await page.getByText("It waits: nobody has approved or rejected it.").waitFor();
  });

  it("approves by a key, learns it as verified, and goes on", async () => {
    await page.keyboard.press("a");
    await title(PLAN.question);
    await reviewed("1 of 3 reviewed");
    assert.equal(await state(COUNT.sql), "approved");
    await page.waitForFunction(async () => (await (await fetch("/api/knowledge?trust=verified")).json()).total > 0);
    const { items } = await app.get("/api/knowledge?trust=verified");
    assert.deepEqual(items.map((one) => one.sql), [COUNT.sql]);
    await page.keyboard.press("k");
    await title(COUNT.question);
    assert.match(await page.locator(".example-said").innerText(), /Approved by \S+, just now/);
    assert.match(file(), /approved: true\n {2}by: /);
  });

  it("corrects question and SQL, and says what is wrong with SQL that does not run", async () => {
    await page.keyboard.press("j");
    await title(PLAN.question);
    await page.keyboard.press("e");
    await page.waitForFunction(() => document.activeElement?.id === "example-question");
    await page.keyboard.press("Control+a");
    await page.keyboard.type("Which plan is the cheapest?");
    await page.getByLabel("SQL", { exact: true }).fill("SELECT nosuch FROM plan");
    await page.keyboard.press("Control+Enter");
    await page.getByRole("alert").filter({ hasText: "nosuch" }).waitFor();
    assert.deepEqual(await faults(page), []);
    const cheap = PLAN.sql.replace("DESC", "ASC");
    await page.getByLabel("SQL", { exact: true }).fill(cheap);
    await button("Show its rows").click();
    await page.getByRole("gridcell", { name: asked(app.folder, cheap)[0][0], exact: true }).waitFor();
    await button("Save and approve Ctrl Enter").click();
    await title(CHANNEL.question);
    assert.equal(await state(cheap), "approved");
    assert.equal(await state(PLAN.sql), undefined);
  });

  it("rejects, takes that back by keyboard, and lets it wait again", async () => {
    await page.keyboard.press("r");
    await reviewed("3 of 3 reviewed");
    await page.getByText("it is not learned, and not made again").waitFor();
    await page.waitForFunction(async () => (await (await fetch("/api/health")).json()).held.scripts === 2);
    await page.keyboard.press("Control+z");
    await reviewed("2 of 3 reviewed");
    assert.equal(await state(CHANNEL.sql), "waiting");
    await button("Reject R").click();
    await reviewed("3 of 3 reviewed");
    await button("Let it wait again W").click();
    await reviewed("2 of 3 reviewed");
  });

  it("searches and filters, and an address opens one", async () => {
    await button("approved 2").click();
    await page.waitForFunction(() => document.querySelectorAll(".examples .list-row").length === 2);
    await page.getByLabel("Search the examples").fill("account");
    await page.waitForFunction(() => document.querySelectorAll(".examples .list-row").length === 1);
    await page.locator(".examples .list-row").click();
    await page.waitForURL(/\/examples\/[0-9a-f]+\?/);
    await page.reload();
    await title(COUNT.question);
    await page.keyboard.press("Control+k");
    await page.keyboard.type("review the examples");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/examples$/);
    await title(CHANNEL.question);
  });

  it("is right for axe and cuts nothing off, light and dark, at 1280x720 and at 200 %", async () => {
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      assert.deepEqual([...(await faults(page)), ...(await cut(page))], []);
    }
    await page.setViewportSize({ width: 640, height: 360 });
    assert.deepEqual(await cut(page), []); // the list alone
    await page.locator(".examples .list-row").first().click();
    await title(COUNT.question);
    assert.deepEqual(await cut(page), []);
    await button("Edit E").click();
    assert.deepEqual(await cut(page), []);
  });

  it("asked no other place for anything, and nothing broke", clean);
});
