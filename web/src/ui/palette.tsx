import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useState } from "react";
import { api, ok } from "../api/client";
import { shown } from "../lib/keys";
import { sentence } from "../lib/format";
import { ranked } from "../lib/search";
import { go, setQuery } from "../lib/router";
import { useApp } from "../state/app";
import { useDesk } from "../state/desk";
import { Dialog } from "./dialog";
import { titleOf } from "../state/drafts";
import { KindIcon } from "./icons";

interface Entry {
  id: string;
  group: string;
  text: string;
  icon?: ReactNode;
  hint?: ReactNode;
  act: () => void;
}

const MOST = 40;

/** Everything that can be gone to or done, by typing a part of its name. */
export default function Palette({ close }: { close: () => void }) {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const commands = useCommands();
  const found = useFound(text);
  const entries = useMemo(() => {
    const matching = ranked(text, commands, (entry) => `${entry.group} ${entry.text}`);
    return [...matching, ...found].slice(0, MOST);
  }, [text, commands, found]);
  useEffect(() => setAt(0), [text]);
  useEffect(() => {
    document.getElementById(`palette-${at}`)?.scrollIntoView({ block: "nearest" });
  }, [at]);
  const run = (entry: Entry | undefined) => {
    if (!entry) return;
    close();
    entry.act();
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setAt((at + step + entries.length) % Math.max(1, entries.length));
    else if (event.key === "Enter") run(entries[at]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog label="Go to or do" className="palette" close={close}>
      <input autoFocus value={text} role="combobox" aria-expanded="true" aria-controls="palette-list" aria-activedescendant={`palette-${at}`}
        aria-label="Go to or do" placeholder="Go to or do" onChange={(event) => setText(event.target.value)} onKeyDown={press} />
      <ul id="palette-list" role="listbox" aria-label="Matches">
        {entries.map((entry, number) => (
          <PaletteRow key={entry.id} entry={entry} number={number} selected={number === at}
            heads={entry.group !== entries[number - 1]?.group} over={() => setAt(number)} run={() => run(entry)} />
        ))}
        {entries.length === 0 && <li className="group" role="presentation">Nothing of that name</li>}
      </ul>
    </Dialog>
  );
}

function PaletteRow(props: { entry: Entry; number: number; selected: boolean; heads: boolean; over: () => void; run: () => void }) {
  const { entry } = props;
  return (
    <>
      {props.heads && <li className="group" role="presentation">{entry.group}</li>}
      <li id={`palette-${props.number}`} role="option" aria-selected={props.selected} onPointerMove={props.over} onClick={props.run}>
        {entry.icon}
        <span className="ellipsis">{entry.text}</span>
        {entry.hint && <span className="quiet">{entry.hint}</span>}
      </li>
    </>
  );
}

function useCommands(): Entry[] {
  const { switches, turn, theme, setTheme } = useApp();
  const { draft, explained, select, act } = useDesk();
  return useMemo(() => {
    const places: Entry[] = [
      ["/", "Ask a question"], ["/drafts", "Drafts, all that was asked"], ["/knowledge", "Knowledge"], ["/dictionary", "Data dictionary"], ["/learn", "Learn a history"], ["/examples", "Review the examples of a cold start"], ["/settings", "Settings and event log"],
    ].map(([href = "/", label = ""]) => ({ id: href, group: "Go to", text: label, act: () => go(href) }));
    const dark = theme === "dark";
    const app: Entry[] = [
      { id: "theme", group: "App", text: dark ? "Light colours" : "Dark colours", act: () => setTheme(dark ? "light" : "dark") },
      { id: "theme-system", group: "App", text: "Colours of the system", act: () => setTheme("system") },
      ...(switches ? [{
        id: "baseline", group: "App", text: switches.baseline ? "Use the history again" : "Answer without the history",
        act: () => void turn({ baseline: !switches.baseline }),
      }] : []),
    ];
    if (!draft?.sql) return [...places, ...app];
    const desk: Entry[] = [
      { id: "d-knowledge", group: "This draft", text: "Show the knowledge in it", act: () => setQuery({ view: null }) },
      { id: "d-flow", group: "This draft", text: "Show how the rows flow", act: () => setQuery({ view: "flow" }) },
      { id: "d-steps", group: "This draft", text: "Show its changes", act: () => setQuery({ view: "steps" }) },
      { id: "d-question", group: "This draft", text: "Change the question", act: () => useDesk.setState({ dialog: "question" }) },
      { id: "d-teach", group: "This draft", text: "Teach sqlore this query", act: () => useDesk.setState({ dialog: "teach" }) },
      { id: "d-keys", group: "This draft", text: "Keys that work here", hint: "?", act: () => useDesk.setState({ dialog: "keys" }) },
      { id: "d-copy", group: "This draft", text: "Copy the SQL", act: () => void navigator.clipboard.writeText(draft.sql) },
      ...(draft.can_undo ? [{ id: "d-undo", group: "This draft", text: "Undo the last change", hint: shown("mod+z"), act: () => void act("undo") }] : []),
      ...(draft.can_redo ? [{ id: "d-redo", group: "This draft", text: "Redo", hint: shown("mod+shift+z"), act: () => void act("redo") }] : []),
    ];
    const pieces: Entry[] = (explained?.nodes ?? []).flatMap((node) => node.items.map((item) => ({
      id: item.id, group: "Pieces of this draft", text: sentence(item.description || item.name), icon: <KindIcon kind={item.kind} />,
      act: () => select({ node: node.id, item: item.id }),
    })));
    return [...desk, ...places, ...app, ...pieces];
  }, [switches, turn, theme, setTheme, draft, explained, select, act]);
}

/** Drafts and knowledge that the server finds for what is typed. */
function useFound(text: string): Entry[] {
  const [found, setFound] = useState<Entry[]>([]);
  useEffect(() => {
    const words = text.trim();
    if (words.length < 2) return setFound([]);
    const stop = new AbortController();
    const wait = setTimeout(async () => {
      const query = { text: words, limit: 8 };
      const [drafts, items] = await Promise.allSettled([
        ok(api.GET("/api/drafts", { params: { query: { text: words, limit: 6 } }, signal: stop.signal })),
        ok(api.GET("/api/knowledge", { params: { query }, signal: stop.signal })),
      ]);
      if (stop.signal.aborted) return;
      const mine = drafts.status === "fulfilled" ? drafts.value.drafts : [];
      const known = items.status === "fulfilled" ? items.value.items : [];
      setFound([
        ...mine.map((one) => ({ id: `draft-${one.id}`, group: "Drafts", text: titleOf(one), act: () => go(`/d/${one.id}`) })),
        ...known.map((one) => ({
          id: `item-${one.id}`, group: "Knowledge", text: sentence(one.description || one.name), icon: <KindIcon kind={one.kind} />, act: () => go(`/knowledge/${one.id}`),
        })),
      ]);
    }, 150);
    return () => {
      clearTimeout(wait);
      stop.abort();
    };
  }, [text]);
  return found;
}
