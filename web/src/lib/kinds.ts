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
}

export type BadgeTone = "cited" | "verified" | "near" | "new" | "deprecated" | "none";

export interface BadgeText {
  tone: BadgeTone;
  short: string;
  long: string;
}

/** What a citation says of a piece, in a badge and in words. Null: it was not compared with any history. */
export function badgeOf(citation: Cited | null | undefined): BadgeText {
  if (!citation) return { tone: "none", short: "", long: "Not compared with the history" };
  if (citation.trust === "deprecated") {
    return { tone: "deprecated", short: "deprecated", long: "Somebody marked this knowledge as deprecated: do not use it" };
  }
  if (citation.status === "novel") {
    return { tone: "new", short: "new, unverified", long: "Nothing like it is in the history: check it" };
  }
  const scripts = many(citation.support, "script");
  if (citation.status === "near") {
    return { tone: "near", short: "near", long: `Like knowledge of ${scripts} of the history, but not the same` };
  }
  const values = citation.new_values?.length ? `, with values that are new: ${citation.new_values.join(", ")}` : "";
  if (citation.trust === "verified") return { tone: "verified", short: `verified, in ${scripts}`, long: `Verified, and used in ${scripts} of the history${values}` };
  return { tone: "cited", short: `in ${scripts}`, long: `Cited: used in ${scripts} of the history${values}` };
}
