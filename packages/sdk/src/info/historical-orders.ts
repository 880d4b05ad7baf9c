import type { HistOrderRow } from '@oddlot/protocol';
import {
  queryInfo,
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
} from './query-info.ts';

/** What `historicalOrders` takes. */
export type HistoricalOrdersParameters = InfoParameters<'historicalOrders'>;

/** The orders of an account as they are now or ended, the one that changed last first. */
export function historicalOrders(
  context: InfoContext,
  parameters: HistoricalOrdersParameters,
  options?: InfoOptions,
): Promise<HistOrderRow[]> {
  return queryInfo(context, { type: 'historicalOrders', ...parameters }, options);
}
