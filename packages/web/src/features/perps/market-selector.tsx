import { lazy, Suspense, useState } from 'react';
import { useWords } from '../../lib/words.ts';
import { useHotkey } from '../../ui/use-hotkey.ts';
import { useTradedPerp } from './traded-perp.ts';

const SelectDialog = lazy(async () => ({
  default: (await import('./select-dialog.tsx')).SelectDialog,
}));

/** The name of the market; behind it all others. */
export function MarketSelector() {
  const t = useWords();
  const { perp } = useTradedPerp();
  const [isOpen, setIsOpen] = useState(false);
  useHotkey('/', () => setIsOpen(true));
  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        title={t('perps.select.open')}
        onClick={() => setIsOpen(true)}
        className="flex min-w-0 max-tablet:max-w-32 items-baseline gap-2 rounded whitespace-nowrap hover:text-accent"
      >
        <h1 className="flex min-w-0 gap-1 text-20 font-semibold max-tablet:text-15">
          <span className="truncate">{perp.name}</span>
          <span className="shrink-0">▾</span>
        </h1>
        <span className="text-12 text-muted max-tablet:hidden">{perp.maxLeverage}×</span>
      </button>
      <Suspense>{isOpen && <SelectDialog onClose={() => setIsOpen(false)} />}</Suspense>
    </>
  );
}
