// A review of tasks in a browser: two annotators, blind to each other, a discussion, a senior, agreement.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { cut, faults } from "./checks.mjs";
import { asked, CHROMIUM, ROOT, skip } from "./support.mjs";

const require = createRequire(join(ROOT, "web/package.json"));
const { chromium } = require("playwright-core");
const BIN = join(ROOT, ".venv/bin");
const TASKS = [
  ["How many regions are there?", "SELECT COUNT(*) FROM region"],
  ["Which regions are big?", "SELECT nm FROM region"],
  ["How many refunds were granted?", "SELECT COUNT(*) FROM refund WHERE ok = 1"],
].map(([question, SQL], at) => ({ question_id: at + 1, db_id: "shop", question, SQL, history_knowledge: {} }));

/** `sqlore bench review --web` over the demo's database. */
async function serve(folder) {
  const made = spawnSync(join(BIN, "python"), [join(ROOT, "demo/make_data.py"), "shop.sqlite"], { cwd: folder, encoding: "utf8" });
  assert.equal(made.status, 0, made.stderr);
  writeFileSync(join(folder, "tasks.json"), JSON.stringify(TASKS));
  const args = ["bench", "review", "--tasks", "tasks.json", "--reviews", "reviews", "--db", "shop.sqlite", "--web", "--port", "0"];
  const child = spawn(join(BIN, "sqlore"), args, { cwd: folder, env: { ...process.env, OMP_NUM_THREADS: "1" } });
  let said = "";
  child.stderr.on("data", (text) => (said += text));
  const address = await new Promise((found, failed) => {
    child.stdout.once("data", (text) => found(String(text).trim()));
    child.once("exit", () => failed(new Error(`the server ended: ${said}`)));
  });
  const ended = new Promise((done) => child.once("exit", done));
  return { address, stop: () => (child.kill("SIGINT"), ended) };
}

describe("reviewing tasks", { skip }, () => {
  let folder;
  let server;
  let browser;
  let page;
  const errors = [];
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "sqlore-review-"));
    server = await serve(folder);
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: "reduce" });
    context.setDefaultTimeout(6_000);
    page = await context.newPage();
    page.on("pageerror", (error) => errors.push(error.message));
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const become = async (name) => {
    await page.getByLabel("Your name").fill(name);
    await page.keyboard.press("Enter");
  };
  const heading = (text) => page.getByRole("heading", { name: text });

  it("asks who judges, and shows the first task with its rows", async () => {
    assert.match(server.address, /\/review$/);
    await page.goto(server.address);
    await heading("Who are you?").waitFor();
    assert.deepEqual(await faults(page), []);
    await become("anna");
    await heading(TASKS[0].question).waitFor();
    const [[regions]] = asked(folder, TASKS[0].SQL);
    await page.getByRole("gridcell", { name: String(regions), exact: true }).waitFor();
    assert.deepEqual(await faults(page), []);
  });

  it("takes a judgement by keyboard alone", async () => {
    for (const key of ["y", "y", "y"]) await page.keyboard.press(key);
    await page.keyboard.press("Control+Enter");
    await heading(TASKS[1].question).waitFor();
    await page.getByText("1 of 3 judged").waitFor();
    for (const key of ["y", "y", "n"]) await page.keyboard.press(key);
    await page.getByLabel("Why, where something is wrong").fill("what is big?");
    await page.keyboard.press("Control+Enter");
    await heading(TASKS[2].question).waitFor();
    const own = JSON.parse(readFileSync(join(folder, "reviews/annotators/anna.json"), "utf8")).tasks;
    assert.deepEqual(own.map((one) => [one.consistent, one.natural, one.unique]), [[true, true, true], [true, true, false]]);
  });

  it("proposes another wording, and shows the rows of other SQL before it is saved", async () => {
    await page.getByText("Change the question or the SQL").click();
    await page.getByLabel("SQL", { exact: true }).fill("SELECT nosuch FROM refund");
    await page.getByRole("button", { name: "Show its rows" }).click();
    await page.getByRole("alert").filter({ hasText: "nosuch" }).waitFor();
    await page.getByRole("button", { name: "Leave the task as it is" }).click();
    await page.getByText("Change the question or the SQL").click();
    await page.getByLabel("Question", { exact: true }).fill("How many refunds were paid out?");
    assert.deepEqual(await faults(page), []);
    for (const name of ["consistent", "natural", "unique"]) await page.locator(`input[name="${name}"]`).first().check();
    await page.getByRole("button", { name: "Save and go on" }).click();
    await heading("You have judged every task").waitFor();
  });

  it("shows nobody what others said while somebody judges", async () => {
    await page.getByRole("tab", { name: "Discuss" }).click();
    await heading("The annotators are not done yet").waitFor();
    await page.getByRole("button", { name: "Somebody else" }).click();
    await page.getByRole("tab", { name: "Judge" }).click();
    await become("ben");
    for (const task of TASKS) {
      await heading(task.question).waitFor();
      assert.doesNotMatch(await page.locator("main").innerText(), /what is big\?|paid out/);
      for (const key of ["y", "y", "y"]) await page.keyboard.press(key);
      await page.keyboard.press("Control+Enter");
    }
    await heading("You have judged every task").waitFor();
  });

  it("lets the annotators discuss, and a senior decide", async () => {
    await page.getByRole("tab", { name: "Discuss" }).click();
    await heading(TASKS[1].question).waitFor();
    await page.getByText("not unique").waitFor();
    await page.getByText("what is big?").waitFor();
    assert.deepEqual(await faults(page), []);
    await page.getByRole("button", { name: "No agreement, a senior decides" }).click();
    await page.getByText("ben decides as the senior").waitFor();
    await page.getByRole("button", { name: "It goes" }).click();
    await heading(TASKS[2].question).waitFor();
    assert.equal(await page.getByLabel("Question", { exact: true }).inputValue(), "How many refunds were paid out?");
    await page.getByRole("button", { name: "It stays" }).click();
    await page.getByText("0 of 2 left").waitFor();
  });

  it("tells how well they agree, and saves the tasks that stay", async () => {
    await page.getByRole("tab", { name: "Agreement" }).click();
    const valid = page.getByRole("row", { name: /^valid/ });
    await valid.waitFor();
    // 2 of 3 units the same; AC1: chance 2 * (5/6) * (1/6) = 0.2778, so (0.6667 - 0.2778) / 0.7222
    assert.match(await valid.innerText(), /0\.667 \[.*0\.538 \[/s);
    assert.deepEqual(await faults(page), []);
    const [saved] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save the tasks that stay" }).click()]);
    assert.equal(saved.suggestedFilename(), "tasks.reviewed.json");
    const kept = JSON.parse(readFileSync(await saved.path(), "utf8"));
    assert.deepEqual(kept.map((one) => one.question), [TASKS[0].question, "How many refunds were paid out?"]);
    assert.deepEqual(errors, []);
  });

  it("fits small screens and dark colours", async () => {
    await page.setViewportSize({ width: 720, height: 800 });
    for (const step of ["judge", "discuss", "agreement"]) {
      await page.goto(`${server.address}?step=${step}`);
      await page.emulateMedia({ colorScheme: "dark" });
      await page.waitForLoadState("networkidle");
      assert.deepEqual(await faults(page), [], step);
      assert.deepEqual(await cut(page), [], step);
    }
  });
});
