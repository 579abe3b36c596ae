import type { ReactNode } from "react";
import type { Problem } from "../api/types";
import { sentence } from "../lib/format";
import { type BadgeText, badgeOf } from "../lib/kinds";
import { Icon } from "./icons";

type Citation = Parameters<typeof badgeOf>[0];

/** Where a piece of knowledge comes from, in two words. */
export function Badge({ citation, badge = badgeOf(citation) }: { citation?: Citation; badge?: BadgeText }) {
  if (badge.short === "") return null;
  return (
    <span className="badge" data-tone={badge.tone} title={badge.long}>
      {badge.tone === "verified" && <Icon name="check" size={12} />}
      {badge.short}
      {badge.tone === "near" && <span className="hidden">: {badge.long}</span>}
    </span>
  );
}

/** What went wrong, what to do about it, and buttons that do it. */
export function ProblemNote({ problem, children }: { problem: Problem; children?: ReactNode }) {
  return (
    <div className="problem" role="alert">
      <h3>{problem.title}</h3>
      <p>{sentence(problem.detail)}</p>
      {problem.hint && <p className="quiet">{sentence(problem.hint)}</p>}
      {children && <div className="actions" style={{ marginTop: "0.5rem" }}>{children}</div>}
    </div>
  );
}

export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="state">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

export function Waiting({ children }: { children: ReactNode }) {
  return <span className="waiting" role="status">{children}</span>;
}
