import { type Extension, RangeSet, type Range, StateField, type Transaction } from "@codemirror/state";
import { gutter, GutterMarker } from "@codemirror/view";
import { chipSign, chipText, chipTitle } from "../../lib/chips";
import type { Mark } from "../../lib/marks";

const SHOWN = 2;

/** The citations of the pieces that begin on one line. */
class Citations extends GutterMarker {
  constructor(private readonly marks: Mark[]) {
    super();
  }

  override eq(other: GutterMarker): boolean {
    return other instanceof Citations && other.marks === this.marks;
  }

  override toDOM(): Node {
    const box = document.createElement("span");
    box.className = "chips";
    for (const mark of this.marks.slice(0, SHOWN)) {
      const chip = document.createElement("span");
      chip.className = "chip";
      chip.dataset.kind = mark.kind;
      chip.dataset.status = mark.status ?? "novel";
      chip.title = chipTitle(mark);
      const sign = document.createElement("i");
      sign.className = "sign";
      sign.dataset.status = chipSign(mark);
      chip.append(sign, chipText(mark));
      box.append(chip);
    }
    return box;
  }
}

/** The citations in the editor's gutter: they move with their lines, and are gone from those that are changed. */
export function citationGutter(marks: readonly Mark[]): Extension {
  const cited = marks.filter((mark) => mark.status !== null);
  const field = StateField.define<RangeSet<GutterMarker>>({
    create: (state) => {
      const lines = new Map<number, Mark[]>();
      for (const mark of cited) {
        if (mark.start > state.doc.length) continue;
        const { from } = state.doc.lineAt(mark.start);
        lines.set(from, [...(lines.get(from) ?? []), mark]);
      }
      const ranges: Range<GutterMarker>[] = [...lines].map(([from, mine]) => new Citations(mine).range(from));
      return RangeSet.of(ranges, true);
    },
    update: (value, transaction) => (transaction.docChanged ? withoutLines(value, transaction) : value),
  });
  return [field, gutter({ class: "cm-citations", markers: (view) => view.state.field(field) })];
}

/** What stays true of the old text: nothing is said of a line that is being written. */
export function withoutLines(value: RangeSet<GutterMarker>, transaction: Transaction): RangeSet<GutterMarker> {
  const { doc } = transaction.state;
  const written: [number, number][] = [];
  transaction.changes.iterChangedRanges((_from, _to, from, to) => written.push([doc.lineAt(from).from, doc.lineAt(to).to]));
  return value.map(transaction.changes).update({ filter: (at) => !written.some(([from, to]) => from <= at && at <= to) });
}
