import { type ReactNode, useEffect, useRef } from "react";

/** A modal window of the browser itself: the focus stays in it, Escape closes it and the focus goes back. */
export function Dialog({ label, className, close, children }: { label: string; className?: string; close: () => void; children: ReactNode }) {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = box.current;
    const before = document.activeElement as HTMLElement | null;
    if (dialog && !dialog.open) dialog.showModal();
    return () => before?.focus?.();
  }, []);
  return (
    <dialog ref={box} className={className} aria-label={label} onCancel={(event) => {
      event.preventDefault();
      close();
    }}
      onPointerDown={(event) => event.target === box.current && close()}>
      {children}
    </dialog>
  );
}
