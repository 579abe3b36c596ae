import type { KeyboardEvent, ReactNode } from "react";

interface Tab<Id extends string> {
  id: Id;
  label: ReactNode;
}

/** Tabs as ARIA wants them: one stop, arrows go between them. `controls` is the id of the panel. */
export function Tabs<Id extends string>(props: {
  label: string;
  tabs: readonly Tab<Id>[];
  chosen: Id;
  choose: (id: Id) => void;
  controls: string;
}) {
  const { tabs, chosen, choose } = props;
  const move = (event: KeyboardEvent<HTMLDivElement>) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const at = tabs.findIndex((tab) => tab.id === chosen);
    const next = tabs[(at + step + tabs.length) % tabs.length];
    if (!next) return;
    choose(next.id);
    (event.currentTarget.querySelector(`[data-tab="${next.id}"]`) as HTMLElement | null)?.focus();
  };
  return (
    <div className="tabs" role="tablist" aria-label={props.label} onKeyDown={move}>
      {tabs.map((tab) => (
        <button key={tab.id} type="button" role="tab" data-tab={tab.id} aria-selected={tab.id === chosen}
          aria-controls={props.controls} tabIndex={tab.id === chosen ? 0 : -1} onClick={() => choose(tab.id)}>
          {tab.label}
        </button>
      ))}
    </div>
  );
}
