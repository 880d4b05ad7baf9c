import type { Portfolio } from '@oddlot/protocol';
import {
  queryInfo,
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
} from './query-info.ts';

/** What `portfolio` takes. */
export type PortfolioParameters = InfoParameters<'portfolio'>;

/** What an account was worth over time; the last point is now. */
export function portfolio(
  context: InfoContext,
  parameters: PortfolioParameters,
  options?: InfoOptions,
): Promise<Portfolio> {
  return queryInfo(context, { type: 'portfolio', ...parameters }, options);
}
