import { api, ok, problemOf } from "../../api/client";
import type { ExplainedItem } from "../../api/types";
import { nearTo } from "../../lib/chips";
import { sentence } from "../../lib/format";
import { go } from "../../lib/router";
import { useApp } from "../../state/app";
import { useDesk } from "../../state/desk";
import { Icon } from "../../ui/icons";
import { MenuButton, type MenuItem } from "../../ui/menu";
import type { Change } from "./refine";

/** What can be done about one piece. */
export function ItemMenu({ item, change, tabIndex }: { item: ExplainedItem; change: (change: Change) => void; tabIndex: number }) {
  const say = useApp((state) => state.say);
  const { refresh, id, draft } = useDesk();
  const fixed = item.number == null ? { disabled: true, title: "It has no text of its own that could be changed: edit the whole SQL" } : {};
  const reason = unverifiable(item);
  const known = item.citation?.item;
  const verify = async () => {
    if (known == null || id === null) return;
    try {
      await ok(api.POST("/api/knowledge/{id}/trust", { params: { path: { id: known } }, body: { trust: "verified", why: "checked in a draft" } }));
      say(item.citation?.with_values == null ? "Verified: this knowledge is trusted from now on" : "Verified: the pattern, whatever the value, is trusted from now on");
      await refresh(); // its citations say so now
    } catch (error) {
      say(problemOf(error).detail, "bad");
    }
  };
  const items: MenuItem[] = [
    { label: "Say what to change", act: () => change({ how: "wish", item }), ...fixed },
    { label: "Edit its SQL", act: () => change({ how: "edit", item }), ...fixed },
    { label: "Alternatives from the history", act: () => change({ how: "choose", item }), ...fixed },
    { label: "Switch off", act: () => change({ how: "off", item }), ...fixed },
    ...(known != null ? [
      { label: "Verify", hint: reason?.short, title: reason?.long, act: () => void verify(), disabled: reason !== undefined, apart: true },
      { ...origin(item), act: () => go(`/knowledge/${known}`) },
    ] : draft?.baseline ? [] : [
      { label: "Teach it with this query", act: () => useDesk.setState({ dialog: "teach" }), apart: true },
    ]),
    {
      label: "Copy its SQL",
      act: () => void navigator.clipboard.writeText(item.sql).then(() => say("The piece is copied")),
      apart: known == null,
    },
  ];
  return <MenuButton label={`Change: ${item.name || item.kind}`} icon={<Icon name="more" />} items={items} tabIndex={tabIndex} />;
}

/** Why a piece cannot be verified, in a few words and in a sentence. */
export function unverifiable(item: Pick<ExplainedItem, "citation">): { short: string; long: string } | undefined {
  if (item.citation?.trust === "verified") return { short: "verified already", long: "Somebody verified this pattern already, whatever the value" };
  if (item.citation?.status === "cited") return undefined;
  return { short: "only near: teach it first", long: "Only its neighbour is in the history, not this piece: teach sqlore this query, then it can be verified" };
}

/** The way to the knowledge of a piece: where it is only near, that is its neighbour, and says so. */
export function origin({ citation }: Pick<ExplainedItem, "citation">): Pick<MenuItem, "label" | "hint" | "title"> {
  if (citation?.status !== "near") return { label: "Where it comes from" };
  const hint = citation.similarity ? `only a neighbour, ${Math.round(citation.similarity * 100)} %` : "only a neighbour";
  return { label: "What it is near to", hint, title: sentence(nearTo({ similarity: citation.similarity, like: citation.description })) };
}
