// The places beside a draft: knowledge, dictionary, learning, settings, and the palette that leads to them.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { BEGUN, WHOLE } from "./answers.mjs";
import { cut, faults } from "./checks.mjs";
import { skip, suite } from "./support.mjs";

describe("knowledge, dictionary and learning", { skip }, () => {
  let app;
  let page;
  const { it, button, heading, clean } = suite((started) => {
    app = started;
    page = app.page;
  });
  const rows = () => page.locator(".list-row");

  it("goes everywhere by the palette, from its first key", async () => {
    await page.goto(app.address);
    await page.locator(".held").waitFor();
    for (const [typed, path] of [["dictionary", "/dictionary"], ["learn a", "/learn"], ["settings", "/settings"], ["knowledge", "/knowledge"]]) {
      await page.keyboard.press("Control+k");
      await page.keyboard.type(typed);
      await page.keyboard.press("Enter");
      await page.waitForURL((url) => url.pathname.startsWith(path));
    }
    await page.keyboard.press("Control+k");
    await page.keyboard.type("status of the order");
    await page.getByRole("option", { name: /status of the order/ }).first().waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  });

  it("searches knowledge as questions do, and filters it", async () => {
    const all = await app.get("/api/knowledge");
    await page.locator(".list-tools [role=status]", { hasText: `${all.total} found` }).waitFor();
    await page.getByRole("button", { name: "conditions", exact: true }).click(); // heard once, not "condition conditions"
    await page.waitForFunction(() => [...document.querySelectorAll(".list-row")].every((row) => row.dataset.kind === "condition"));
    await page.getByLabel("Search the knowledge").fill("granted refunds");
    const searched = await app.get("/api/knowledge/search?text=granted+refunds&kind=condition&limit=200");
    const found = searched.filter((one) => one.score >= 0.35 * searched[0].score); // the rest is noise, and not shown
    assert.ok(found.length > 0 && found.length < all.total);
    const first = found[0].item.sql.replace(/\s+/g, " ");
    await page.locator(".list-tools [role=status]", { hasText: `${found.length} found` }).waitFor();
    await rows().first().filter({ hasText: first }).waitFor();
    assert.match(page.url(), /kind=condition&q=granted/);
    await page.reload();
    await rows().first().filter({ hasText: first }).waitFor();
    await page.getByLabel("Search the knowledge").fill("");
    await page.locator(".kind-chip[data-kind=condition]").click();
  });

  it("verifies a piece and says who did and when; takes it back", async () => {
    await page.goto(`${app.address}/knowledge?kind=condition`);
    await rows().first().click();
    await button("Verify").click();
    await button("Take the verification back").waitFor();
    assert.match(await page.locator(".facts").innerText(), /verified by \S+, just now/);
    await page.reload();
    await button("Take the verification back").click();
    await page.getByRole("dialog").getByRole("button", { name: "Set it back" }).click();
    await button("Verify").waitFor();
    await page.locator(".changes li", { hasText: "trust" }).first().waitFor();
  });

  it("renames a piece, with the reason kept", async () => {
    await button("Rename").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("customers that are no test accounts");
    await dialog.getByLabel(/Reason/).fill("Z is a test account");
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "Customers that are no test accounts" }).waitFor();
    await page.locator(".changes", { hasText: "Z is a test account" }).waitFor();
  });

  it("puts a piece into a draft: the one that was open last, after its change was seen", async () => {
    await app.draft("SELECT cd FROM region", "All regions");
    const open = await app.draft("SELECT nm FROM cust WHERE reg = 'DE'", "Customers of Germany");
    await page.goto(`${app.address}/d/${open}`);
    await page.locator(".item").first().waitFor();
    const found = (await app.get("/api/knowledge?kind=condition&table=cust&limit=50")).items.find((one) => one.sql === "cust.acct_type <> 'Z'");
    await page.goto(`${app.address}/knowledge/${found.id}`);
    await button("Add to a draft …").click();
    const titles = page.locator(".option-title");
    await titles.first().filter({ hasText: "Customers of Germany" }).filter({ hasText: "open last" }).waitFor();
    assert.deepEqual([...(await faults(page)), ...(await cut(page))], []);
    await page.getByLabel("Find a draft").fill("all regions");
    await page.waitForFunction(() => document.querySelectorAll(".option-title").length === 1);
    await page.getByLabel("Find a draft").fill("");
    await titles.nth(1).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => url.pathname === `/d/${open}`);
    await page.locator(".diff ins", { hasText: "acct_type <> 'Z'" }).waitFor();
    assert.deepEqual([...(await faults(page)), ...(await cut(page))], []);
    await page.getByLabel("Value 1").fill("C");
    await page.keyboard.press("Enter");
    await page.locator(".diff ins", { hasText: "acct_type <> 'C'" }).waitFor();
    assert.doesNotMatch((await app.get(`/api/drafts/${open}`)).sql, /acct_type/);
    await button("Apply").click();
    await page.locator(".code-text", { hasText: "acct_type <> 'C'" }).waitFor();
    assert.match((await app.get(`/api/drafts/${open}`)).sql, /^SELECT nm FROM cust WHERE reg = 'DE' AND acct_type <> 'C'$/i); // in the letters of a script
  });

  it("says in the gutter, in the graph and in the menu what a piece is near to, and how alike", async () => {
    const sql = "SELECT COUNT(*) AS n FROM cust c WHERE c.acct_type > 'Z'";
    const made = await page.request.post(`${app.address}/api/explanations`, { data: { sql }, headers: { origin: app.address } });
    const near = (await made.json()).nodes.flatMap((node) => node.items).find((one) => one.citation?.status === "near");
    const said = `near, ${Math.round(near.citation.similarity * 100)} %: like “${near.citation.description}”`;
    await page.goto(`${app.address}/d/${await app.draft(sql)}`);
    await page.waitForFunction((text) => [...document.querySelectorAll(".chip")].some((one) => one.title.includes(text) && one.ariaLabel.includes(text)), said);
    const row = page.locator(".item", { has: page.locator('[data-tone="near"]') });
    await row.locator("[aria-haspopup]").click();
    assert.match(await page.getByRole("menuitem", { name: /^Verify/ }).getAttribute("title"), /Only its neighbour is in the history/);
    assert.match(await page.getByRole("menuitem", { name: /^What it is near to.*only a neighbour/ }).getAttribute("title"), new RegExp(near.citation.description.slice(0, 12)));
    await page.keyboard.press("Escape");
    await page.getByRole("tab", { name: "Flow" }).click();
    await page.locator('.card li .sign[data-status="near"]').waitFor();
    await page.waitForFunction((text) => [...document.querySelectorAll(".card li")].some((one) => one.title.includes(text)), said);
    await page.waitForFunction((text) => [...document.querySelectorAll(".react-flow__node")].some((one) => one.ariaLabel.includes(text)), said);
  });

  it("says why a piece does not fit a draft", async () => {
    const draft = await app.draft("SELECT r.nm FROM region r JOIN cust c ON c.reg = r.cd", "Regions of customers");
    const edge = (await app.get("/api/knowledge?kind=relation&limit=100")).items.find((one) => one.form === "edge" && one.tables.join() === "cust,region");
    await page.goto(`${app.address}/knowledge/${edge.id}?to=draft`);
    await page.getByRole("button", { name: /Regions of customers/ }).click();
    await page.waitForURL((url) => url.pathname === `/d/${draft}`);
    await heading("This piece does not fit here").waitFor();
    await page.getByRole("alert").filter({ hasText: "tables that are here already" }).waitFor();
    await button("Choose another draft").click();
    await page.getByRole("dialog", { name: "Add to a draft" }).waitFor();
    await page.keyboard.press("Escape");
  });

  it("edits the dictionary where it stands", async () => {
    await page.goto(`${app.address}/dictionary/param`);
    await page.getByRole("button", { name: /^Describe (it: )?param/ }).click();
    const text = "named values of the business, such as the day of the snapshot";
    await page.getByLabel("Description of param", { exact: true }).fill(text);
    await button("Save").click();
    await page.getByText("written here").first().waitFor();
    const { description, source } = await app.get("/api/dictionary/table?name=param");
    assert.deepEqual({ description, source }, { description: text, source: "person" });
    await page.locator(".list-row", { hasText: text }).waitFor();
  });

  it("lets the model complete a description that was begun", async () => {
    const described = async () => (await app.get("/api/knowledge?table=orders&column=st&limit=200")).items.map((one) => one.description);
    const before = await described();
    await page.goto(`${app.address}/dictionary/orders`);
    await page.getByRole("button", { name: /^Describe st:/ }).click();
    const field = page.getByLabel("Description of st", { exact: true });
    await field.fill(BEGUN);
    await button("Complete it").click();
    await page.waitForFunction((text) => document.activeElement?.value === text, WHOLE);
    await page.keyboard.press("Control+Enter");
    await page.getByRole("button", { name: `Describe st: ${WHOLE}` }).waitFor();
    await page.getByText(/pieces? of knowledge described anew/).waitFor();
    const told = await described();
    assert.equal(told.length, before.length);
    assert.ok(told.some((text) => !before.includes(text)), told.join("\n"));
  });

  it("learns pasted SQL and says what was not understood", async () => {
    const before = (await app.get("/api/knowledge")).total;
    await page.goto(`${app.address}/learn`);
    await page.getByLabel("Or paste SQL").fill("-- Customers of each region\nSELECT reg, COUNT(*) FROM cust WHERE created > '2023-03-03' GROUP BY reg;\n\nSELEKT x FRM y;");
    await button("Learn").click();
    await page.getByRole("heading", { name: "1 script learned" }).waitFor();
    await page.locator(".known-scripts summary", { hasText: "pasted" }).first().click();
    await page.locator("details[open] pre", { hasText: "SELEKT x FRM y" }).waitFor();
    assert.ok((await app.get("/api/knowledge")).total > before);
    await page.getByRole("link", { name: /pieces of knowledge/ }).click();
    await rows().first().waitFor();
  });

  it("learns a file", async () => {
    await page.goto(`${app.address}/learn`);
    const buffer = Buffer.from("-- Plans by price\nSELECT p.nm FROM plan p WHERE p.fee_c > 1500 ORDER BY p.fee_c DESC;\n");
    await page.getByLabel("Files of a history").setInputFiles({ name: "plans.sql", mimeType: "text/plain", buffer });
    await page.getByText("plans.sql").waitFor();
    await button("Learn").click();
    await page.locator(".report").waitFor();
  });

  it("changes a setting and says what it does not accept", async () => {
    await page.goto(`${app.address}/settings`);
    const field = page.locator("input.field[type=number]").first();
    const name = await field.getAttribute("name");
    const { value } = (await app.get("/api/settings")).find((one) => one.name === name);
    await field.fill(String(value + 1));
    const saved = page.waitForResponse((response) => response.url().endsWith("/api/settings") && response.request().method() === "PATCH");
    await field.press("Enter");
    assert.equal((await saved).status(), 200);
    assert.equal((await app.get("/api/settings")).find((one) => one.name === name).value, value + 1);
    await field.fill("-1");
    await field.press("Enter");
    await page.locator(".setting-list [role=alert]").waitFor();
    await page.getByLabel("Keep an event log").click();
    await page.locator("label:has(input:checked)", { hasText: "Keep an event log" }).waitFor();
    assert.equal((await app.get("/api/app")).logging, true);
  });

  it("asked no other place for anything, and nothing broke", clean);
});
