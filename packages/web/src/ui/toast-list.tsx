import { Toast as RadixToast } from 'radix-ui';
import { useStore } from 'zustand';
import { useWords } from '../lib/words.ts';
import { dismiss, toasts } from './overlays.tsx';
import { classes } from './styles.ts';

const SHOWN_MS = 6_000;

const EDGES = {
  plain: 'border-s-accent',
  buy: 'border-s-buy',
  sell: 'border-s-sell',
  warning: 'border-s-warning',
} as const;

/** Shows notices without covering the bottom bar, an open sheet, or the buttons of the ticket. */
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
            'appear rounded border border-s-2 border-line bg-raised px-3 py-2 max-tablet:py-1.5 max-tablet:not-last:hidden max-tablet:rounded-none max-tablet:border-y max-tablet:border-e-0',
            EDGES[tone],
          )}
        >
          <RadixToast.Title className="text-13 max-tablet:line-clamp-1 max-tablet:leading-tight">
            {title}
          </RadixToast.Title>
          {text !== undefined && (
            <RadixToast.Description className="text-12 text-muted max-tablet:line-clamp-2 max-tablet:leading-tight">
              {text}
            </RadixToast.Description>
          )}
        </RadixToast.Root>
      ))}
      <RadixToast.Viewport className="z-50 flex flex-col gap-2 outline-none max-tablet:in-[body:has([role=dialog])]:fixed max-tablet:in-[body:has([role=dialog])]:inset-x-0 max-tablet:in-[body:has([role=dialog])]:top-0 tablet:fixed tablet:end-4 tablet:bottom-18 tablet:w-80 desktop:end-84 desktop:bottom-4" />
    </RadixToast.Provider>
  );
}
