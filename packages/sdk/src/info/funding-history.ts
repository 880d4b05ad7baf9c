import type { FundingHistoryRow } from '@oddlot/protocol';
import {
  queryInfo,
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
} from './query-info.ts';

/** What `fundingHistory` takes: a perp by name or id, and a span of time. */
export type FundingHistoryParameters = InfoParameters<'fundingHistory'>;

/** The funding rate of each hour of a perp, oldest first, the first 500 of the span. */
export function fundingHistory(
  context: InfoContext,
  parameters: FundingHistoryParameters,
  options?: InfoOptions,
): Promise<FundingHistoryRow[]> {
  return queryInfo(context, { type: 'fundingHistory', ...parameters }, options);
}
