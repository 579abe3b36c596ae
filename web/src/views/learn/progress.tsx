import { count } from "../../lib/format";
import { Waiting } from "../../ui/bits";

export interface Running {
  stage: string;
  done: number;
  total: number | null;
}

/** What is being done, and how much of it there is where that is known. */
export function Progress({ running }: { running: Running }) {
  const share = running.total ? running.done / running.total : null;
  return (
    <div className="learn-progress">
      <Waiting>{running.stage}{running.total ? `, ${count(running.done)} of ${count(running.total)}` : running.done > 0 ? `, ${count(running.done)}` : ""}</Waiting>
      {share !== null && <progress value={share} max={1} aria-label={running.stage} />}
    </div>
  );
}
