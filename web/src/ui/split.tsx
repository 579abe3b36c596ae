import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef, useState } from "react";

/** Two panes with a border that is dragged, or moved with the arrow keys; it stays where it was put. */
export function Split(props: {
  id: string;
  direction: "row" | "column";
  initial: number;
  label: string;
  className?: string;
  children: [ReactNode, ReactNode];
}) {
  const key = `sqlore.split.${props.id}`;
  const [share, setShare] = useState(() => Number(localStorage.getItem(key)) || props.initial);
  const box = useRef<HTMLDivElement>(null);
  const set = (wanted: number) => {
    const next = Math.min(0.8, Math.max(0.2, wanted));
    setShare(next);
    localStorage.setItem(key, next.toFixed(3));
  };
  const drag = (event: PointerEvent<HTMLDivElement>) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const rect = box.current?.getBoundingClientRect();
    if (!rect) return;
    set(props.direction === "row" ? (event.clientX - rect.left) / rect.width : (event.clientY - rect.top) / rect.height);
  };
  const press = (event: KeyboardEvent) => {
    const [less, more] = props.direction === "row" ? ["ArrowLeft", "ArrowRight"] : ["ArrowUp", "ArrowDown"];
    if (event.key !== less && event.key !== more) return;
    event.preventDefault();
    set(share + (event.key === more ? 0.03 : -0.03));
  };
  const tracks = `minmax(0, ${share}fr) auto minmax(0, ${1 - share}fr)`;
  const style = props.direction === "row" ? { gridTemplateColumns: tracks } : { gridTemplateRows: tracks };
  return (
    <div ref={box} className={`split ${props.className ?? ""}`} data-direction={props.direction} style={style}>
      {props.children[0]}
      <div className="split-edge" role="separator" tabIndex={0} aria-label={props.label} aria-valuemin={20} aria-valuemax={80}
        aria-valuenow={Math.round(share * 100)} aria-orientation={props.direction === "row" ? "vertical" : "horizontal"}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)} onPointerMove={drag}
        onDoubleClick={() => set(props.initial)} onKeyDown={press} />
      {props.children[1]}
    </div>
  );
}
