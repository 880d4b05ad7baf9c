import { Toast as RadixToast } from 'radix-ui';
import type { ReactNode } from 'react';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { useWords } from '../lib/words.ts';
import { classes } from './class-names.ts';

/** News that nobody asked for: a fill, a liquidation, a withdrawal that was paid. */
export type Toast = {
  readonly id: number;
  readonly title: ReactNode;
  readonly text?: ReactNode;
  readonly tone?: 'plain' | 'buy' | 'sell' | 'warning' | undefined;
};

const SHOWN_MAX = 4;
const SHOWN_MS = 6_000;

const toasts = createStore<{ readonly shown: readonly Toast[] }>(() => ({ shown: [] }));
let lastId = 0;

/** Shows a notice for a few seconds; beyond a few the oldest goes. */
export function notify(toast: Omit<Toast, 'id'>): void {
  lastId += 1;
  const shown = [...toasts.getState().shown, { ...toast, id: lastId }].slice(-SHOWN_MAX);
  toasts.setState({ shown });
}

function dismiss(id: number): void {
  toasts.setState({ shown: toasts.getState().shown.filter((toast) => toast.id !== id) });
}

const EDGES = {
  plain: 'border-l-accent',
  buy: 'border-l-buy',
  sell: 'border-l-sell',
  warning: 'border-l-warning',
} as const;

/** Where notices appear; around the program, once. On a phone at the top: buttons are at the bottom. */
export function Toasts() {
  const t = useWords();
  const shown = useStore(toasts, (state) => state.shown);
  return (
    <RadixToast.Provider duration={SHOWN_MS} label={t('ui.notice')}>
      {shown.map(({ id, text, title, tone = 'plain' }) => (
        <RadixToast.Root
          key={id}
          onOpenChange={(isOpen) => !isOpen && dismiss(id)}
          className={classes(
            'appear rounded border border-l-2 border-line bg-raised px-3 py-2',
            EDGES[tone],
          )}
        >
          <RadixToast.Title className="text-13">{title}</RadixToast.Title>
          {text !== undefined && (
            <RadixToast.Description className="text-12 text-muted">{text}</RadixToast.Description>
          )}
        </RadixToast.Root>
      ))}
      <RadixToast.Viewport className="fixed right-4 bottom-4 z-50 flex w-80 max-w-[calc(100vw-32px)] flex-col gap-2 outline-none max-tablet:top-14 max-tablet:bottom-auto" />
    </RadixToast.Provider>
  );
}
