import { useState } from "react";
import { api, ok, problemOf } from "../../api/client";
import type { Act, Problem, Proposal } from "../../api/types";
import { useApp } from "../../state/app";
import { useDesk } from "../../state/desk";

/** A change of the open draft that is proposed, looked at, and applied; `close` is called when it was. */
export function useProposal(close: () => void) {
  const { id, changed } = useDesk();
  const say = useApp((state) => state.say);
  const [proposal, setProposal] = useState<Proposal | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false);

  const ask = async (act: Act) => {
    if (id === null) return;
    setBusy(true);
    setProblem(null);
    try {
      setProposal(await ok(api.POST("/api/drafts/{id}/proposals", { params: { path: { id } }, body: act })));
    } catch (error) {
      setProblem(problemOf(error));
    }
    setBusy(false);
  };
  const apply = async () => {
    if (id === null || proposal === null) return;
    setBusy(true);
    try {
      const draft = await ok(api.POST("/api/drafts/{id}/proposals/{proposal}/apply", { params: { path: { id, proposal: proposal.id } } }));
      say("Changed. Undo brings it back.");
      close();
      changed(draft, proposal);
    } catch (error) {
      setProblem(problemOf(error));
      setBusy(false);
    }
  };
  return { id, proposal, setProposal, problem, setProblem, busy, setBusy, ask, apply };
}
