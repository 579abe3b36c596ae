import { setQuery } from "../../lib/router";
import { useDesk } from "../../state/desk";
import { Sql } from "../../ui/code-line";
import { Icon } from "../../ui/icons";

/** Says, above the result, which words of the question nothing in the SQL answers, and offers what the history has. */
export function LeftOut() {
  const left = useDesk((state) => state.draft?.uncovered ?? NONE);
  if (left.length === 0) return null;
  return (
    <section className="left-out" aria-label="Not answered">
      <ul>
        {left.map((one) => (
          <li key={one.start}>
            <Icon name="warn" />
            <span>“{one.phrase}”: {one.instead ? "this SQL has another value." : "nothing in this SQL answers it."}</span>
            {one.items.map((item) => (
              <span key={item.item}>
                In the history it goes with <Sql text={item.sql} />{one.instead && <>, not <Sql text={one.instead} /></>} <span className="quiet">in {item.scripts.length === 1 ? "1 script" : `${item.scripts.length} scripts`}</span>{" "}
                {!one.instead && <button type="button" className="button bare" title={`Add ${item.sql}`} onClick={() => setQuery({ add: String(item.item), like: item.scripts.length > 0 ? String(item.scripts[0]) : null })}>Add it</button>}
              </span>
            ))}
          </li>
        ))}
      </ul>
    </section>
  );
}

const NONE: never[] = [];
