import type { Kind } from "../api/types";

// Drawn on a grid of 16 with a stroke of 1.5, so that they sit beside text of 15 px.
const KIND_PATHS: Record<Kind, string> = {
  calculation: "M11.5 2.8c-2.2-.8-3.2.4-3.6 2.6L6.6 11c-.4 2-1.3 2.7-3 2.2M4.8 7h6.2",
  condition: "M2.2 3.2h11.6L9.4 8.6v4.2l-2.8-1.4V8.6z",
  relation: "M6.2 11.6a3.9 3.9 0 1 1 0-7.2M9.8 4.4a3.9 3.9 0 1 1 0 7.2M5.4 8h5.2",
  dimension: "M2.6 3h4.2v4.2H2.6zM9.2 3h4.2v4.2H9.2zM2.6 9.2h4.2v3.9H2.6zM9.2 9.2h4.2v3.9H9.2z",
  output: "M2.4 4h11.2M2.4 8h7.6M2.4 12h4",
  query: "M3 2.8h10v10.4H3zM5.4 6h5.2M5.4 9h3.2",
};

const PATHS = {
  undo: "M5.6 3.2 2.6 6.2l3 3M2.8 6.2h6.4a3.6 3.6 0 0 1 0 7.2H6.4",
  redo: "m10.4 3.2 3 3-3 3M13.2 6.2H6.8a3.6 3.6 0 0 0 0 7.2h2.8",
  copy: "M5.6 5.6h7.6v7.6H5.6zM10.4 5.4V2.8H2.8v7.6h2.6",
  edit: "M3 13l.7-2.9 7-7a1.5 1.5 0 0 1 2.2 2.2l-7 7zM9.6 4.2l2.2 2.2",
  more: "M3.4 8h.01M8 8h.01M12.6 8h.01",
  check: "m3 8.6 3.2 3.2L13 4.6",
  close: "m3.8 3.8 8.4 8.4M12.2 3.8l-8.4 8.4",
  down: "m4 6.2 4 4 4-4",
  right: "m6.2 4 4 4-4 4",
  search: "M7 11.6A4.6 4.6 0 1 0 7 2.4a4.6 4.6 0 0 0 0 9.2zM10.4 10.4l3.2 3.2",
  sun: "M8 10.8a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6zM8 1.8v1.4M8 12.8v1.4M1.8 8h1.4M12.8 8h1.4M3.6 3.6l1 1M11.4 11.4l1 1M12.4 3.6l-1 1M4.6 11.4l-1 1",
  moon: "M13.2 9.6A5.8 5.8 0 0 1 6.4 2.8a5.6 5.6 0 1 0 6.8 6.8z",
  save: "M8 2.4v7.2M4.8 6.8 8 10l3.2-3.2M2.8 13.2h10.4",
  again: "M13 8a5 5 0 1 1-1.6-3.7M13.2 2.4v2.8h-2.8",
  warn: "M8 2.4 14.2 13H1.8zM8 6.6v3M8 11.4h.01",
  info: "M8 7.4v3.8M8 4.8h.01M8 14.2A6.2 6.2 0 1 0 8 1.8a6.2 6.2 0 0 0 0 12.4z",
  table: "M2.4 3.2h11.2v9.6H2.4zM2.4 6.4h11.2M6.4 6.4v6.4",
  chart: "M2.6 13.4h10.8M4.4 11V8M8 11V3.4M11.6 11V6",
  filter: "M2.2 3.2h11.6L9.4 8.6v4.2l-2.8-1.4V8.6z",
  sliders: "M2.6 5h5.2M11.4 5h2M9.6 6.8a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6zM2.6 11h2M8.2 11h5.2M6.4 12.8a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6z",
  keys: "M6 6.2a2 2 0 1 1 2.9 1.8c-.6.3-.9.7-.9 1.4M8 11.8h.01M8 14.2A6.2 6.2 0 1 0 8 1.8a6.2 6.2 0 0 0 0 12.4z",
  trash: "M3 4.4h10M6.2 4.2V2.8h3.6v1.4M4.2 4.6l.6 8.6h6.4l.6-8.6",
} as const;

export type IconName = keyof typeof PATHS;

function Drawn({ d, size, className }: { d: string; size: number; className?: string }) {
  return (
    <svg width={size} height={size} viewBox="0 0 16 16" fill="none" stroke="currentColor" strokeWidth="1.5"
      strokeLinecap="round" strokeLinejoin="round" aria-hidden="true" className={className}>
      <path d={d} />
    </svg>
  );
}

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return <Drawn d={PATHS[name]} size={size} />;
}

/**
 * The sign of a kind of knowledge; its colour is that of the kind, its shape tells it without colour. Where the text
 * beside it names the kind (`said`) it has no name of its own, which would be heard twice.
 */
export function KindIcon({ kind, size = 15, said = false }: { kind: Kind; size?: number; said?: boolean }) {
  return (
    <span data-kind={kind} className="kind-sign">
      <Drawn d={KIND_PATHS[kind]} size={size} className="kind" />
      {!said && <span className="hidden">{kind}</span>}
    </span>
  );
}
