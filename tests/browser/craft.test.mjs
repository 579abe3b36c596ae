// How the app is made: keyboard alone, faults that are said with care, every view for axe and in small windows, large SQL.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { CHURN, NET, NET_SQL } from "./answers.mjs";
import { cut, faults } from "./checks.mjs";
import { figures, skip, suite } from "./support.mjs";

const LARGE = 350 * 1024;

/** A query of `count` subqueries in a row, each of a table or of one before. */
function chain(count) {
  const parts = Array.from({ length: count }, (_, at) =>
    at < 3 ? `s${at} AS (SELECT id, gross_c AS c FROM orders WHERE ch = '${"WAP"[at]}')` : `s${at} AS (SELECT id, c + ${at} AS c FROM s${at - (at % 3) - 1} WHERE c > ${at})`,
  );
  return `WITH ${parts.join(",\n")}\nSELECT COUNT(*) AS n, SUM(c) AS total FROM s${count - 1}`;
}

/** A query of some 2,000 lines. */
function long() {
  const cases = Array.from({ length: 1990 }, (_, at) => `    WHEN id = ${at} THEN ${at % 7}`);
  return `SELECT SUM(CASE\n${cases.join("\n")}\n    ELSE 0\n  END) AS weight\nFROM orders\nWHERE st <> 7\n  AND ch = 'W'`;
}

describe("the craft of the app", { skip }, () => {
  let app;
  let page;
  let draft;
  const { it, button, clean } = suite((started) => {
    app = started;
    page = app.page;
  });
  const focused = (test) => page.waitForFunction(test);
  const ask = async (question) => {
    await page.goto(app.address);
    await page.getByLabel("What do you want to know?").fill(question);
    await page.keyboard.press("Control+Enter");
    await page.waitForURL(/\/d\//);
  };

  it("loads little at first", async () => {
    await page.goto(app.address, { waitUntil: "networkidle" });
    const sent = await page.evaluate(() => [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
      .filter((one) => !one.name.includes("/api/")).map((one) => [one.name, one.transferSize]));
    const total = sent.reduce((sum, [, size]) => sum + size, 0);
    assert.ok(total > 20_000 && total < LARGE, `${total} bytes: ${JSON.stringify(sent)}`);
    assert.ok(!sent.some(([name]) => /code-editor|flow-pane|grid/.test(name)), "editor, flow and grid come later");
  });

  it("goes the whole way by keyboard alone", async () => {
    await page.goto(app.address);
    await focused(() => document.activeElement?.id === "question");
    await page.keyboard.type(NET);
    await page.keyboard.press("Control+Enter");
    await page.waitForURL(/\/d\//);
    draft = new URL(page.url()).pathname.split("/")[2];
    await figures(page);
    const role = () => page.evaluate(() => document.activeElement?.getAttribute("role"));
    for (let presses = 0; (await role()) !== "treeitem"; presses++) {
      assert.ok(presses < 40, "Tab does not lead to the pieces");
      await page.keyboard.press("Tab");
    }
    const there = () => page.evaluate(() => document.activeElement?.textContent ?? "");
    await page.keyboard.press("Home");
    for (let presses = 0; !(await there()).includes("status of the order"); presses++) {
      assert.ok(presses < 30, "the arrows do not lead to every piece");
      const before = await there();
      await page.keyboard.press("ArrowDown");
      await page.waitForFunction((text) => document.activeElement?.textContent !== text, before);
    }
    await page.keyboard.press("Enter");
    await focused(() => document.activeElement?.getAttribute("role") === "menuitem");
    for (let presses = 0; (await there()) !== "Switch off"; presses++) {
      assert.ok(presses < 10, "the arrows do not lead through the menu");
      await page.keyboard.press("ArrowDown");
    }
    await page.keyboard.press("Enter");
    await focused(() => document.activeElement?.textContent === "Apply");
    await page.keyboard.press("Enter");
    await page.locator(".off-item").waitFor();
    await figures(page);
    await focused(() => document.activeElement?.textContent === "Bring back"); // the piece is gone, the focus is where it went
    await page.keyboard.press("Control+z");
    await page.locator(".off-item").waitFor({ state: "detached" });
    await figures(page);
    await focused(() => document.activeElement?.matches('.item[aria-selected="true"]') && document.activeElement.textContent.includes("status of the order"));
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("Control+e");
    await focused(() => document.activeElement?.className.includes("cm-content"));
    await page.keyboard.press("Escape");
    await page.locator(".cm-content").waitFor({ state: "detached" });
    assert.equal((await app.get(`/api/drafts/${draft}`)).sql, NET_SQL);
  });

  const views = [
    ["start", "/", () => page.locator(".draft-list").waitFor()],
    ["known", "/", async () => {
      await page.getByLabel("What do you want to know?").fill(CHURN);
      await page.locator(".known-kinds li").first().waitFor();
    }],
    ["draft", () => `/d/${draft}`, () => figures(page)],
    ["piece", null, async () => {
      await page.getByRole("treeitem", { name: /status of the order/ }).click();
      await page.locator(".item-facts dl").waitFor();
    }],
    ["menu", null, () => page.getByRole("treeitem", { name: /status of the order/ }).locator("[aria-haspopup]").click()],
    ["alternatives", null, async () => {
      await page.getByRole("menuitem", { name: "Alternatives" }).click();
      await page.locator(".options li").first().waitFor();
    }],
    ["difference", null, async () => {
      await page.locator(".options button").first().click();
      await page.locator(".diff ins").first().waitFor();
    }],
    ["chart", null, async () => {
      await button("Leave as it is").click();
      await page.getByRole("tab", { name: "Chart" }).click();
      await page.locator(".bars li").first().waitFor();
    }],
    ["keys", null, async () => {
      await button("Keys").click();
      await page.getByRole("heading", { name: "Changing something" }).waitFor();
    }],
    ["flow", () => `/d/${draft}?view=flow`, () => page.locator(".card").first().waitFor()],
    ["what was known", () => `/d/${draft}?view=known`, () => page.locator(".known-side li").first().waitFor()],
    ["changes", () => `/d/${draft}?view=steps`, () => page.locator(".steps li, .desk-side .state").first().waitFor()],
    ["editor", null, async () => {
      await button("Edit").click();
      await page.locator(".cm-content").waitFor();
    }],
    ["palette", null, async () => {
      await page.keyboard.press("Control+k");
      await page.getByRole("option").first().waitFor();
    }],
    ["knowledge", "/knowledge", () => page.locator(".list-row").first().waitFor()],
    ["item", null, async () => {
      await page.locator(".list-row").first().click();
      await page.locator(".detail h1").waitFor();
    }],
    ["drafts", "/drafts", () => page.locator(".draft-row").first().waitFor()],
    ["dictionary", "/dictionary/cust", () => page.locator(".columns").waitFor()],
    ["learn", "/learn", () => page.locator(".known-scripts").waitFor()],
    ["settings", "/settings", () => page.locator(".setting-list").first().waitFor()],
    ["missing", "/nowhere", () => page.getByText("There is no such page").waitFor()],
  ];

  const open = async ([, path, settle]) => {
    if (path !== null) await page.goto(app.address + (typeof path === "function" ? path() : path));
    await settle();
  };
  const said = (where, texts) => texts.map((text) => `${where}: ${text}`);

  it("is right for axe in every view, light and dark, and nothing is cut off at 1280x720 and at 200 %", async () => {
    const found = [];
    for (const view of views) {
      await open(view);
      found.push(...said(`${view[0]}, light`, await faults(page)), ...said(view[0], await cut(page)));
      await page.emulateMedia({ colorScheme: "dark" });
      found.push(...said(`${view[0]}, dark`, await faults(page, ["color-contrast"])));
      await page.emulateMedia({ colorScheme: "light" });
      if (view[0] === "menu") continue; // it closes as the window changes
      await page.setViewportSize({ width: 640, height: 360 }); // what 200 % leaves of 1280x720
      found.push(...said(`${view[0]}, 200 %`, await cut(page)));
      await page.setViewportSize({ width: 1280, height: 720 });
    }
    assert.deepEqual(found, []);
  });

  it("says that the model is down, keeps the question, and goes on when it is back", async () => {
    const back = await app.withoutModel();
    await ask(CHURN);
    await page.getByRole("heading", { name: "There is no SQL for this question yet" }).waitFor();
    assert.match(await page.locator(".state").innerText(), /The model stub cannot be reached/);
    await page.getByRole("heading", { name: CHURN }).waitFor();
    await page.locator(".known-kinds li").first().waitFor(); // what is known needs no model
    assert.deepEqual(await faults(page), []);
    await back();
    await button("Ask again").click();
    await page.locator(".chip").first().waitFor();
    await page.getByRole("heading", { name: CHURN }).waitFor();
  });

  it("says what a model answered where it gave no SQL", async () => {
    await ask("What is the meaning of life?");
    await page.getByRole("heading", { name: "There is no SQL for this question yet" }).waitFor();
    await page.getByText("The answer holds no SQL").first().waitFor();
    await page.locator(".state").getByRole("link", { name: "Another question" }).waitFor();
  });

  it("says what a query fails with when it runs", async () => {
    const broken = await app.draft("SELECT abs(id - id - 9223372036854775807 - 1) AS x FROM orders");
    await page.goto(`${app.address}/d/${broken}`);
    await page.locator(".data-body [role=alert]", { hasText: "overflow" }).waitFor();
    assert.deepEqual(await faults(page), []);
  });

  it("says that a draft is not there", async () => {
    await page.goto(`${app.address}/d/${"a".repeat(16)}`);
    await page.getByText("This draft is not here").waitFor();
    await page.getByRole("link", { name: "Ask a question", exact: true }).waitFor();
  });

  it("shows 2,000 lines of SQL, to their end", async () => {
    const id = await app.draft(long());
    await page.goto(`${app.address}/d/${id}`);
    await page.locator(".chip").first().waitFor();
    assert.ok((await page.locator(".code-line").count()) < 200, "only what is in sight is drawn");
    await page.getByRole("treeitem", { name: /ch \(channel\)/ }).click();
    await page.waitForFunction(() => [...document.querySelectorAll(".within")].map((one) => one.textContent).join("") === "ch = 'W'");
    await page.keyboard.press("Control+e");
    await page.locator(".cm-content").waitFor();
    await page.keyboard.press("Control+End");
    await page.locator(".cm-line", { hasText: "AND ch = 'W'" }).waitFor();
    await page.keyboard.press("Escape");
  });

  it("draws a flow of 60 cards, where each can be chosen", async () => {
    const id = await app.draft(chain(60));
    await page.goto(`${app.address}/d/${id}?view=flow`);
    await page.locator(".card").first().waitFor();
    await page.goto(`${app.address}/d/${id}?view=flow&node=${encodeURIComponent("cte:s30")}`);
    await page.locator(".react-flow__node.selected", { hasText: "s30" }).waitFor();
    await page.getByRole("heading", { name: "Rows of s30" }).waitFor();
    await page.locator('[aria-label^="cte s33,"]').click();
    await page.getByRole("heading", { name: "Rows of s33" }).waitFor();
  });

  it("asked no other place for anything, and nothing broke", clean);
});
