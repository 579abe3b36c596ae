// What holds in every view: axe finds nothing serious, and nothing is cut off.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { ROOT } from "./support.mjs";

const AXE = readFileSync(createRequire(join(ROOT, "web/package.json")).resolve("axe-core/axe.min.js"), "utf8");

/** The serious and critical faults that axe finds in the page as it is; `rules` are those that are looked for, or all. */
export async function faults(page, rules = null) {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(AXE);
  const options = { resultTypes: ["violations"], ...(rules && { runOnly: { type: "rule", values: rules } }) };
  const found = await page.evaluate((wanted) => globalThis.axe.run(document, wanted), options);
  return found.violations
    .filter((one) => one.impact === "serious" || one.impact === "critical")
    .flatMap((one) => one.nodes.slice(0, 3).map((node) => `${one.id}: ${node.target.join(" ")}: ${(node.failureSummary ?? "").split("\n")[1]?.trim()}`));
}

/** What cannot be read or reached: wider than the window, outside of it where nothing scrolls, or clipped without an ellipsis. */
export function cut(page) {
  return page.evaluate(() => {
    const found = [];
    const root = document.documentElement;
    if (root.scrollWidth > root.clientWidth) found.push(`the page is ${root.scrollWidth - root.clientWidth} px too wide`);
    const name = (element) => `${element.tagName.toLowerCase()}.${String(element.className).replaceAll(" ", ".")} "${(element.textContent || element.ariaLabel || "").trim().slice(0, 40)}"`;
    const of = (element) => getComputedStyle(element);
    const hides = (overflow) => overflow === "hidden" || overflow === "clip";
    const parents = (element) => {
      const all = [];
      for (let one = element.parentElement; one; one = one.parentElement) all.push(one);
      return all;
    };
    for (const element of document.querySelectorAll("h1, h2, h3, p, a, button, input, select, textarea, label, dt, dd, th, [role='tab'], [role='treeitem']")) {
      const box = element.getBoundingClientRect();
      if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) || box.width === 0 || element.closest(".hidden, .skip, .react-flow")) continue;
      const around = parents(element);
      const style = of(element);
      const free = !/^(input|textarea|select)$/i.test(element.tagName);
      const scrollsAside = around.some((one) => /auto|scroll/.test(of(one).overflowX) && one.scrollWidth > one.clientWidth);
      const scrollsDown = around.some((one) => /auto|scroll/.test(of(one).overflowY) && one.scrollHeight > one.clientHeight);
      if (!scrollsAside && (box.left < -1 || box.right > innerWidth + 1)) found.push(`${name(element)} lies beyond the side`);
      if (!scrollsDown && (box.top < -1 || box.bottom > innerHeight + 1)) found.push(`${name(element)} lies beyond the end`);
      if (free && hides(style.overflowX) && style.textOverflow !== "ellipsis" && element.scrollWidth > element.clientWidth + 1) found.push(`${name(element)} is cut at the side`);
      const clamped = style.webkitLineClamp !== "none";
      if (free && hides(style.overflowY) && !clamped && element.scrollHeight > element.clientHeight + 2) found.push(`${name(element)} is cut at the end`);
      const window = around.find((one) => hides(of(one).overflowX) && of(one).textOverflow !== "ellipsis");
      const edge = window?.getBoundingClientRect();
      if (edge && !scrollsAside && box.right > edge.right + 1) found.push(`${name(element)} is cut by ${name(window)}`);
    }
    return [...new Set(found)];
  });
}
