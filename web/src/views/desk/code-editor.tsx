import { autocompletion, closeBrackets, type CompletionSource, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { keywordCompletionSource, MSSQL, MySQL, PostgreSQL, schemaCompletionSource, SQLDialect, sql, SQLite, StandardSQL } from "@codemirror/lang-sql";
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState, type Range, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useRef } from "react";
import { api, ok } from "../../api/client";
import type { Problem } from "../../api/types";
import { unitsOf } from "../../lib/offsets";
import { SQLITE_WORDS } from "../../lib/sql";
import type { Mark } from "../../lib/marks";
import { marksOf, useDesk } from "../../state/desk";
import { citationGutter } from "./code-gutter";

/** SQLite with the words that SQLite knows, and not all of the standard's. */
const OWN_SQLITE = SQLDialect.define({ ...SQLite.spec, keywords: SQLITE_WORDS });

const DIALECTS: Record<string, SQLDialect> = { sqlite: OWN_SQLITE, postgres: PostgreSQL, duckdb: PostgreSQL, mysql: MySQL, tsql: MSSQL };

const colours = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--ink-2)", fontWeight: "600" },
  { tag: [tags.string, tags.number, tags.bool, tags.null], color: "color-mix(in oklab, var(--good) 75%, var(--ink))" },
  { tag: tags.comment, color: "var(--ink-3)", fontStyle: "italic" },
]);

const look = EditorView.theme({
  "&": { height: "100%" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "22px" },
  ".cm-content": { caretColor: "var(--ink)", padding: "6px 0" },
  ".cm-gutters": { background: "var(--surface)", color: "var(--ink-3)", border: "0", minWidth: "3.5rem" },
  ".cm-activeLine, .cm-activeLineGutter": { background: "color-mix(in oklab, var(--hover) 55%, transparent)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)", borderLeftWidth: "2px" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    background: "color-mix(in oklab, var(--focus) 24%, transparent) !important",
  },
  ".cm-matchingBracket": { background: "var(--hover)", outline: "1px solid var(--line-strong)" },
  ".cm-tooltip, .cm-panels": { background: "var(--surface)", color: "var(--ink)", border: "1px solid var(--line)", borderRadius: "6px" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { background: "var(--select)", color: "var(--ink)" },
  ".cm-wrong": { textDecoration: "underline wavy var(--warn)", textUnderlineOffset: "4px" },
});

const setWrong = StateEffect.define<number | null>();

/** The place of an error, until the text changes. */
const wrong = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (value, transaction) => {
    for (const effect of transaction.effects) {
      if (effect.is(setWrong)) return effect.value === null ? Decoration.none : wordAt(transaction.state, effect.value);
    }
    return transaction.docChanged ? Decoration.none : value;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function wordAt(state: EditorState, offset: number): DecorationSet {
  const at = Math.max(0, Math.min(offset, state.doc.length - 1));
  const word = state.wordAt(at) ?? { from: at, to: Math.min(at + 1, state.doc.length) };
  return word.to > word.from ? Decoration.set([Decoration.mark({ class: "cm-wrong" }).range(word.from, word.to)]) : Decoration.none;
}

/** The pieces of the text that was; they move with it, and one that is changed is none any more. */
function pieces(marks: Mark[]): StateField<DecorationSet> {
  const draft = useDesk.getState().draft;
  const ranges: Range<Decoration>[] = marks
    .filter((mark) => mark.end > mark.start && mark.end <= (draft?.sql.length ?? 0))
    .map((mark) => Decoration.mark({ class: "marked", attributes: { "data-kind": mark.kind } }).range(mark.start, mark.end));
  return StateField.define<DecorationSet>({
    create: () => Decoration.set(ranges, true),
    update: (value, { changes, docChanged }) => {
      if (!docChanged) return value;
      const written: [number, number][] = [];
      changes.iterChangedRanges((_from, _to, from, to) => written.push([from, to]));
      return value.map(changes).update({ filter: (from, to) => !written.some(([begin, end]) => begin <= to && from <= end) });
    },
    provide: (field) => EditorView.decorations.from(field),
  });
}

/** Names and keywords, offered while a word is begun and not when it is there whole. */
function completing(dialect: SQLDialect, schema: Record<string, string[]>) {
  const sources = [schemaCompletionSource({ dialect, schema }), keywordCompletionSource(dialect, true)];
  return autocompletion({ icons: false, override: sources.map(unfinished) });
}

/** A source that is silent behind a word that it would only repeat. */
export function unfinished(source: CompletionSource): CompletionSource {
  return async (context) => {
    const found = await source(context);
    if (!found || context.explicit) return found;
    const typed = context.state.sliceDoc(found.from, context.pos).toLowerCase();
    return found.options.some((one) => one.label.toLowerCase() === typed) ? null : found;
  };
}

interface Props {
  text: string;
  change: (text: string) => void;
  save: () => void;
  leave: () => void;
  problem: Problem | null;
}

/** The whole SQL in an editor; names of tables and columns complete themselves. */
export default function CodeEditor(props: Props) {
  const box = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const latest = useRef(props);
  latest.current = props;

  useEffect(() => {
    if (!box.current) return;
    const dialect = DIALECTS[useDesk.getState().draft?.dialect ?? ""] ?? StandardSQL;
    const { explained, draft } = useDesk.getState();
    const marks = explained?.sql === draft?.sql && !draft?.baseline ? marksOf(explained) : [];
    const own = keymap.of([
      { key: "Mod-Enter", run: () => (latest.current.save(), true) },
      { key: "Escape", run: () => (latest.current.leave(), true) },
    ]);
    const base = [
      own, history(), drawSelection(), citationGutter(marks), lineNumbers(), highlightActiveLine(), bracketMatching(), closeBrackets(), indentOnInput(),
      highlightSelectionMatches(), syntaxHighlighting(colours), look, wrong, pieces(marks),
      keymap.of([...completionKeymap, ...searchKeymap, ...historyKeymap, ...defaultKeymap, indentWithTab]),
      EditorView.contentAttributes.of({ "aria-label": "SQL, Escape leaves the editor", spellcheck: "false", tabindex: "0" }),
      EditorView.updateListener.of((update) => update.docChanged && latest.current.change(update.state.doc.toString())),
    ];
    const made = new EditorView({ doc: latest.current.text, extensions: [...base, sql({ dialect }), completing(dialect, {})], parent: box.current });
    view.current = made;
    made.focus();
    let gone = false;
    void schema().then((known) => {
      if (!gone) made.dispatch({ effects: StateEffect.reconfigure.of([...base, sql({ dialect }), completing(dialect, known)]) });
    });
    return () => {
      gone = true;
      made.destroy();
    };
  }, []);

  const { problem } = props;
  useEffect(() => {
    const made = view.current;
    if (!made) return;
    const place = problem?.position == null ? null : unitsOf(made.state.doc.toString())(problem.position);
    const sight = place === null ? [] : [EditorView.scrollIntoView(Math.min(place, made.state.doc.length), { y: "center" })];
    made.dispatch({ effects: [setWrong.of(place), ...sight] });
  }, [problem]);
  return <div ref={box} />;
}

/** The tables by name, with the columns of those that the query reads; without them keywords alone complete. */
async function schema(): Promise<Record<string, string[]>> {
  const read = useDesk.getState().explained?.nodes.filter((node) => node.kind === "table") ?? [];
  const known = Object.fromEntries(read.map((node) => [node.name, node.columns.map((column) => column.name)]));
  try {
    const tables = await ok(api.GET("/api/dictionary"));
    return { ...Object.fromEntries(tables.map((table) => [table.name, []])), ...known };
  } catch {
    return known;
  }
}
