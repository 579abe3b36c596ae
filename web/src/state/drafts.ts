import { api, ok, problemOf } from "../api/client";
import type { DraftSummary } from "../api/types";
import { useApp } from "./app";
import { forgetDraft } from "./desk";

type Named = Pick<DraftSummary, "title" | "question">;

/** The states of a draft as people say them. */
export const STATE: Record<DraftSummary["status"], string> = {
  asking: "being answered",
  ready: "ready",
  failed: "no SQL",
  cancelled: "stopped",
  interrupted: "interrupted",
};

/** What a draft goes by. */
export function titleOf(draft: Named): string {
  return draft.title || draft.question || "SQL by hand";
}

/** Deletes a draft and offers to bring it back, after which `back` is called; says what went wrong, and then false. */
export async function removeDraft(draft: Named & { id: string }, back: () => void): Promise<boolean> {
  const path = { id: draft.id };
  const { say } = useApp.getState();
  const restore = async () => {
    try {
      await ok(api.POST("/api/drafts/{id}/restore", { params: { path } }));
      back();
    } catch (error) {
      say(problemOf(error).detail, "bad");
    }
  };
  try {
    await ok(api.DELETE("/api/drafts/{id}", { params: { path } }));
  } catch (error) {
    say(problemOf(error).detail, "bad");
    return false;
  }
  forgetDraft(draft.id);
  const title = titleOf(draft);
  say(`Deleted: ${title.length > 60 ? `${title.slice(0, 57)}…` : title}`, "plain", { label: "Undo", act: () => void restore() });
  return true;
}
