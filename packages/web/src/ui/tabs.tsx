import { Tabs as RadixTabs } from 'radix-ui';
import { direction } from './segmented.tsx';
import type { ReactNode } from 'react';

type Tab<Value extends string> = {
  readonly value: Value;
  readonly label: ReactNode;
  /** Beside the label: how many rows there are. */
  readonly count?: number | undefined;
  readonly content: ReactNode;
};

export function Tabs<Value extends string>({
  label,
  tabs,
  value,
  onChange,
  aside,
}: {
  readonly label: string;
  readonly tabs: readonly Tab<Value>[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  readonly aside?: ReactNode;
}) {
  return (
    <RadixTabs.Root
      dir={direction()}
      value={value}
      onValueChange={(next) => onChange(next as Value)}
      className="flex h-full min-h-0 flex-col"
    >
      <div className="flex h-9 shrink-0 items-center border-b border-line">
        <RadixTabs.List
          aria-label={label}
          className="flex h-full min-w-0 flex-1 overflow-x-auto overflow-y-hidden [scrollbar-width:none]"
        >
          {tabs.map((tab) => (
            <RadixTabs.Trigger
              key={tab.value}
              value={tab.value}
              className="flex h-full shrink-0 items-center gap-1 px-3 text-13 text-muted transition-colors hover:text-text data-[state=active]:text-text data-[state=active]:shadow-[inset_0_-2px_0_var(--accent)]"
            >
              {tab.label}
              {tab.count !== undefined && tab.count > 0 && (
                <span className="text-muted">{tab.count}</span>
              )}
            </RadixTabs.Trigger>
          ))}
        </RadixTabs.List>
        {aside !== undefined && <div className="flex shrink-0 items-center px-3">{aside}</div>}
      </div>
      {tabs.map((tab) => (
        <RadixTabs.Content
          key={tab.value}
          value={tab.value}
          className="min-h-0 flex-1 outline-none"
        >
          {tab.content}
        </RadixTabs.Content>
      ))}
    </RadixTabs.Root>
  );
}
