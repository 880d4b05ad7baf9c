import type { OutcomeMarketMeta } from '@oddlot/sdk';
import { hourMinute } from '../../../lib/time.ts';
import { useWords } from '../../../lib/words.ts';
import { lacksStrike, legName } from '../market-facts.ts';

/** What somebody has to know before buying shares of a market that nothing but its operator can decide (R-series). */
export function NoStrike({ market }: { readonly market: OutcomeMarketMeta }) {
  const t = useWords();
  if (!lacksStrike(market)) return null;
  return (
    <p role="alert" className="border-s-2 border-warning py-1 ps-3 text-12">
      {t('outcomes.series.noStrikeText', {
        when: hourMinute(market.start_time),
        yes: legName(market, 'Yes'),
        no: legName(market, 'No'),
      })}
    </p>
  );
}
