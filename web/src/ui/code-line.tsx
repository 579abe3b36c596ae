import type { Token } from "../lib/sql";
import { tokens } from "../lib/sql";
import { useMemo } from "react";

/** A piece of SQL in colour, for lists and previews. */
export function Sql({ text, block = false }: { text: string; block?: boolean }) {
  const found = useMemo(() => tokens(text), [text]);
  const spans = found.map((token: Token) =>
    token.type === "space" ? text.slice(token.start, token.end) : (
      <span key={token.start} className={`t-${token.type}`}>{text.slice(token.start, token.end)}</span>
    ),
  );
  return block ? <pre className="sql">{spans}</pre> : <code className="sql">{spans}</code>;
}
