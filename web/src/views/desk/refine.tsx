import { type FormEvent, useEffect, useRef, useState } from "react";
import { api, ok, problemOf } from "../../api/client";
import { listen } from "../../api/events";
import type { Act, ExplainedItem, Problem, Proposal, RefineOption, Step } from "../../api/types";
import { many, sentence } from "../../lib/format";
import { matches } from "../../lib/keys";
import { elapsed } from "../../lib/waiting";
import { useDesk } from "../../state/desk";
import { ProblemNote, Waiting } from "../../ui/bits";
import { Dialog } from "../../ui/dialog";
import { KindIcon } from "../../ui/icons";
import { Additions } from "./additions";
import { unfenced } from "./asking";
import { OptionList } from "./option-list";
import { Review } from "./review";
import { useProposal } from "./use-proposal";

/** What somebody wants to do about one piece. */
export type Change =
  | { how: "wish" | "edit" | "choose" | "off"; item: ExplainedItem }
  | { how: "on"; step: Step }
  | { how: "pick"; scope: string };

/** A change from the wish to the diff to its application. Nothing is applied before the diff was seen. */
export function Refine({ change, close }: { change: Change; close: () => void }) {
  const { id, proposal, setProposal, problem, setProblem, busy, setBusy, ask, apply } = useProposal(close);
  const [written, setWritten] = useState<Written>(NOTHING);
  const stop = useRef(() => {});
  useEffect(() => () => stop.current(), []);

  const wish = async (number: number, words: string) => {
    if (id === null) return;
    setBusy(true);
    setProblem(null);
    try {
      const job = await ok(api.POST("/api/drafts/{id}/wishes", { params: { path: { id } }, body: { number, words } }));
      setWritten({ ...NOTHING, began: Date.now() });
      stop.current = listen(job.id, {
        token: ({ text }) => setWritten((before) => ({ ...before, text: before.text + text, tokens: before.tokens + 1 })),
        proposal: (event) => setProposal(event.proposal),
        problem: (event) => setProblem(event.problem),
        end: () => setBusy(false),
      }, () => setBusy(false));
    } catch (error) {
      setProblem(problemOf(error));
      setBusy(false);
    }
  };
  const immediate = change.how === "off" || change.how === "on";
  const at = useRef(false);
  useEffect(() => {
    if (at.current) return; // these need no words: they are proposed at once
    at.current = true;
    if (change.how === "off") void ask({ act: "off", number: change.item.number ?? 0, joins: "same" });
    if (change.how === "on") void ask({ act: "on", step: change.step.number });
  });

  return (
    <Dialog label="Change one piece" className="refine" close={close}>
      {proposal ? (
        <Review proposal={proposal} problem={problem} busy={busy} apply={() => void apply()} back={immediate ? undefined : () => setProposal(null)} close={close}>
          {change.how === "off" && proposal.act === "off" && <WithJoins number={change.item.number ?? 0} busy={busy} proposal={proposal} choose={setProposal} />}
        </Review>
      ) : (
        <Wanted change={change} busy={busy} written={written} problem={problem} close={close} ask={(act) => void ask(act)} wish={(number, words) => void wish(number, words)} />
      )}
    </Dialog>
  );
}

/** What the model writes of a wish: the text, its tokens, and since when, in milliseconds. */
interface Written {
  text: string;
  tokens: number;
  began: number;
}

const NOTHING: Written = { text: "", tokens: 0, began: 0 };

interface WantedProps {
  change: Change;
  busy: boolean;
  /** What the model has said so far. */
  written: Written;
  problem: Problem | null;
  close: () => void;
  ask: (act: Act) => void;
  wish: (number: number, words: string) => void;
}

const TITLES: Record<Change["how"], string> = {
  wish: "Say what to change",
  edit: "Edit this piece",
  choose: "Alternatives from the history",
  off: "Switch this piece off",
  on: "Bring this piece back",
  pick: "Add a piece of the history",
};

function Wanted({ change, busy, written, problem, close, ask, wish }: WantedProps) {
  const item = "item" in change ? change.item : null;
  const [text, setText] = useState(change.how === "edit" && item ? item.sql : "");
  const send = (event?: FormEvent) => {
    event?.preventDefault();
    if (!item || busy || text.trim() === "") return;
    if (change.how === "wish") wish(item.number ?? 0, text.trim());
    if (change.how === "edit") ask({ act: "edit", number: item.number ?? 0, text });
  };
  return (
    <form onSubmit={send} onKeyDown={(event) => {
      const enter = change.how === "wish" && event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing && event.target instanceof HTMLTextAreaElement;
      if (!enter && !matches("mod+enter", event.nativeEvent)) return;
      event.preventDefault();
      send();
    }}>
      <h2>{TITLES[change.how]}</h2>
      {item && <p className="about"><KindIcon kind={item.kind} /> {sentence(item.description || item.name)}</p>}
      {change.how === "wish" && (
        <>
          <label className="hidden" htmlFor="wish">What to change</label>
          <textarea id="wish" className="field" rows={2} autoFocus value={text} aria-describedby="wish-keys" placeholder="only 2016, or: count each customer once" onChange={(event) => setText(event.target.value)} />
          <p id="wish-keys" className="quiet">Enter shows the change, Shift+Enter begins a new line.</p>
        </>
      )}
      {change.how === "edit" && (
        <>
          <label className="hidden" htmlFor="fragment">The SQL of this piece</label>
          <textarea id="fragment" className="field mono" rows={Math.min(14, text.split("\n").length + 1)} autoFocus spellCheck={false} value={text}
            onChange={(event) => setText(event.target.value)} />
        </>
      )}
      {change.how === "choose" && item && <Options item={item} choose={(one) => ask({ act: "choose", number: item.number ?? 0, item: one.item, text: one.sql })} />}
      {change.how === "pick" && <Additions scope={change.scope} choose={ask} />}
      {busy && written.text && <pre className="sql written">{unfenced(written.text)}</pre>}
      {problem && <ProblemNote problem={problem} />}
      <div className="actions">
        {busy && change.how === "wish" && written.began > 0 && <HowLong written={written} />}
        {busy && <Waiting>{change.how === "wish" ? "Changing the piece" : "Looking what changes"}</Waiting>}
        <button type="button" className="button" onClick={close}>Cancel</button>
        {(change.how === "wish" || change.how === "edit") && (
          <button type="submit" className="button main" disabled={busy || text.trim() === ""}>Show the change</button>
        )}
      </div>
    </form>
  );
}

/** How long a wish takes so far, and how much the model has written. */
function HowLong({ written: { began, tokens } }: { written: Written }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const clock = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(clock);
  }, []);
  const wrote = tokens > 0 ? `, ${many(tokens, "token")} written` : "";
  return <span className="quiet">{elapsed(now - began)}{wrote}</span>;
}

function Options({ item, choose }: { item: ExplainedItem; choose: (option: RefineOption) => void }) {
  const id = useDesk((state) => state.id);
  const [options, setOptions] = useState<RefineOption[] | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  useEffect(() => {
    if (id === null) return;
    const path = { id, number: item.number ?? 0 };
    ok(api.GET("/api/drafts/{id}/items/{number}/alternatives", { params: { path, query: { limit: 12 } } })).then(setOptions, (error) => setProblem(problemOf(error)));
  }, [id, item]);
  if (problem) return <ProblemNote problem={problem} />;
  if (options === null) return <Waiting>Looking in the history</Waiting>;
  if (options.length === 0) return <p>The history has no other {item.kind} that fits in this place.</p>;
  return <OptionList options={options} choose={choose} />;
}

/** Whether the joins that only the piece needed go too, where there are any that would stay. */
function WithJoins(props: { number: number; busy: boolean; proposal: Proposal; choose: (proposal: Proposal) => void }) {
  const { number, proposal, choose } = props;
  const id = useDesk((state) => state.id);
  const kept = useRef(proposal);
  const [all, setAll] = useState<Proposal | null>(null);
  useEffect(() => {
    if (id === null) return;
    const body: Act = { act: "off", number, joins: "all" };
    ok(api.POST("/api/drafts/{id}/proposals", { params: { path: { id } }, body })).then(setAll, () => {}); // then there is no choice
  }, [id, number]);
  if (all === null || all.after === kept.current.after) return null;
  return (
    <label className="check">
      <input type="checkbox" checked={proposal.id === all.id} disabled={props.busy} onChange={(event) => choose(event.target.checked ? all : kept.current)} />
      <span>Take out the joins that only it needed too: the rows may be others then</span>
    </label>
  );
}
