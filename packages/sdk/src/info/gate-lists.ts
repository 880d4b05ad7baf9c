import type { GateLists } from '@oddlot/protocol';
import {
  queryInfo,
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
} from './query-info.ts';

/** What `gateLists` takes. */
export type GateListsParameters = InfoParameters<'gateLists'>;

/** Whom the lists of a gate name. */
export function gateLists(
  context: InfoContext,
  parameters: GateListsParameters = {},
  options?: InfoOptions,
): Promise<GateLists> {
  return queryInfo(context, { type: 'gateLists', ...parameters }, options);
}
