import type { OpenOrder } from '@oddlot/protocol';
import {
  queryInfo,
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
} from './query-info.ts';

/** What `frontendOpenOrders` takes. */
export type FrontendOpenOrdersParameters = InfoParameters<'frontendOpenOrders'>;

/** The open orders of a user, newest first. */
export function frontendOpenOrders(
  context: InfoContext,
  parameters: FrontendOpenOrdersParameters,
  options?: InfoOptions,
): Promise<OpenOrder[]> {
  return queryInfo(context, { type: 'frontendOpenOrders', ...parameters }, options);
}
