import { useState } from "react";
import { api, ok } from "../../api/client";
import type { Act, RefineOption } from "../../api/types";
import { sentence } from "../../lib/format";
import { useLoaded } from "../../lib/load";
import { useDesk } from "../../state/desk";
import { ProblemNote, Waiting } from "../../ui/bits";
import { KindIcon } from "../../ui/icons";
import { OptionList } from "./option-list";

/** The pieces of the history that fit into a part of the draft; one with values asks for them. */
export function Additions({ scope, choose }: { scope: string; choose: (act: Act) => void }) {
  const id = useDesk((state) => state.id) ?? "";
  const [picked, setPicked] = useState<RefineOption | null>(null);
  const { data, problem } = useLoaded((signal) => ok(api.GET("/api/drafts/{id}/additions", { params: { path: { id }, query: { scope } }, signal })), [id, scope]);
  if (problem) return <ProblemNote problem={problem} />;
  if (!data) return <Waiting>Looking what fits here</Waiting>;
  if (data.length === 0) return <p>The history has nothing else that fits here.</p>;
  if (picked) return <Values option={picked} back={() => setPicked(null)} choose={(values) => choose({ act: "add", item: picked.item, scope, values })} />;
  const take = (one: RefineOption) => ((one.values[0]?.length ?? 0) > 0 ? setPicked(one) : choose({ act: "add", item: one.item, scope }));
  return <OptionList options={data} sign={(one) => <KindIcon kind={one.kind} />} choose={take} />;
}

/** The values of a piece: those of the history and of the column are offered, any other can be written. */
export function Values({ option, back, choose }: { option: RefineOption; back: () => void; choose: (values: string[]) => void }) {
  const [values, setValues] = useState(option.values[0] ?? []);
  return (
    <fieldset className="values-wanted">
      <legend>{sentence(option.description)}: with which value?</legend>
      <ValueFields values={values} option={option} focus set={setValues} enter={() => choose(values)} />
      <button type="button" className="button bare" onClick={back}>Back</button>
      <button type="button" className="button main" disabled={!whole(values)} onClick={() => choose(values)}>Show the change</button>
    </fieldset>
  );
}

/** Whether there is something in each place. */
export function whole(values: string[]): boolean {
  return values.every((one) => one.trim() !== "");
}

interface FieldsProps {
  values: string[];
  /** What the history has in these places, and the column in the one that there is. */
  option: Pick<RefineOption, "values" | "column_values">;
  focus?: boolean;
  set: (values: string[]) => void;
  enter: () => void;
}

/** A field for each value of a piece. */
export function ValueFields({ values, option, focus = false, set, enter }: FieldsProps) {
  return values.map((value, at) => {
    const offered = [...new Set([...option.values.map((seen) => seen[at] ?? ""), ...option.column_values])].filter(Boolean);
    return (
      <span key={at}>
        <input className="field" aria-label={`Value ${at + 1}`} list={`offered-${at}`} value={value} autoFocus={focus && at === 0} onFocus={(event) => event.target.select()}
          onChange={(event) => set(values.map((one, number) => (number === at ? event.target.value : one)))}
          onKeyDown={(event) => {
            if (event.key !== "Enter") return;
            event.preventDefault();
            if (whole(values)) enter();
          }} />
        <datalist id={`offered-${at}`}>{offered.map((one) => <option key={one} value={one} />)}</datalist>
      </span>
    );
  });
}
