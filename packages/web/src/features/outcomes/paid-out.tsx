import type { OutcomeEventMeta, OutcomeMarketMeta } from '@oddlot/sdk';
import { sign } from '../../lib/decimal.ts';
import { money, number } from '../../lib/format.ts';
import { useWords } from '../../lib/words.ts';
import { legName, nameOf } from './market-facts.ts';
import { usePayouts } from './use-payouts.ts';

/** What became of somebody's shares of a market that is resolved. */
export function PaidOut({
  event,
  market,
}: {
  readonly event: OutcomeEventMeta;
  readonly market: OutcomeMarketMeta;
}) {
  const t = useWords();
  const payouts = usePayouts(market.instrument_id);
  if (payouts.length === 0) return null;
  return (
    <section
      aria-label={t('outcomes.payout.label')}
      className="rounded border border-line px-3 py-2"
    >
      <h2 className="truncate text-12 text-muted">
        {t('outcomes.payout.title', { market: nameOf(market, event) })}
      </h2>
      {payouts.map(({ amount, outcome, sz }) => (
        <p key={outcome}>
          {t(sign(amount) > 0 ? 'outcomes.payout.paid' : 'outcomes.payout.lost', {
            shares: number(sz),
            leg: legName(market, outcome),
            amount: money(amount),
          })}
        </p>
      ))}
    </section>
  );
}
