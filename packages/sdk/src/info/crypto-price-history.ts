import type { CryptoPriceHistory } from '@oddlot/protocol';
import {
  queryInfo,
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
} from './query-info.ts';

/** What `cryptoPriceHistory` takes. */
export type CryptoPriceHistoryParameters = InfoParameters<'cryptoPriceHistory'>;

/** Reference prices of a span, oldest first, thinned evenly to at most 2,000. */
export function cryptoPriceHistory(
  context: InfoContext,
  parameters: CryptoPriceHistoryParameters,
  options?: InfoOptions,
): Promise<CryptoPriceHistory> {
  return queryInfo(context, { type: 'cryptoPriceHistory', ...parameters }, options);
}
