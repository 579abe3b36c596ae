import type { Kind, Status, Trust } from "../api/types";
import { many } from "./format";

export const KINDS = ["calculation", "condition", "relation", "dimension", "output"] as const;

/** With the whole queries, which are no pieces. */
export const ALL_KINDS = [...KINDS, "query"] as const;

export const KIND_ABOUT: Record<Kind, string> = {
  calculation: "How something is computed",
  condition: "Which rows count",
  relation: "How tables belong together",
  dimension: "What results are grouped by",
  output: "How results are sorted and cut",
  query: "A whole query",
};

export const KIND_PLURAL: Record<Kind, string> = {
  calculation: "calculations",
  condition: "conditions",
  relation: "relations",
  dimension: "dimensions",
  output: "outputs",
  query: "whole queries",
};

/** "26 calculations", "1 condition" without its number. */
export function kindName(kind: Kind, number: number): string {
  return number === 1 ? kind : KIND_PLURAL[kind];
}

interface Cited {
  status: Status;
  support: number;
  trust: Trust;
  new_values?: string[];
  synthetic?: boolean;
  /** How many of the scripts have the pattern with just this value. */
  with_values?: number | null;
  /** The history has only parameters there. */
  parameter?: boolean;
  /** What the authors of all its scripts say against them. */
  warning?: string;
  similarity?: number;
  description?: string;
}

export type BadgeTone = "cited" | "verified" | "near" | "new" | "deprecated" | "none";

export interface BadgeText {
  tone: BadgeTone;
  short: string;
  long: string;
}

/** What a citation says of a piece, in a badge and in words. Null: it was not compared with any history. */
export function badgeOf(citation: Cited | null | undefined): BadgeText {
  const said = withoutWarning(citation);
  if (!citation?.warning || citation.trust === "deprecated" || citation.status === "novel") return said;
  return { ...said, short: `${said.short}, with a warning`, long: `${said.long}; ${citation.support === 1 ? "its author warns" : "their authors warn"}: “${citation.warning}”` };
}

function withoutWarning(citation: Cited | null | undefined): BadgeText {
  if (!citation) return { tone: "none", short: "", long: "Not compared with the history" };
  if (citation.trust === "deprecated") {
    return { tone: "deprecated", short: "deprecated", long: "Somebody marked this knowledge as deprecated: do not use it" };
  }
  if (citation.status === "novel") {
    return { tone: "new", short: "new, unverified", long: "Nothing like it is in the history: check it" };
  }
  const scripts = many(citation.support, "script");
  if (citation.status === "near") {
    const alike = citation.similarity ? `${Math.round(citation.similarity * 100)} % alike: ` : "";
    return { tone: "near", short: citation.similarity ? `near, ${Math.round(citation.similarity * 100)} %` : "near", long: `${alike}the most similar piece of the history${citation.description ? `, “${citation.description}”,` : ""} is in ${scripts}, but it is not the same` };
  }
  const verified = citation.trust === "verified";
  const value = ofValue(citation);
  const tone = verified ? "verified" : "cited";
  if (value === null) {
    return verified
      ? { tone, short: `verified, in ${scripts}`, long: `Verified, and used in ${scripts} of the history` }
      : { tone, short: `in ${scripts}`, long: `Cited: used in ${scripts} of the history` };
  }
  const pattern = `The pattern is in ${scripts} of the history${verified ? " and verified" : ""}`;
  const never = citation.new_values?.length ? `, never with ${citation.new_values.join(", ")}${citation.parameter ? ", only ever with a parameter" : ""}` : "";
  return { tone, short: `${verified ? "pattern verified, " : ""}${value}`, long: `${pattern}; ${value}${never}` };
}

/** Whether the history has the pattern of a piece, but never with its value. */
export function valueIsNew(citation: Pick<Cited, "status" | "new_values" | "with_values" | "synthetic"> | null | undefined): boolean {
  return citation?.status === "cited" && !citation.synthetic && ((citation.new_values?.length ?? 0) > 0 || citation.with_values === 0);
}

/** How far the scripts of a pattern speak for the value that stands here; null where all of them do. */
function ofValue(citation: Cited): string | null {
  const { support, with_values: used } = citation;
  if (valueIsNew(citation)) return `0 of ${many(support, "script")} with this value`;
  if (used == null || citation.synthetic || used >= support) return null;
  return `${used} of ${many(support, "script")} with this value`;
}
