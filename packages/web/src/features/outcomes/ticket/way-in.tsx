import { useStore } from 'zustand';
import { useWords } from '../../../lib/words.ts';
import { useSettings } from '../../../market/queries.ts';
import { FirstSteps } from '../../../session/first-steps.tsx';
import { firstVisit, openTestAccount } from '../../../session/first-visit.ts';
import { LetTrade } from '../../../session/let-trade.tsx';
import type { Session } from '../../../session/session.ts';
import { Button } from '../../../ui/button.tsx';

/** For who cannot trade yet: the one button that changes it. */
export function WayIn({ session }: { readonly session: Session | undefined }) {
  const t = useWords();
  const { at, error } = useStore(firstVisit);
  const { data: settings } = useSettings();
  if (session?.kind === 'spectator') {
    return <p className="text-12 text-muted">{t('outcomes.ticket.lookingOn')}</p>;
  }
  const isBeginning = at !== 'idle' && at !== 'done';
  if (session?.kind === 'wallet' || (session !== undefined && !isBeginning)) {
    return <LetTrade />;
  }
  if (settings?.faucet_amount === null) {
    return <p className="text-12 text-muted">{t('first.textNoFaucet')}</p>;
  }
  return (
    <div className="flex flex-col gap-3">
      <Button
        kind="accent"
        size="large"
        isWide
        isBusy={at !== 'idle' && at !== 'done' && error === undefined}
        onClick={() => void openTestAccount()}
      >
        {t('first.button')}
      </Button>
      <FirstSteps />
    </div>
  );
}
