import type { OutcomeMarketMeta, OutcomeSeriesTimeline, Ticker } from '@oddlot/sdk';
import type { ReactNode } from 'react';
import { isDecimal, magnitude, sign, subtract } from '../../lib/decimal.ts';
import { chance, money, number } from '../../lib/format.ts';
import { countdown, hourMinute, wholeDate } from '../../lib/time.ts';
import { useWords } from '../../lib/words.ts';
import { useVenueSecond } from '../../market/use-venue-second.ts';
import { colourOf, Price } from '../../ui/figure.tsx';
import { lacksStrike, legName, markOf } from './market-facts.ts';
import { shownItem } from './queries.ts';
import { useLastReference } from './use-reference.ts';

const DECIMALS = 2;

/** The price, what it has to beat, and how long it has for that. */
export function SeriesHead({
  timeline,
  market,
  byId,
}: {
  readonly timeline: OutcomeSeriesTimeline;
  readonly market: OutcomeMarketMeta | undefined;
  readonly byId: ReadonlyMap<number, Ticker>;
}) {
  const t = useWords();
  const current = shownItem(timeline);
  const last = useLastReference(market)?.toFixed(DECIMALS);
  const strike = current?.openPrice;
  const hasNone = market !== undefined && lacksStrike(market);
  const lead = isDecimal(last) && isDecimal(strike) ? subtract(last, strike) : undefined;
  return (
    <header>
      <h1 className="text-20 font-semibold text-balance break-words tablet:text-28">
        {timeline.title}
      </h1>
      {current !== undefined && (
        <dl className="mt-3 flex flex-wrap gap-x-10 gap-y-2 max-tablet:grid max-tablet:grid-cols-[repeat(3,auto)] max-tablet:gap-x-4">
          <Figure label={t('outcomes.series.price', { symbol: timeline.underlying })}>
            <Price value={last} decimals={DECIMALS} hasFlash />
          </Figure>
          <Figure label={t('outcomes.series.strike')}>
            {isDecimal(strike)
              ? number(strike, { decimals: DECIMALS })
              : hasNone
                ? t('outcomes.series.noStrike')
                : t('outcomes.series.strikeAt', { when: hourMinute(current.startTime) })}
          </Figure>
          {lead !== undefined && <Lead value={lead} />}
          {market !== undefined && market.phase !== 'upcoming' && (
            <Figure label={legName(market, 'Yes')}>{chance(markOf(market, byId))}</Figure>
          )}
          <Left startMs={current.startTime} endMs={current.endTime} />
        </dl>
      )}
    </header>
  );
}

/** How far the price is from what it has to beat, on either side of it. */
function Lead({ value }: { readonly value: string }) {
  const t = useWords();
  const isBehind = sign(value) < 0;
  return (
    <Figure label={t(isBehind ? 'outcomes.series.behind' : 'outcomes.series.lead')}>
      <span className={colourOf(value)}>{money(magnitude(value))}</span>
    </Figure>
  );
}

function Left({ startMs, endMs }: { readonly startMs: number; readonly endMs: number }) {
  const t = useWords();
  const nowMs = useVenueSecond();
  const isAhead = nowMs < startMs;
  return (
    <Figure label={t(isAhead ? 'outcomes.series.startsIn' : 'outcomes.series.left')}>
      <span title={wholeDate(isAhead ? startMs : endMs)}>
        {countdown((isAhead ? startMs : endMs) - nowMs)}
      </span>
    </Figure>
  );
}

function Figure({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt className="text-12 text-muted">{label}</dt>
      <dd className="text-20 font-semibold whitespace-nowrap">{children}</dd>
    </div>
  );
}
