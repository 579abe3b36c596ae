// What a first visit loads, compressed: the page, its script and style, what they import at once, and the fonts.
import { readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const LIMIT = 350 * 1024;
const folder = new URL("../../src/sqlore/interfaces/http/static/", import.meta.url);
const page = readFileSync(new URL("index.html", folder), "utf8");
const named = [...page.matchAll(/(?:src|href)="\/([^"]+)"/g)].map((match) => match[1]);
const fonts = readdirSync(new URL("assets", folder)).filter((name) => /-latin-wght.*\.woff2$/.test(name)).map((name) => `assets/${name}`);
const sizes = ["index.html", ...named, ...fonts].map((name) => [name, gzipSync(readFileSync(new URL(name, folder))).length]);
const total = sizes.reduce((sum, [, size]) => sum + size, 0);
for (const [name, size] of sizes) console.log(`${(size / 1024).toFixed(1).padStart(7)} KB  ${name}`);
console.log(`${(total / 1024).toFixed(1).padStart(7)} KB  first load, of ${LIMIT / 1024}`);
if (total > LIMIT) {
  console.error("the first load is too large");
  process.exit(1);
}
