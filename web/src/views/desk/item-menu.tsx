import { api, ok, problemOf } from "../../api/client";
import type { ExplainedItem } from "../../api/types";
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
  const fixed = item.number == null;
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
    { label: "Say what to change", act: () => change({ how: "wish", item }), disabled: fixed },
    { label: "Edit its SQL", act: () => change({ how: "edit", item }), disabled: fixed },
    { label: "Alternatives from the history", act: () => change({ how: "choose", item }), disabled: fixed },
    { label: "Switch off", act: () => change({ how: "off", item }), disabled: fixed },
    ...(known != null ? [
      { label: "Verify", hint: unverifiable(item), act: () => void verify(), disabled: unverifiable(item) !== undefined, apart: true },
      { label: item.citation?.status === "near" ? "What it is near to" : "Where it comes from", act: () => go(`/knowledge/${known}`) },
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

/** Why a piece cannot be verified. */
export function unverifiable(item: Pick<ExplainedItem, "citation">): string | undefined {
  if (item.citation?.trust === "verified") return "verified already";
  return item.citation?.status === "cited" ? undefined : "only near: teach it first";
}
