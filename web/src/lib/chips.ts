import type { Mark } from "./marks";

/** A citation in the gutter: how often it was used, or that it is new. */
export function chipText(mark: Pick<Mark, "status" | "support">): string {
  return mark.status === "novel" ? "new" : mark.status === "near" ? "≈" : String(mark.support);
}

export function chipTitle(mark: Pick<Mark, "kind" | "status" | "support">): string {
  const times = mark.support === 1 ? "once" : `${mark.support} times`;
  const origin = { cited: `used ${times} in the history`, near: "like knowledge of the history", novel: "new, unverified" };
  return `${mark.kind}: ${origin[mark.status ?? "novel"]}`;
}
