import type { RateLimit } from '@oddlot/protocol';
import {
  queryInfo,
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
} from './query-info.ts';

/** What `rateLimit` takes. */
export type RateLimitParameters = InfoParameters<'rateLimit'>;

/** What is left of the budgets of this client. */
export function rateLimit(
  context: InfoContext,
  parameters: RateLimitParameters = {},
  options?: InfoOptions,
): Promise<RateLimit> {
  return queryInfo(context, { type: 'rateLimit', ...parameters }, options);
}
