import { many } from "./format";
import type { Mark } from "./marks";

/** A citation in the gutter beside its sign: in how many scripts it is, or that it is new; that it is near, the sign says alone. */
export function chipText(mark: Pick<Mark, "status" | "support">): string {
  return mark.status === "novel" ? "new" : mark.status === "near" ? "" : String(mark.support);
}

export function chipTitle(mark: Pick<Mark, "kind" | "status" | "support">): string {
  const origin = { cited: `in ${many(mark.support, "script")} of the history`, near: "near: like knowledge of the history, but not the same", novel: "new, unverified" };
  return `${mark.kind}: ${origin[mark.status ?? "novel"]}`;
}
