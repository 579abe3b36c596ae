// A real `sqlore serve` over the demo's history, a model that answers from a table, and Debian's Chromium.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, it } from "node:test";
import { fileURLToPath } from "node:url";
import { answers } from "./answers.mjs";
import { startModel } from "./model.mjs";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const require = createRequire(join(ROOT, "web/package.json"));
const { chromium } = require("playwright-core");

const BIN = join(ROOT, ".venv/bin");
const LEARNED = join(ROOT, "web/build/demo");
const FROM = ["demo", "src/sqlore/history", "src/sqlore/knowledge", "src/sqlore/sql", "src/sqlore/catalog"];
export const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
export const skip = existsSync(CHROMIUM) ? false : `there is no ${CHROMIUM}; CHROMIUM=FILE names another`;
const ENV = { ...process.env, SQLORE_ALLOW_MODEL_REQUESTS: "1", SQLORE_API_KEY: "none", OMP_NUM_THREADS: "1" };

/** Whether the local model's weights are on this machine. */
export function hasWeights() {
  const done = spawnSync(join(BIN, "sqlore"), ["models", "list", "--json"], { env: ENV, encoding: "utf8" });
  return done.status === 0 && done.stdout.includes('"file"');
}

function run(program, args, cwd) {
  const done = spawnSync(program, args, { cwd, env: ENV, encoding: "utf8" });
  if (done.status !== 0) throw new Error(`${program} ${args.join(" ")}\n${done.stderr || done.error}`);
  return done.stdout;
}

/** When the newest file of a folder was changed. */
function newest(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile() && /\.(py|sql|yaml)$/.test(one.name));
  return Math.max(...files.map((one) => statSync(join(one.parentPath ?? one.path, one.name)).mtimeMs));
}

/** The demo's database and what was learned of its history, made once for a state of the code and copied for each run. */
function learned() {
  const done = join(LEARNED, "shop.sqlore");
  const made = existsSync(done) ? statSync(done).mtimeMs : 0;
  if (FROM.some((one) => made < newest(join(ROOT, one)))) learn();
  const folder = mkdtempSync(join(tmpdir(), "sqlore-browser-"));
  cpSync(LEARNED, folder, { recursive: true });
  return folder;
}

function learn() {
  mkdirSync(dirname(LEARNED), { recursive: true });
  const fresh = mkdtempSync(`${LEARNED}-`); // beside it, so that another run never finds a half of it
  run(join(BIN, "python"), [join(ROOT, "demo/make_data.py"), "shop.sqlite"], fresh);
  const source = ["--history", join(ROOT, "demo/history"), "--dictionary", join(ROOT, "demo/dictionary.yaml")];
  run(join(BIN, "sqlore"), ["learn", "--db", "shop.sqlite", "--store", "shop.sqlore", ...source], fresh);
  rmSync(LEARNED, { recursive: true, force: true });
  renameSync(fresh, LEARNED);
}

/** Runs `sqlore` as a server in a folder, until it says its address; `stop` ends it, `kill` as a crash would. */
export async function serve(folder, args, more = {}) {
  const child = spawn(join(BIN, "sqlore"), args, { cwd: folder, env: { ...ENV, ...more } });
  let said = "";
  child.stderr.on("data", (text) => (said += text));
  const ended = new Promise((done) => child.once("exit", done));
  const address = await new Promise((found, failed) => {
    child.stdout.once("data", (text) => found(String(text).trim()));
    void ended.then(() => failed(new Error(`the server ended: ${said}`)));
  });
  const end = (signal) => {
    child.kill(signal);
    return ended;
  };
  return { address: address.replace(/\/$/, ""), stop: () => end("SIGINT"), kill: () => end("SIGKILL") };
}

/** The demo's database alone, in a folder of its own. */
export function database() {
  const folder = mkdtempSync(join(tmpdir(), "sqlore-browser-"));
  run(join(BIN, "python"), [join(ROOT, "demo/make_data.py"), "shop.sqlite"], folder);
  return folder;
}

/** What a page does that it must not: errors, requests that leave the machine, what the content policy forbids. */
function watch(context, page, address) {
  const seen = { errors: [], external: [] };
  page.on("pageerror", (error) => seen.errors.push(error.message));
  page.on("console", (message) => {
    if (/Content Security Policy|Warning: /.test(message.text())) seen.errors.push(message.text());
  });
  context.on("request", (request) => {
    const url = request.url();
    if (!/^(data|blob):/.test(url) && !url.startsWith(`${address}/`)) seen.external.push(url);
  });
  return seen;
}

/** A page in a browser that reaches nothing but this machine, and what it did that it must not. */
export async function browse(address) {
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"],
  });
  const { origin } = new URL(address);
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, reducedMotion: "reduce", locale: "en-GB" });
  context.setDefaultTimeout(60_000);
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin });
  const page = await context.newPage();
  return { page, seen: watch(context, page, origin), leave: () => browser.close() };
}

/**
 * Everything that a test needs; `close` takes it down. `local` asks the real local model, else answers are replayed:
 * those of the demo, or others. `cold`: nothing was learned. `env` are more settings.
 */
export async function start({ local = false, cold = false, replies = answers, env = {} } = {}) {
  const folder = cold ? database() : learned();
  let model = await startModel(replies);
  const args = ["serve", "--db", "shop.sqlite", "--store", "shop.sqlore", "--dictionary", join(ROOT, "demo/dictionary.yaml")];
  const up = (port = 0) => serve(folder, [...args, "--port", String(port), "--model", local ? "local" : model.spec], env);
  let server = await up();
  const { page, seen, leave } = await browse(server.address);
  const port = Number(new URL(server.address).port);
  return {
    page,
    seen,
    folder,
    address: server.address,
    get model() {
      return model;
    },
    /** Kills the server as a crash would and starts it again at the same address. */
    async crash() {
      await server.kill();
      server = await up(port);
    },
    /** The model is gone, until the function that this gives is called. */
    async withoutModel() {
      await model.close();
      return async () => {
        model = await startModel(replies, { port: model.port });
      };
    },
    /** A draft of SQL that was written by hand; its id. */
    async draft(sql, question = "") {
      const made = await page.request.post(`${server.address}/api/drafts`, { data: { sql, question }, headers: { origin: server.address } });
      if (!made.ok()) throw new Error(await made.text());
      return (await made.json()).id;
    },
    /** What the server says at an address. */
    async get(path) {
      return (await page.request.get(server.address + path)).json();
    },
    async close() {
      await leave();
      await server.stop();
      await model.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What every suite has: `use` gets what `begin` starts before its tests; it is closed behind them. */
export function suite(use, begin = start) {
  let app;
  before(async () => {
    app = await begin();
    use(app);
  });
  after(async () => app?.close());
  return {
    it: steps(() => app?.page),
    button: (name) => app.page.getByRole("button", { name, exact: true }),
    heading: (name) => app.page.getByRole("heading", { name }),
    /** Nothing was asked of another place, and nothing broke. */
    clean: () => assert.deepEqual(app.seen, { errors: [], external: [] }),
  };
}

/** What the database itself says, asked past the app. */
export function asked(folder, sql) {
  const script = "import json,sqlite3,sys; print(json.dumps(sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchall()))";
  return JSON.parse(run(join(BIN, "python"), ["-c", script, join(folder, "shop.sqlite"), sql], folder));
}

/** `it` for steps that go on from each other: after one that failed the rest is skipped, and a picture of the page is kept. */
function steps(page) {
  let failed = null;
  return (name, work) =>
    it(name, async (test) => {
      if (failed) return test.skip(`because of: ${failed}`);
      try {
        return await work(test);
      } catch (error) {
        failed = name;
        await page()?.screenshot({ path: join(ROOT, "web/build/failed.png") });
        throw error;
      }
    });
}

/** Waits until all figures of the draft are there. */
export async function figures(page) {
  await page.waitForFunction(() => document.querySelector('[role="tree"][aria-busy="false"] .item .figure') !== null);
}
