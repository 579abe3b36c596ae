import { type KeyboardEvent, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";

export interface MenuItem {
  label: ReactNode;
  hint?: ReactNode;
  act: () => void;
  disabled?: boolean;
  /** More about it, such as why it cannot be done. */
  title?: string;
  /** A line above it. */
  apart?: boolean;
}

/** A button that opens a menu: arrows move, letters jump, Escape closes and gives the focus back. */
export function MenuButton(props: { label: string; icon: ReactNode; items: MenuItem[]; text?: string; tabIndex?: number }) {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const close = (refocus = true) => {
    setOpen(false);
    if (refocus) button.current?.focus();
  };
  return (
    <>
      <button ref={button} type="button" className={`button bare ${props.text ? "" : "icon"}`} aria-haspopup="menu" aria-expanded={open}
        aria-label={props.label} title={props.label} tabIndex={props.tabIndex}
        onClick={(event) => {
          event.stopPropagation();
          setOpen(!open);
        }}>
        {props.icon}{props.text}
      </button>
      {open && createPortal(<Menu anchor={button.current} label={props.label} items={props.items} close={close} />, document.body)}
    </>
  );
}

function Menu({ anchor, label, items, close }: { anchor: HTMLElement | null; label: string; items: MenuItem[]; close: (refocus?: boolean) => void }) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => place(box.current, anchor), [anchor]);
  useEffect(() => {
    (box.current?.querySelector('[role="menuitem"]') as HTMLElement | null)?.focus();
    const away = (event: Event) => {
      if (!box.current?.contains(event.target as Node) && !anchor?.contains(event.target as Node)) close(false);
    };
    const gone = () => close(false); // the button is elsewhere now
    document.addEventListener("pointerdown", away);
    window.addEventListener("resize", gone);
    return () => {
      document.removeEventListener("pointerdown", away);
      window.removeEventListener("resize", gone);
    };
  }, [anchor, close]);
  const press = (event: KeyboardEvent<HTMLDivElement>) => {
    event.stopPropagation();
    const all = [...event.currentTarget.querySelectorAll<HTMLElement>('[role="menuitem"]')];
    const at = all.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1 + all.length, Home: 0, End: all.length - 1 }[event.key];
    if (to !== undefined) all[to % all.length]?.focus();
    else if (event.key === "Escape" || event.key === "Tab") close();
    else if (event.key.length === 1 && event.key !== " ") {
      const letter = event.key.toLowerCase();
      [...all.slice(at + 1), ...all].find((one) => one.textContent?.trim().toLowerCase().startsWith(letter))?.focus();
      return;
    } else return;
    event.preventDefault();
  };
  return (
    <div ref={box} className="menu float" role="menu" aria-label={label} onKeyDown={press} onClick={(event) => event.stopPropagation()}>
      {items.map((item, at) => (
        <div key={at} role="presentation">
          {item.apart && <hr />}
          <button type="button" role="menuitem" tabIndex={-1} aria-disabled={item.disabled} title={item.title} onPointerMove={(event) => event.currentTarget.focus()}
            onClick={() => {
              if (item.disabled) return;
              close();
              item.act();
            }}>
            <span>{item.label}</span>
            {item.hint !== undefined && <span className="quiet">{item.hint}</span>}
          </button>
        </div>
      ))}
    </div>
  );
}

/** Below the anchor, or above it where there is no room; never outside the window. */
function place(box: HTMLElement | null, anchor: HTMLElement | null): void {
  if (!box || !anchor) return;
  const target = anchor.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = box;
  const below = target.bottom + 4 + height <= innerHeight;
  box.style.top = `${Math.max(8, below ? target.bottom + 4 : target.top - height - 4)}px`;
  box.style.left = `${Math.max(8, Math.min(target.left, innerWidth - width - 8))}px`;
}
