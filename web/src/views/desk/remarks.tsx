import { useDesk } from "../../state/desk";
import { Icon } from "../../ui/icons";

/** What is told with an answer: where its parts come from, values that their columns do not hold. */
export function Remarks() {
  const notes = useDesk((state) => state.draft?.notes ?? NONE);
  const reused = useDesk((state) => state.draft?.reused?.note);
  const told = notes.filter((note) => note !== reused);
  if (told.length === 0) return null;
  return (
    <section className="left-out" aria-label="About this answer">
      <ul>
        {told.map((note) => (
          <li key={note}>
            <Icon name="info" />
            <span>{note}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

const NONE: never[] = [];
