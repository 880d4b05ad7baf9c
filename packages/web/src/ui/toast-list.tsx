import { Toast as RadixToast } from 'radix-ui';
import { useStore } from 'zustand';
import { useWords } from '../lib/words.ts';
import { classes } from './classes.ts';
import { dismiss, toasts } from './toast.tsx';

const SHOWN_MS = 6_000;

const EDGES = {
  plain: 'border-s-accent',
  buy: 'border-s-buy',
  sell: 'border-s-sell',
  warning: 'border-s-warning',
} as const;

/** The notices that are up. On a phone at the top: buttons are at the bottom. */
export function ToastList() {
  const t = useWords();
  const shown = useStore(toasts, (state) => state.shown);
  return (
    <RadixToast.Provider duration={SHOWN_MS} label={t('ui.notice')}>
      {shown.map(({ id, text, title, tone = 'plain' }) => (
        <RadixToast.Root
          key={id}
          onOpenChange={(isOpen) => !isOpen && dismiss(id)}
          className={classes(
            'appear rounded border border-s-2 border-line bg-raised px-3 py-2',
            EDGES[tone],
          )}
        >
          <RadixToast.Title className="text-13">{title}</RadixToast.Title>
          {text !== undefined && (
            <RadixToast.Description className="text-12 text-muted">{text}</RadixToast.Description>
          )}
        </RadixToast.Root>
      ))}
      <RadixToast.Viewport className="fixed end-4 bottom-4 z-50 flex w-80 max-w-[calc(100vw-32px)] flex-col gap-2 outline-none max-tablet:top-14 max-tablet:bottom-auto" />
    </RadixToast.Provider>
  );
}
