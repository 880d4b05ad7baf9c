import type { OutcomeAssetCtx } from '@oddlot/protocol';
import {
  queryInfo,
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
} from './query-info.ts';

/** What `outcomeAssetCtxs` takes. */
export type OutcomeAssetCtxsParameters = InfoParameters<'outcomeAssetCtxs'>;

/** Prices, volumes and open interest of up to 50 outcome markets. */
export function outcomeAssetCtxs(
  context: InfoContext,
  parameters: OutcomeAssetCtxsParameters,
  options?: InfoOptions,
): Promise<OutcomeAssetCtx[]> {
  return queryInfo(context, { type: 'outcomeAssetCtxs', ...parameters }, options);
}
