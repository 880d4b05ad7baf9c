import type { Leg, OutcomeEventMeta, OutcomeMarketMeta } from '@oddlot/sdk';
import type { ReactNode } from 'react';
import { sign, subtract, sum } from '../../lib/decimal.ts';
import { cents, money, number } from '../../lib/format.ts';
import { useWords } from '../../lib/words.ts';
import { priceDecimals } from '../../market/cells.tsx';
import { Button } from '../../ui/controls.tsx';
import { Money } from '../../ui/figures.tsx';
import {
  costOf,
  legName,
  nameOf,
  priceToSell,
  usePayouts,
  worthAt,
  type Bbo,
} from './market-facts.ts';
import { useFunds } from './queries.ts';

type HoldingsProps = {
  readonly event: OutcomeEventMeta;
  readonly market: OutcomeMarketMeta;
  readonly bbo: Bbo | undefined;
  readonly onSell: (leg: Leg) => void;
};

export function Holdings({ event, market, bbo, onSell }: HoldingsProps) {
  const t = useWords();
  const { holdings } = useFunds(market.instrument_id);
  if (holdings.length === 0) return <PaidOut event={event} market={market} />;
  const cost = costOf(holdings);
  const value = sum(holdings.map((holding) => holding.value));
  const fees = sum(holdings.map((holding) => holding.fees));
  return (
    <section
      aria-label={t('outcomes.position.label')}
      className="flex flex-wrap items-center gap-x-8 gap-y-2 rounded border border-line px-3 py-2"
    >
      <div className="min-w-40">
        <h2 className="truncate text-12 text-muted">
          {t('outcomes.position.title', { market: nameOf(market, event) })}
        </h2>
        {holdings.map(({ entry, leg, shares }) => (
          <p key={leg} className="flex items-center gap-3">
            <span>
              {t('outcomes.position.shares', {
                shares: number(shares),
                leg: legName(market, leg),
                price: cents(entry, priceDecimals(market) + 1),
              })}
            </span>
            {market.phase === 'open' && (
              <Button kind="quiet" size="small" onClick={() => onSell(leg)}>
                {t('outcomes.position.sell', {
                  price: cents(priceToSell(bbo, leg), priceDecimals(market)),
                })}
              </Button>
            )}
          </p>
        ))}
        {sign(fees) > 0 && (
          <p className="text-12 text-muted">
            {t('outcomes.position.fees', { amount: money(fees) })}
          </p>
        )}
      </div>
      <dl className="grid flex-1 grid-cols-3 max-tablet:basis-full gap-x-2 gap-y-2 tablet:flex tablet:flex-wrap tablet:justify-end tablet:gap-x-8">
        <Worth label={t('outcomes.position.now')} value={value}>
          <Money value={subtract(value, cost)} isSigned isColoured />
        </Worth>
        {(['Yes', 'No'] as const).map((leg) => {
          const worth = worthAt(holdings, leg === 'Yes' ? '1' : '0');
          return (
            <Worth
              key={leg}
              label={t('outcomes.position.if', { leg: legName(market, leg) })}
              value={worth}
            >
              <Money value={subtract(worth, cost)} isSigned isColoured />
            </Worth>
          );
        })}
      </dl>
    </section>
  );
}

type WorthProps = { readonly label: string; readonly value: string; readonly children: ReactNode };

function Worth({ label, value, children }: WorthProps) {
  return (
    <div>
      <dt className="text-12 text-muted">{label}</dt>
      <dd className="flex items-baseline gap-2 max-tablet:flex-col max-tablet:gap-0">
        <span className="text-15 font-semibold">
          <Money value={value} />
        </span>
        <span className="text-12">{children}</span>
      </dd>
    </div>
  );
}

type PaidOutProps = { readonly event: OutcomeEventMeta; readonly market: OutcomeMarketMeta };

export function PaidOut({ event, market }: PaidOutProps) {
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
