import type { ActiveAssetData } from '@oddlot/protocol';
import {
  queryInfo,
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
} from './query-info.ts';

/** What `activeAssetData` takes. */
export type ActiveAssetDataParameters = InfoParameters<'activeAssetData'>;

/** What a user can trade in an instrument, and at which leverage. */
export function activeAssetData(
  context: InfoContext,
  parameters: ActiveAssetDataParameters,
  options?: InfoOptions,
): Promise<ActiveAssetData> {
  return queryInfo(context, { type: 'activeAssetData', ...parameters }, options);
}
