import { shown } from "../../lib/keys";
import { Dialog } from "../../ui/dialog";

const PLACES: [string, [string[], string][]][] = [
  ["Anywhere", [
    [["mod+k"], "go to or do something, by its name"],
    [["mod+z"], "undo the last change"],
    [["mod+shift+z"], "redo it"],
    [["mod+e"], "edit the SQL"],
    [["?"], "this list"],
  ]],
  ["Knowledge", [
    [["↑", "↓"], "the piece before, the piece after"],
    [["home", "end"], "the first, the last"],
    [["enter"], "what can be done with it"],
  ]],
  ["Changing something", [
    [["enter"], "send a wish; apply what was proposed"],
    [["mod+enter"], "show the change of a piece; check and run the SQL"],
    [["esc"], "leave it as it is"],
  ]],
  ["Rows", [
    [["↑", "↓", "←", "→"], "the cell beside it"],
    [["enter"], "sort, on the name of a column"],
    [["mod+c"], "copy what is chosen"],
    [["mod+a"], "choose all"],
  ]],
];

/** The keys of a draft, by where they work. */
export function Keys({ close }: { close: () => void }) {
  return (
    <Dialog label="Keys" className="refine" close={close}>
      <div>
        <h2>Keys</h2>
        <div className="keys">
          {PLACES.map(([place, keys]) => (
            <section key={place}>
              <h3 className="label">{place}</h3>
              <dl>
                {keys.map(([names, what]) => (
                  <div key={what}><dt>{names.map((one) => <kbd key={one}>{shown(one)}</kbd>)}</dt><dd>{what}</dd></div>
                ))}
              </dl>
            </section>
          ))}
        </div>
        <div className="actions"><button type="button" className="button" autoFocus onClick={close}>Close</button></div>
      </div>
    </Dialog>
  );
}
