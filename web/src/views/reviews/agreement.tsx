import { api, ok, problemOf } from "../../api/client";
import type { components } from "../../api/schema";
import { count, many } from "../../lib/format";
import { useLoaded } from "../../lib/load";
import { useApp } from "../../state/app";
import { Empty, ProblemNote, Waiting } from "../../ui/bits";
import type { Overview } from "./parts";

type Coefficient = components["schemas"]["Coefficient"];
type Found = components["schemas"]["Agreement"];

const HEADS = [["full", "Full agreement"], ["pairwise", "Pairs"], ["ac1", "Gwet's AC1"], ["fleiss", "Fleiss' kappa"]] as const;

/** What the review comes to: tasks by state, and how well the annotators agree. */
export function Agreement({ overview }: { overview: Overview }) {
  const found = useLoaded((signal) => (overview.blind ? Promise.resolve([]) : ok(api.GET("/api/review/agreement", { signal }))), [overview.blind]);
  if (overview.blind) return <Empty title="The annotators are not done yet"><p>How well they agree is told when all of them have judged every task.</p></Empty>;
  if (found.problem) return <div className="state"><ProblemNote problem={found.problem} /></div>;
  if (!found.data) return <div className="state"><Waiting>Computing</Waiting></div>;
  const pairs = found.data.find((one) => one.criterion === "valid")?.cohen ?? [];
  return (
    <div className="page review-step">
      <Figures title="Tasks" heads={["State", "Tasks", "Meaning"]} rows={overview.states.map((one) => [one.state, count(one.tasks), one.meaning])} />
      <Figures title="Agreement" heads={["Judged", ...HEADS.map(([, head]) => head)]} rows={found.data.map((one) => row(one))}
        note="With 95 % intervals. Valid: all three criteria hold. Where nearly everything is valid a kappa is low though annotators hardly ever differ; AC1 is not." />
      <Figures title="Cohen's kappa of valid" heads={["Annotators", "Kappa"]} rows={pairs.map((one) => [one.annotators.join(" and "), figure(one.kappa)])} />
      <Save overview={overview} />
    </div>
  );
}

function row(one: Found): string[] {
  return [one.criterion, ...HEADS.map(([name]) => figure(one[name]))];
}

function figure(one: Coefficient): string {
  if (one.value == null) return "not defined";
  const between = one.low == null || one.high == null ? "" : ` [${one.low.toFixed(3)}, ${one.high.toFixed(3)}]`;
  return one.value.toFixed(3) + between;
}

function Figures(props: { title: string; heads: string[]; rows: string[][]; note?: string }) {
  return (
    <section className="review-figures" tabIndex={0} aria-label={props.title}>
      <h2>{props.title}</h2>
      <table>
        <thead><tr>{props.heads.map((head) => <th key={head} scope="col">{head}</th>)}</tr></thead>
        <tbody>
          {props.rows.map(([head, ...cells]) => (
            <tr key={head}><th scope="row">{head}</th>{cells.map((cell, at) => <td key={at}>{cell}</td>)}</tr>
          ))}
        </tbody>
      </table>
      {props.note && <p className="quiet">{props.note}</p>}
    </section>
  );
}

function Save({ overview }: { overview: Overview }) {
  const say = useApp((state) => state.say);
  const left = overview.states.filter((one) => one.state === "open" || one.state === "senior").reduce((sum, one) => sum + one.tasks, 0);
  const save = async () => {
    try {
      const tasks = await ok(api.GET("/api/review/final"));
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([`${JSON.stringify(tasks, null, 1)}\n`], { type: "application/json" }));
      link.download = overview.file.replace(/(\.jsonl?)?$/, ".reviewed.json");
      link.click();
      URL.revokeObjectURL(link.href);
    } catch (error) {
      say(problemOf(error).detail, "bad");
    }
  };
  return (
    <div className="actions">
      <button type="button" className="button main" onClick={() => void save()}>Save the tasks that stay</button>
      {left > 0 && <span className="quiet">{many(left, "task")} not settled yet</span>}
    </div>
  );
}
