import type { Candle } from '@oddlot/protocol';
import type { History } from '../../history/history.ts';
import { type CandleQuery, candlesOf, missingBars } from '../../translate/info/candles.ts';
import { emptyPast } from '../../translate/info/handler.ts';
import type { InfoAnswer, InfoContext } from '../../translate/answer-info.ts';
import { pastRows } from './past.ts';

/** What candles are made of. */
export type CandleContext = Pick<InfoContext, 'state' | 'markets'> & { readonly history: History };

/** Candles of any age, at most the latest 5,000 of a span; what memory lacks comes from the history. */
export async function candlesBetween(
  context: CandleContext,
  query: CandleQuery,
): Promise<InfoAnswer<Candle[]>> {
  const past = emptyPast();
  const bars = missingBars(context, query);
  if (bars !== undefined) {
    past.bars.set(bars.instrumentId, await pastRows(context, bars));
  }
  return candlesOf({ ...context, past }, query);
}
