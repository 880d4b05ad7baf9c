import { useStore } from 'zustand';
import { useWords } from '../../../lib/words.ts';
import { FirstSteps } from '../../../session/first-steps.tsx';
import { firstVisit, isUnderWay, openTestAccount } from '../../../session/first-visit.ts';
import { LetTrade } from '../../../session/let-trade.tsx';
import { useIsSessionLoaded, useSession } from '../../../session/use-session.ts';
import { Button } from '../../../ui/button.tsx';

/** In place of the button, for who has no key yet that may trade. */
export function Entrance() {
  const t = useWords();
  const isLoaded = useIsSessionLoaded();
  const session = useSession();
  const isOpening = useStore(firstVisit, isUnderWay);
  if (session?.kind === 'spectator') {
    return <p className="text-12 text-muted">{t('perps.ticket.lookingOn')}</p>;
  }
  return (
    <div className="flex flex-col gap-3">
      {session === undefined && (
        <Button
          kind="accent"
          size="large"
          isWide
          disabled={!isLoaded}
          onClick={() => void openTestAccount()}
        >
          {t('first.button')}
        </Button>
      )}
      {session !== undefined && !isOpening && <LetTrade />}
      <FirstSteps />
    </div>
  );
}
