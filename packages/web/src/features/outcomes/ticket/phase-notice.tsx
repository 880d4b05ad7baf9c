import type { OutcomeMarketMeta } from '@oddlot/sdk';
import { countdown } from '../../../lib/time.ts';
import { useWords } from '../../../lib/words.ts';
import { useVenueSecond } from '../../../market/use-venue-second.ts';

/** Why nothing can be traded at the moment, for whoever opens the ticket; nothing where it can. */
export function PhaseNotice({ market }: { readonly market: OutcomeMarketMeta }) {
  const t = useWords();
  if (market.trading.accepting_orders) return null;
  return (
    <p role="status" className="border-s-2 border-warning py-1 ps-3 text-12">
      {market.phase === 'upcoming' ? (
        <Opens startMs={market.start_time} />
      ) : (
        t(`outcomes.phase.${market.phase}Text`)
      )}
    </p>
  );
}

function Opens({ startMs }: { readonly startMs: number }) {
  const t = useWords();
  const leftMs = startMs - useVenueSecond();
  return (
    <span className="tabular-nums">
      {leftMs > 0
        ? t('outcomes.phase.opensIn', { when: countdown(leftMs) })
        : t('outcomes.phase.upcomingText')}
    </span>
  );
}
