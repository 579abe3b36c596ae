import { type FormEvent, useState } from "react";
import { api, ok, problemOf } from "../../api/client";
import type { Problem } from "../../api/types";
import { count, many } from "../../lib/format";
import { useLoaded } from "../../lib/load";
import { setQuery, useQuery } from "../../lib/router";
import { ProblemNote, Waiting } from "../../ui/bits";
import { Tabs } from "../../ui/tabs";
import { Agreement } from "./agreement";
import { Deciding } from "./deciding";
import { Judging } from "./judging";
import type { Overview } from "./parts";
import "../../styles/reviews.css";

const NAME = "sqlore.reviewer";
const STEPS = [
  { id: "judge", label: "Judge" },
  { id: "discuss", label: "Discuss" },
  { id: "agreement", label: "Agreement" },
] as const;
type Step = (typeof STEPS)[number]["id"];

/** People review the tasks of a benchmark: each alone and blind, then together, then a senior. */
export default function Reviews() {
  const overview = useLoaded((signal) => ok(api.GET("/api/review", { signal })), []);
  const asked = useQuery("step");
  const [name, setName] = useState(() => localStorage.getItem(NAME) ?? "");
  const { data, problem, again } = overview;
  if (problem) return <div className="state"><ProblemNote problem={problem} /></div>;
  if (!data) return <div className="state"><Waiting>Opening the review</Waiting></div>;
  const step: Step = STEPS.find((one) => one.id === asked)?.id ?? (data.blind ? "judge" : "discuss");
  const become = (chosen: string) => {
    localStorage.setItem(NAME, chosen);
    setName(chosen);
    again();
  };
  return (
    <div className="review">
      <header className="review-head">
        <h1>Review of {data.file}</h1>
        <span className="quiet">{progress(data)}</span>
        <div className="actions end">
          {name && <span>You are {name} <button type="button" className="button bare" onClick={() => become("")}>Somebody else</button></span>}
          <Tabs label="Steps of the review" tabs={STEPS} chosen={step} choose={(id) => setQuery({ step: id, task: null })} controls="review-panel" />
        </div>
      </header>
      <div id="review-panel" className="review-panel" role="tabpanel" aria-label={STEPS.find((one) => one.id === step)?.label}>
        {step === "agreement" && <Agreement overview={data} />}
        {step !== "agreement" && !name && <Naming overview={data} done={become} joins={data.blind} />}
        {step === "judge" && name && <Judging key={name} overview={data} name={name} told={again} />}
        {step === "discuss" && name && <Deciding overview={data} name={name} told={again} />}
      </div>
    </div>
  );
}

function progress(data: Overview): string {
  if (!data.blind) return `${many(data.annotators.length, "annotator")} are done`;
  const said = data.annotators.map((one) => `${one.name} ${count(one.done)} of ${count(data.tasks)}`);
  const missing = data.wanted - data.annotators.length;
  if (missing > 0) said.push(`${many(missing, "annotator")} to come`);
  return said.join(", ");
}

/** Who judges: a name, under which everything said is kept. */
function Naming({ overview, done, joins }: { overview: Overview; done: (name: string) => void; joins: boolean }) {
  const [typed, setTyped] = useState("");
  const [problem, setProblem] = useState<Problem | null>(null);
  const send = async (event: FormEvent) => {
    event.preventDefault();
    try {
      const name = joins ? (await ok(api.POST("/api/review/annotators", { body: { name: typed } }))).annotator : typed.trim();
      done(name);
    } catch (error) {
      setProblem(problemOf(error));
    }
  };
  return (
    <form className="state review-step" onSubmit={(event) => void send(event)}>
      <h2>Who are you?</h2>
      <p>
        {joins
          ? `You judge ${many(overview.tasks, "task")} alone. What you say is shown to nobody until ${overview.wanted} annotators have judged all of them, and you see nothing of theirs.`
          : "The annotators are done. Give your name: it is kept with what is decided."}
      </p>
      <label className="stack">Your name<input className="field" autoFocus value={typed} maxLength={40} onChange={(event) => setTyped(event.target.value)} /></label>
      {problem && <ProblemNote problem={problem} />}
      <div className="actions"><button type="submit" className="button main" disabled={typed.trim() === ""}>{joins ? "Begin" : "Go on"}</button></div>
    </form>
  );
}
