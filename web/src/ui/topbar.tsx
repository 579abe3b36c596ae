import { isMac } from "../lib/keys";
import { routeOf, usePath } from "../lib/router";
import { useApp } from "../state/app";
import { Icon } from "./icons";
import { Link } from "./link";

const PLACES = [
  { href: "/", label: "Ask", views: ["ask", "draft"] },
  { href: "/drafts", label: "Drafts", views: ["drafts"] },
  { href: "/knowledge", label: "Knowledge", views: ["knowledge"] },
  { href: "/dictionary", label: "Dictionary", views: ["dictionary"] },
  { href: "/learn", label: "Learn", views: ["learn", "examples"] },
];

const REVIEW = { href: "/review", label: "Review", views: ["review"] };

export function Topbar() {
  const { view } = routeOf(usePath());
  const { health, switches, turn, setPalette } = useApp();
  return (
    <header className="topbar">
      <Link href="/" className="wordmark" aria-label="sqlore, ask a question">
        <Mark />
        sqlore
      </Link>
      <nav aria-label="Views">
        {(health?.review ? [...PLACES, REVIEW] : PLACES).map((place) => (
          <Link key={place.href} href={place.href} aria-current={place.views.includes(view) ? "page" : undefined}>
            {place.label}
          </Link>
        ))}
      </nav>
      {health?.database && (
        <span className="where ellipsis" title={health.database.place}>
          {health.database.name}, {health.database.dialect}
        </span>
      )}
      <div className="end">
        {switches && (
          <label className="switch" title="Off: new questions are answered from the schema alone, without the history">
            <input type="checkbox" role="switch" checked={!switches.baseline}
              onChange={(event) => void turn({ baseline: !event.target.checked })} />
            Use history
          </label>
        )}
        <button type="button" className="search-button" aria-keyshortcuts={isMac ? "Meta+K" : "Control+K"} onClick={() => setPalette(true)}>
          <span>Go to or do</span>
          <kbd>{isMac ? "⌘K" : "Ctrl K"}</kbd>
        </button>
        <Link href="/settings" className="button bare icon" aria-label="Settings" aria-current={view === "settings" ? "page" : undefined}>
          <Icon name="sliders" />
        </Link>
        <ThemeButton />
      </div>
    </header>
  );
}

function Mark() {
  return (
    <svg width="20" height="20" viewBox="0 0 32 32" fill="none" strokeWidth="3" strokeLinecap="round" aria-hidden="true">
      <path d="M5 9h14M5 16h9M5 23h12" />
      <circle cx="25.5" cy="16" r="3.4" style={{ fill: "var(--condition)", stroke: "none" }} />
    </svg>
  );
}

function ThemeButton() {
  const { theme, setTheme } = useApp();
  const dark = theme === "dark" || (theme === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
  const next = dark ? "light" : "dark";
  return (
    <button type="button" className="button bare icon" aria-label={`Show in ${next} colours`} onClick={() => setTheme(next)}>
      <Icon name={dark ? "sun" : "moon"} />
    </button>
  );
}
