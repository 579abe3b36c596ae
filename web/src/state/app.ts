import { create } from "zustand";
import { api, ok, problemOf, whenReached } from "../api/client";
import type { Health, Problem, Switches } from "../api/types";

export type Theme = "system" | "light" | "dark";

interface Note {
  id: number;
  text: string;
  tone: "plain" | "bad";
  /** What can be done about it, while it is shown. */
  action?: NoteAction;
}

export interface NoteAction {
  label: string;
  act: () => void;
}

interface AppState {
  health: Health | null;
  switches: Switches | null;
  problem: Problem | null;
  /** Whether the server does not answer; it is asked again until it does. */
  lost: boolean;
  theme: Theme;
  palette: boolean;
  notes: Note[];
  load: () => Promise<void>;
  setTheme: (theme: Theme) => void;
  setPalette: (open: boolean) => void;
  turn: (switches: Partial<Pick<Switches, "baseline" | "logging" | "user">>) => Promise<void>;
  say: (text: string, tone?: Note["tone"], action?: NoteAction) => number;
  unsay: (id: number) => void;
}

const THEME = "sqlore.theme";
let lastNote = 0;

export const useApp = create<AppState>((set, get) => ({
  health: null,
  switches: null,
  problem: null,
  lost: false,
  theme: storedTheme(),
  palette: false,
  notes: [],
  load: async () => {
    try {
      const [health, switches] = await Promise.all([ok(api.GET("/api/health")), ok(api.GET("/api/app"))]);
      set({ health, switches, problem: null });
    } catch (error) {
      set({ problem: problemOf(error) });
    }
  },
  setTheme: (theme) => {
    localStorage.setItem(THEME, theme);
    showTheme(theme);
    set({ theme });
  },
  setPalette: (palette) => set({ palette }),
  turn: async (body) => {
    try {
      set({ switches: await ok(api.PATCH("/api/app", { body })) });
    } catch (error) {
      get().say(problemOf(error).detail, "bad");
    }
  },
  say: (text, tone = "plain", action) => {
    const id = ++lastNote;
    set({ notes: [...get().notes.slice(-2), { id, text, tone, action }] });
    setTimeout(() => get().unsay(id), tone === "bad" || action ? 9000 : 3500);
    return id;
  },
  unsay: (id) => set({ notes: get().notes.filter((note) => note.id !== id) }),
}));

const AGAIN = 1500;
const BEAT = 2000;

/** Looks whether the server is there while nothing else asks it, so that a page that stands open says so. */
export function watchServer(): () => void {
  const beat = setInterval(() => {
    if (!useApp.getState().lost && document.visibilityState === "visible") void ok(api.GET("/api/app")).catch(() => {});
  }, BEAT);
  return () => clearInterval(beat);
}

whenReached((reached) => {
  const { lost, load, say } = useApp.getState();
  if (reached === !lost) return;
  useApp.setState({ lost: !reached });
  if (!reached) return void knock();
  say("sqlore answers again");
  void load();
});

/** Asks the server until it answers. */
async function knock(): Promise<void> {
  while (useApp.getState().lost) {
    await new Promise((done) => setTimeout(done, AGAIN));
    await ok(api.GET("/api/app")).catch(() => {});
  }
}

function storedTheme(): Theme {
  const found = localStorage.getItem(THEME);
  return found === "light" || found === "dark" ? found : "system";
}

/** The theme as an attribute of the page; without one the system decides. */
export function showTheme(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

/** Tells the event log what was looked at; the server keeps it only where the log is switched on. */
export function logged(phase: "prompting" | "structure" | "inspection" | "refinement", action: string, draft?: string, detail: Record<string, unknown> = {}): void {
  if (useApp.getState().switches?.logging === false) return; // where that is not known yet, the server knows
  void api.POST("/api/events", { body: { phase, action, draft: draft ?? null, detail } }).catch(() => {});
}
