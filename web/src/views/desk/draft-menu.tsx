import { useState } from "react";
import { api, ok, problemOf } from "../../api/client";
import { go } from "../../lib/router";
import { useApp } from "../../state/app";
import { forgetDraft, useDesk } from "../../state/desk";
import { Dialog } from "../../ui/dialog";
import { Icon } from "../../ui/icons";
import { MenuButton, type MenuItem } from "../../ui/menu";

/** What can be done about a draft as a whole. */
export function DraftMenu() {
  const draft = useDesk((state) => state.draft);
  const say = useApp((state) => state.say);
  const [deleting, setDeleting] = useState(false);
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
  const items: MenuItem[] = [
    ...(draft.question ? [
      { label: "Change the question", act: () => useDesk.setState({ dialog: "question" }) },
      { label: draft.baseline ? "Compare with an answer from the history" : "Compare with an answer without the history", act: () => void compare() },
    ] : []),
    { label: "Teach sqlore this query", act: () => useDesk.setState({ dialog: "teach" }) },
    { label: "Copy the link", act: () => void navigator.clipboard.writeText(location.href).then(() => say("The link is copied")), apart: true },
    { label: "Delete the draft", act: () => setDeleting(true) },
  ];
  return (
    <>
      <MenuButton label="More about this draft" icon={<Icon name="more" />} items={items} />
      {deleting && <Delete id={draft.id} close={() => setDeleting(false)} />}
    </>
  );
}

function Delete({ id, close }: { id: string; close: () => void }) {
  const say = useApp((state) => state.say);
  const remove = async () => {
    try {
      await ok(api.DELETE("/api/drafts/{id}", { params: { path: { id } } }));
      forgetDraft(id);
      go("/");
    } catch (error) {
      say(problemOf(error).detail, "bad");
      close();
    }
  };
  return (
    <Dialog label="Delete the draft" className="refine" close={close}>
      <div>
        <h2>Delete this draft?</h2>
        <p>Its SQL and all its changes go. What was taught or verified of it stays.</p>
        <div className="actions">
          <button type="button" className="button" onClick={close} autoFocus>Keep it</button>
          <button type="button" className="button main" onClick={() => void remove()}>Delete</button>
        </div>
      </div>
    </Dialog>
  );
}
