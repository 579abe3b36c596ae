import { many } from "./format";
import type { Mark } from "./marks";

type Chip = Pick<Mark, "status" | "support" | "used">;

/** A citation in the gutter beside its sign: in how many scripts it is, or that it is new; that it is near, the sign says alone. */
export function chipText(mark: Chip): string {
  if (mark.status !== "cited") return mark.status === "novel" ? "new" : "";
  return mark.used == null ? String(mark.support) : `${mark.used}/${mark.support}`;
}

/** The sign of the command line: that of a value which the history never had there is another. */
export function chipSign(mark: Chip): string {
  return mark.status === "cited" && mark.used === 0 ? "new_value" : (mark.status ?? "novel");
}

/** To what a piece is near, and how alike the two are: only the neighbour is in the history. */
export function nearTo({ similarity, like }: Pick<Mark, "similarity" | "like">): string {
  const percent = similarity ? `near, ${Math.round(similarity * 100)} %` : "near";
  return `${percent}: like ${like ? `“${like}”` : "knowledge"} of the history, but not the same`;
}

export function chipTitle(mark: Chip & Pick<Mark, "kind" | "similarity" | "like">): string {
  const scripts = many(mark.support, "script");
  const cited = mark.used == null ? `in ${scripts} of the history` : `${mark.used} of ${scripts} with this value`;
  const origin = { cited, near: nearTo(mark), novel: "new, unverified" };
  return `${mark.kind}: ${origin[mark.status ?? "novel"]}`;
}

/** The name of a chip for those who hear it: what stands on it is a part of it. */
export function chipName(mark: Chip & Pick<Mark, "kind" | "similarity" | "like">): string {
  const title = chipTitle(mark), text = chipText(mark);
  return title.includes(text) ? title : `${title}, ${text}`;
}
