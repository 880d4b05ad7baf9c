import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useStore } from 'zustand';
import { money } from '../../lib/format.ts';
import { useWords } from '../../lib/words.ts';
import { useSettings } from '../../market/queries.ts';
import { FirstSteps } from '../../session/first-steps.tsx';
import { firstVisit, openTestAccount } from '../../session/first-visit.ts';
import { hadAccount } from '../../session/session.ts';
import { useIsSessionLoaded, useSession } from '../../session/use-session.ts';
import { Button } from '../../ui/button.tsx';

/** For who has no account yet: one button, and the three steps while they happen. */
export function FirstVisitStrip() {
  const t = useWords();
  const session = useSession();
  const isLoaded = useIsSessionLoaded();
  const { at, error } = useStore(firstVisit);
  const { data: settings } = useSettings();
  // Who comes back to this screen has read it.
  useEffect(
    () => () => {
      if (firstVisit.getState().at === 'done') firstVisit.setState({ at: 'idle' });
    },
    [],
  );
  const isUnderWay = at !== 'idle' && at !== 'done';
  const isNew = session === undefined || at !== 'idle';
  // Who was nobody last time is shown the strip at once: nothing is pushed down by it later.
  if (!isNew || (!isLoaded && hadAccount())) return null;
  // Before the venue has said so: nearly every one has a faucet, and nothing moves when it has.
  const hasFaucet = settings?.faucet_amount !== null;
  const amount = settings === undefined ? '…' : money(settings.faucet_amount, { decimals: 0 });
  const isDone = at === 'done';
  return (
    <section
      aria-label={t('first.title')}
      className="flex min-h-16 flex-wrap items-center gap-x-6 gap-y-2 border-b border-line bg-accent/6 px-4 py-3"
    >
      <div className="min-w-60 flex-1">
        <p className="text-15 font-semibold">{isDone ? t('first.done') : t('first.title')}</p>
        {at === 'idle' ? (
          <p className="text-13 text-muted">
            {hasFaucet ? t('first.text', { amount }) : t('first.textNoFaucet')}
          </p>
        ) : (
          <FirstSteps isInLine />
        )}
      </div>
      {isDone && (
        <Link to="/trade/BTC-USDC" className="text-13 font-medium text-accent hover:underline">
          {t('first.toTrade', { market: 'BTC-USDC' })}
        </Link>
      )}
      {hasFaucet && !isDone && (
        <span className="max-tablet:flex max-tablet:w-full max-tablet:flex-col">
          <Button
            kind="accent"
            size="large"
            disabled={settings === undefined || !isLoaded}
            isBusy={isUnderWay && error === undefined}
            onClick={() => void openTestAccount()}
          >
            {t('first.button')}
          </Button>
        </span>
      )}
    </section>
  );
}
