import type { FeeTierRates } from '@oddlot/protocol';
import {
  queryInfo,
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
} from './query-info.ts';

/** What `feeTierRates` takes. */
export type FeeTierRatesParameters = InfoParameters<'feeTierRates'>;

/** Where a user stands on the ladder of fee tiers, and what is missing to the next level. */
export function feeTierRates(
  context: InfoContext,
  parameters: FeeTierRatesParameters,
  options?: InfoOptions,
): Promise<FeeTierRates> {
  return queryInfo(context, { type: 'feeTierRates', ...parameters }, options);
}
