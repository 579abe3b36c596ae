import { useSyncExternalStore } from "react";

/** A view of the app and what it shows; every one has an address. */
export type Route =
  | { view: "ask" }
  | { view: "draft"; id: string }
  | { view: "knowledge"; item?: number }
  | { view: "dictionary"; table?: string }
  | { view: "drafts" }
  | { view: "examples"; example?: string }
  | { view: "learn" }
  | { view: "review" }
  | { view: "settings" }
  | { view: "missing"; path: string };

/** The route of an address. */
export function routeOf(path: string): Route {
  const [first = "", second] = path.split("/").filter(Boolean).map(decode);
  if (first === "") return { view: "ask" };
  if (first === "d" && second) return { view: "draft", id: second };
  if (first === "knowledge" && (second === undefined || /^\d+$/.test(second))) {
    return second === undefined ? { view: "knowledge" } : { view: "knowledge", item: Number(second) };
  }
  if (first === "dictionary") return second === undefined ? { view: "dictionary" } : { view: "dictionary", table: second };
  if (first === "examples") return second === undefined ? { view: "examples" } : { view: "examples", example: second };
  if (first === "drafts" || first === "learn" || first === "review" || first === "settings") return { view: first };
  return { view: "missing", path };
}

/** The address of a route. */
export function pathOf(route: Route): string {
  switch (route.view) {
    case "ask":
      return "/";
    case "draft":
      return `/d/${route.id}`;
    case "knowledge":
      return route.item === undefined ? "/knowledge" : `/knowledge/${route.item}`;
    case "dictionary":
      return route.table === undefined ? "/dictionary" : `/dictionary/${encodeURIComponent(route.table)}`;
    case "examples":
      return route.example === undefined ? "/examples" : `/examples/${encodeURIComponent(route.example)}`;
    case "missing":
      return route.path;
    default:
      return `/${route.view}`;
  }
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener("popstate", listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener("popstate", listener);
  };
}

/** Goes to another address of the app. */
export function go(to: Route | string, options: { replace?: boolean } = {}): void {
  const address = typeof to === "string" ? to : pathOf(to);
  if (address === location.pathname + location.search) return;
  history[options.replace ? "replaceState" : "pushState"](null, "", address);
  for (const listener of [...listeners]) listener();
}

/** Sets what follows the `?`, without a step in the browser's history. */
export function setQuery(values: Record<string, string | null>): void {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(values)) {
    if (value === null) query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  go(location.pathname + (text ? `?${text}` : ""), { replace: true });
}

export function usePath(): string {
  return useSyncExternalStore(subscribe, () => location.pathname);
}

export function useQuery(name: string): string | null {
  return useSyncExternalStore(subscribe, () => new URLSearchParams(location.search).get(name));
}
