import { useStore } from 'zustand';
import { useWords } from '../../../lib/words.ts';
import { useSettings } from '../../../market/queries.ts';
import { FirstSteps } from '../../../session/first-steps.tsx';
import { firstVisit, isUnderWay, openTestAccount } from '../../../session/first-visit.ts';
import { LetTrade } from '../../../session/let-trade.tsx';
import type { Session } from '../../../session/session.ts';
import { Button } from '../../../ui/button.tsx';

/** For who cannot trade yet: the one button that changes it. */
export function WayIn({ session }: { readonly session: Session | undefined }) {
  const t = useWords();
  const isOpening = useStore(firstVisit, isUnderWay);
  const { data: settings } = useSettings();
  if (session?.kind === 'spectator') {
    return <p className="text-12 text-muted">{t('outcomes.ticket.lookingOn')}</p>;
  }
  if (session !== undefined && !isOpening) {
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
        isBusy={isOpening}
        onClick={() => void openTestAccount()}
      >
        {t('first.button')}
      </Button>
      <FirstSteps />
    </div>
  );
}
