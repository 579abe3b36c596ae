// A review of tasks in a browser: two annotators, blind to each other, a discussion, a senior, agreement.
import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe } from "node:test";
import { cut, faults } from "./checks.mjs";
import { asked, browse, database, serve, skip, suite } from "./support.mjs";

const TASKS = [
  ["How many regions are there?", "SELECT COUNT(*) FROM region"],
  ["Which regions are big?", "SELECT nm FROM region"],
  ["How many refunds were granted?", "SELECT COUNT(*) FROM refund WHERE ok = 1"],
].map(([question, SQL], at) => ({ question_id: at + 1, db_id: "shop", question, SQL, history_knowledge: {} }));

/** `sqlore bench review --web` over the demo's database. */
async function review() {
  const folder = database();
  writeFileSync(join(folder, "tasks.json"), JSON.stringify(TASKS));
  const args = ["bench", "review", "--tasks", "tasks.json", "--reviews", "reviews", "--db", "shop.sqlite", "--web", "--port", "0"];
  const { address, stop } = await serve(folder, args);
  const { page, seen, leave } = await browse(address);
  await page.setViewportSize({ width: 1280, height: 900 });
  const close = async () => {
    await leave();
    await stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { page, seen, folder, address, close };
}

describe("reviewing tasks", { skip }, () => {
  let app;
  let page;
  const { it, button, heading, clean } = suite((started) => {
    app = started;
    page = app.page;
  }, review);

  const become = async (name) => {
    await page.getByLabel("Your name").fill(name);
    await page.keyboard.press("Enter");
  };

  it("asks who judges, and shows the first task with its rows", async () => {
    assert.match(app.address, /\/review$/);
    await page.goto(app.address);
    await heading("Who are you?").waitFor();
    assert.deepEqual(await faults(page), []);
    await become("anna");
    await heading(TASKS[0].question).waitFor();
    const [[regions]] = asked(app.folder, TASKS[0].SQL);
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
    const own = JSON.parse(readFileSync(join(app.folder, "reviews/annotators/anna.json"), "utf8")).tasks;
    assert.deepEqual(own.map((one) => [one.consistent, one.natural, one.unique]), [[true, true, true], [true, true, false]]);
  });

  it("proposes another wording, and shows the rows of other SQL before it is saved", async () => {
    await page.getByText("Change the question or the SQL").click();
    await page.getByLabel("SQL", { exact: true }).fill("SELECT nosuch FROM refund");
    await button("Show its rows").click();
    await page.getByRole("alert").filter({ hasText: "nosuch" }).waitFor();
    await button("Leave the task as it is").click();
    await page.getByText("Change the question or the SQL").click();
    await page.getByLabel("Question", { exact: true }).fill("How many refunds were paid out?");
    assert.deepEqual(await faults(page), []);
    for (const name of ["consistent", "natural", "unique"]) await page.locator(`input[name="${name}"]`).first().check();
    await button("Save and go on").click();
    await heading("You have judged every task").waitFor();
  });

  it("shows nobody what others said while somebody judges", async () => {
    await page.getByRole("tab", { name: "Discuss" }).click();
    await heading("The annotators are not done yet").waitFor();
    await button("Somebody else").click();
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
    await button("No agreement, a senior decides").click();
    await page.getByText("ben decides as the senior").waitFor();
    await button("It goes").click();
    await heading(TASKS[2].question).waitFor();
    assert.equal(await page.getByLabel("Question", { exact: true }).inputValue(), "How many refunds were paid out?");
    await button("It stays").click();
    await page.getByText("0 of 2 left").waitFor();
  });

  it("tells how well they agree, and saves the tasks that stay", async () => {
    await page.getByRole("tab", { name: "Agreement" }).click();
    const valid = page.getByRole("row", { name: /^valid/ });
    await valid.waitFor();
    // 2 of 3 units the same; AC1: chance 2 * (5/6) * (1/6) = 0.2778, so (0.6667 - 0.2778) / 0.7222
    assert.match(await valid.innerText(), /0\.667 \[.*0\.538 \[/s);
    assert.deepEqual(await faults(page), []);
    const [saved] = await Promise.all([page.waitForEvent("download"), button("Save the tasks that stay").click()]);
    assert.equal(saved.suggestedFilename(), "tasks.reviewed.json");
    const kept = JSON.parse(readFileSync(await saved.path(), "utf8"));
    assert.deepEqual(kept.map((one) => one.question), [TASKS[0].question, "How many refunds were paid out?"]);
    clean();
  });

  it("fits small screens and dark colours", async () => {
    await page.setViewportSize({ width: 720, height: 800 });
    for (const step of ["judge", "discuss", "agreement"]) {
      await page.goto(`${app.address}?step=${step}`);
      await page.emulateMedia({ colorScheme: "dark" });
      await page.waitForLoadState("networkidle");
      assert.deepEqual(await faults(page), [], step);
      assert.deepEqual(await cut(page), [], step);
    }
  });
});
