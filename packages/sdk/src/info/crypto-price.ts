import type { CryptoPrice } from '@oddlot/protocol';
import {
  queryInfo,
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
} from './query-info.ts';

/** What `cryptoPrice` takes. */
export type CryptoPriceParameters = InfoParameters<'cryptoPrice'>;

/** A reference price: the one to beat and the one reached; without times the latest. */
export function cryptoPrice(
  context: InfoContext,
  parameters: CryptoPriceParameters,
  options?: InfoOptions,
): Promise<CryptoPrice> {
  return queryInfo(context, { type: 'cryptoPrice', ...parameters }, options);
}
