import { useEffect, useRef } from "react";

export const isMac = /Mac|iPhone|iPad/.test(globalThis.navigator?.platform ?? "");

/** Whether a key press is that of a shortcut such as `mod+k` or `mod+shift+z`; `mod` is ⌘ on a Mac, else Ctrl. */
export function matches(shortcut: string, event: KeyboardEvent, mac = isMac): boolean {
  const parts = shortcut.split("+");
  const key = parts.at(-1);
  const mod = mac ? event.metaKey : event.ctrlKey;
  return (
    event.key.toLowerCase() === key &&
    mod === parts.includes("mod") &&
    event.shiftKey === parts.includes("shift") &&
    event.altKey === parts.includes("alt")
  );
}

/** A shortcut as it is shown. */
export function shown(shortcut: string): string {
  const names: Record<string, string> = isMac
    ? { mod: "⌘", shift: "⇧", alt: "⌥", enter: "↵" }
    : { mod: "Ctrl", shift: "Shift", alt: "Alt", enter: "Enter" };
  return shortcut.split("+").map((part) => names[part] ?? part.toUpperCase()).join(isMac ? "" : " ");
}

/** Runs an action at a shortcut, wherever the focus is. A handler that returns false lets the key press pass. */
export function useShortcut(shortcut: string, action: () => unknown): void {
  const latest = useRef(action);
  latest.current = action;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (!event.defaultPrevented && matches(shortcut, event) && latest.current() !== false) event.preventDefault();
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, [shortcut]);
}

/** Whether keys go into a text that is being written. */
export function writing(): boolean {
  const focused = document.activeElement;
  return focused instanceof HTMLTextAreaElement || focused instanceof HTMLSelectElement || (focused instanceof HTMLInputElement && focused.type !== "radio")
    || (focused instanceof HTMLElement && focused.isContentEditable);
}

/** Moves the focus with the arrow keys through the fields and the list of a box; whether the key was one of them. */
export function moveFocus(box: HTMLElement | null, key: string): boolean {
  const move = { ArrowDown: 1, ArrowUp: -1 }[key];
  if (move === undefined) return false;
  const all = [...(box?.querySelectorAll<HTMLElement>("input, li button") ?? [])];
  all[Math.max(0, Math.min(all.length - 1, all.indexOf(document.activeElement as HTMLElement) + move))]?.focus();
  return true;
}
