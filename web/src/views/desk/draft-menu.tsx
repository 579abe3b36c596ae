import { api, ok, problemOf } from "../../api/client";
import { go } from "../../lib/router";
import { useApp } from "../../state/app";
import { removeDraft } from "../../state/drafts";
import { useDesk } from "../../state/desk";
import { Icon } from "../../ui/icons";
import { MenuButton, type MenuItem } from "../../ui/menu";

/** What can be done about a draft as a whole. */
export function DraftMenu() {
  const draft = useDesk((state) => state.draft);
  const say = useApp((state) => state.say);
  if (!draft) return null;
  const compare = async () => {
    try {
      const body = { question: draft.question, strategy: draft.strategy, baseline: !draft.baseline };
      const job = await ok(api.POST("/api/asks", { body }));
      if (job.draft) go(`/d/${job.draft}?view=compare&with=${draft.id}`);
    } catch (error) {
      say(problemOf(error).detail, "bad");
    }
  };
  const remove = async () => {
    if (await removeDraft(draft, () => go(`/d/${draft.id}`))) go("/drafts");
  };
  const items: MenuItem[] = [
    ...(draft.question ? [
      { label: "Change the question", act: () => useDesk.setState({ dialog: "question" }) },
      { label: draft.baseline ? "Compare with an answer from the history" : "Compare with an answer without the history", act: () => void compare() },
    ] : []),
    { label: "Teach sqlore this query", act: () => useDesk.setState({ dialog: "teach" }) },
    { label: "Copy the link", act: () => void navigator.clipboard.writeText(location.href).then(() => say("The link is copied")), apart: true },
    { label: "Delete the draft", act: () => void remove() },
  ];
  return <MenuButton label="More about this draft" icon={<Icon name="more" />} items={items} />;
}
