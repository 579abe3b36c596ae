import { type Extension, RangeSet, type Range, StateField } from "@codemirror/state";
import { gutter, GutterMarker } from "@codemirror/view";
import { chipText, chipTitle } from "../../lib/chips";
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
      chip.append(document.createElement("i"), chipText(mark));
      box.append(chip);
    }
    return box;
  }
}

/** The citations in the editor's gutter, as they were when the editing began; they move with their lines. */
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
    update: (value, transaction) => value.map(transaction.changes),
  });
  return [field, gutter({ class: "cm-citations", markers: (view) => view.state.field(field) })];
}
