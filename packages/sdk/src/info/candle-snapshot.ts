import type { Candle } from '@oddlot/protocol';
import {
  queryInfo,
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
} from './query-info.ts';

/** What `candleSnapshot` takes: the instrument id as text, the interval, and a span of time. */
export type CandleSnapshotParameters = InfoParameters<'candleSnapshot'>['req'];

/** Candles of an instrument, oldest first, the latest 5,000 of the span. */
export function candleSnapshot(
  context: InfoContext,
  parameters: CandleSnapshotParameters,
  options?: InfoOptions,
): Promise<Candle[]> {
  return queryInfo(context, { type: 'candleSnapshot', req: parameters }, options);
}
