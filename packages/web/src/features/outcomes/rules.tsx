import type { OutcomeEventMeta, OutcomeMarketMeta } from '@oddlot/sdk';
import type { ReactNode } from 'react';
import { cents, number, percent } from '../../lib/format.ts';
import { wholeDate } from '../../lib/time.ts';
import { useWords } from '../../lib/words.ts';
import { priceDecimals } from '../../market/grid-decimals.ts';
import { legName } from './market-facts.ts';

/** What decides, when, by whom, and what trading costs: the words of the event as text. */
export function Rules({
  event,
  market,
}: {
  readonly event: OutcomeEventMeta;
  readonly market: OutcomeMarketMeta;
}) {
  const t = useWords();
  const delayMs = market.trading.order_delay_ms;
  return (
    <div className="grid max-w-4xl gap-x-8 gap-y-4 p-4 text-13 tablet:grid-cols-[1fr_280px]">
      <div className="flex min-w-0 flex-col gap-3 break-words whitespace-pre-line">
        <h2 className="text-15 font-semibold">{market.question}</h2>
        {textsOf(event, market).map((text) => (
          <p key={text}>{text}</p>
        ))}
        <p className="text-muted">
          {t('outcomes.rules.pays', { yes: legName(market, 'Yes'), no: legName(market, 'No') })}
        </p>
        {event.mutually_exclusive && <p className="text-muted">{t('outcomes.rules.exclusive')}</p>}
        {delayMs > 0 && (
          <p className="text-muted">{t('outcomes.rules.delay', { ms: number(String(delayMs)) })}</p>
        )}
      </div>
      <dl className="flex flex-col gap-1 text-12">
        <Fact label={t('outcomes.rules.source')}>{market.resolution_source}</Fact>
        <Fact label={t('outcomes.rules.opens')}>{wholeDate(market.start_time)}</Fact>
        <Fact label={t('outcomes.rules.closes')}>{wholeDate(market.end_time)}</Fact>
        <Fact label={t('outcomes.rules.tick')}>
          {cents(market.price_tick, priceDecimals(market))}
        </Fact>
        <Fact label={t('outcomes.rules.least')}>
          {t('outcomes.rules.leastOf', { size: number(market.min_order_size) })}
        </Fact>
        <Fact label={t('outcomes.rules.fee')}>
          {t('outcomes.rules.feeOf', { rate: percent(market.taker_fee_rate, { decimals: 0 }) })}
        </Fact>
        <Fact label={t('outcomes.rules.id')}>{String(market.instrument_id)}</Fact>
      </dl>
    </div>
  );
}

/** What is said of the event and of the market, each once. */
function textsOf(event: OutcomeEventMeta, market: OutcomeMarketMeta): readonly string[] {
  const [whole, own] = [event.description.trim(), market.description.trim()];
  if (own.includes(whole)) return own === '' ? [] : [own];
  return whole.includes(own) ? [whole] : [whole, own];
}

function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div className="flex justify-between gap-4 border-b border-line/50 py-1">
      <dt className="shrink-0 text-muted">{label}</dt>
      <dd className="min-w-0 text-end break-words">{children}</dd>
    </div>
  );
}
