import { lazy, Suspense, useEffect } from "react";
import { routeOf, usePath } from "./lib/router";
import { useShortcut } from "./lib/keys";
import { useApp, watchServer } from "./state/app";
import { Empty, Waiting } from "./ui/bits";
import { Boundary } from "./ui/boundary";
import { Link } from "./ui/link";
import Palette from "./ui/palette";
import { Topbar } from "./ui/topbar";
import { Ask } from "./views/ask/ask";
import { Desk } from "./views/desk/desk";

const Knowledge = lazy(() => import("./views/knowledge/knowledge"));
const Dictionary = lazy(() => import("./views/dictionary/dictionary"));
const Drafts = lazy(() => import("./views/drafts/drafts"));
const Examples = lazy(() => import("./views/examples/examples"));
const Learn = lazy(() => import("./views/learn/learn"));
const Reviews = lazy(() => import("./views/reviews/reviews"));
const Settings = lazy(() => import("./views/settings/settings"));

export function App() {
  const path = usePath();
  const { load, palette, setPalette, notes, unsay, lost } = useApp();
  useEffect(() => void load(), [load]);
  useEffect(watchServer, []);
  useShortcut("mod+k", () => setPalette(!palette));
  return (
    <div className="shell">
      <a className="skip" href="#view">Skip to the content</a>
      <Topbar />
      {lost && (
        <p className="notice" role="alert">
          <strong>sqlore does not answer.</strong> Is <code>sqlore serve</code> still running? What you made is kept; this page goes on by itself when it is back.
        </p>
      )}
      <main id="view" className="view" tabIndex={-1}>
        <Suspense fallback={<div className="state"><Waiting>Loading</Waiting></div>}>
          <Boundary at={path}><View path={path} /></Boundary>
        </Suspense>
      </main>
      {palette && <Palette close={() => setPalette(false)} />}
      <div className="notes" role="status" aria-live="polite">
        {notes.map((note) => (
          <div key={note.id} className="note" data-tone={note.tone}>
            {note.text}
            {note.action && (
              <button type="button" onClick={() => {
                unsay(note.id);
                note.action?.act();
              }}>{note.action.label}</button>
            )}
          </div>
        ))}
      </div>
    </div>
  );
}

function View({ path }: { path: string }) {
  const route = routeOf(path);
  switch (route.view) {
    case "ask":
      return <Ask />;
    case "draft":
      return <Desk key={route.id} id={route.id} />;
    case "knowledge":
      return <Knowledge item={route.item ?? null} />;
    case "dictionary":
      return <Dictionary table={route.table ?? null} />;
    case "drafts":
      return <Drafts />;
    case "examples":
      return <Examples chosen={route.example ?? null} />;
    case "learn":
      return <Learn />;
    case "review":
      return <Reviews />;
    case "settings":
      return <Settings />;
    case "missing":
      return (
        <Empty title="There is no such page">
          <p>The address {route.path} leads nowhere. <Link href="/">Ask a question</Link> instead.</p>
        </Empty>
      );
  }
}
