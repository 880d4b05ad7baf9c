import type { FeeTierRow } from '@oddlot/protocol';
import {
  queryInfo,
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
} from './query-info.ts';

/** What `feeTierInfo` takes. */
export type FeeTierInfoParameters = InfoParameters<'feeTierInfo'>;

/** Rates by the trading volume of the last 14 days. */
export type FeeTierInfo = { tiers: FeeTierRow[] };

/** The ladder of fee tiers. */
export function feeTierInfo(
  context: InfoContext,
  parameters: FeeTierInfoParameters = {},
  options?: InfoOptions,
): Promise<FeeTierInfo> {
  return queryInfo(context, { type: 'feeTierInfo', ...parameters }, options);
}
