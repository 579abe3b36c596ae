import type { DraftSummary, Holds } from "../../api/types";
import { ago, many } from "../../lib/format";
import { STATE, titleOf } from "../../state/drafts";
import { Badge } from "../../ui/bits";
import { Sql } from "../../ui/code-line";
import { Icon } from "../../ui/icons";
import { Link } from "../../ui/link";

/** One draft: what was asked, what became of it, and what its pieces rest on. */
export function DraftRow({ draft, remove }: { draft: DraftSummary; remove: () => void }) {
  const title = titleOf(draft);
  return (
    <li className="draft-row">
      <Link href={`/d/${draft.id}`} className="draft-open">
        <span className="draft-title">{title}</span>
        <span className="draft-facts">
          {draft.status !== "ready" && <span className="badge" data-tone={draft.status === "failed" ? "new" : undefined} title={draft.error ?? undefined}>{STATE[draft.status]}</span>}
          {draft.baseline && <span>without the history</span>}
          {draft.versions > 0 && <span>{many(draft.versions, "version")}</span>}
          {draft.holds && <Rests holds={draft.holds} />}
        </span>
        {draft.sql && <span className="draft-sql ellipsis"><Sql text={draft.sql.slice(0, 400).replace(/\s+/g, " ")} /></span>}
      </Link>
      <time className="quiet" dateTime={draft.changed} title={new Date(draft.changed).toLocaleString()}>{ago(draft.changed)}</time>
      <button type="button" className="button bare icon" aria-label={`Delete ${title}`} title="Delete" disabled={draft.status === "asking"} onClick={remove}>
        <Icon name="trash" />
      </button>
    </li>
  );
}

/** What the pieces rest on; what nobody checked stands out. */
export function Rests({ holds }: { holds: Holds }) {
  const { verified, cited, near, novel } = holds;
  const all = verified + cited + near + novel;
  return (
    <>
      {verified > 0 && <Badge badge={{ tone: "verified", short: verified === all ? "all verified" : `${verified} verified`, long: "Somebody verified these pieces" }} />}
      {cited > 0 && <span title="The history does these">{cited} cited</span>}
      {near > 0 && <Badge badge={{ tone: "near", short: `${near} near`, long: "The history does something alike" }} />}
      {novel > 0 && <Badge badge={{ tone: "new", short: `${novel} new`, long: "Nobody has checked these pieces" }} />}
    </>
  );
}
