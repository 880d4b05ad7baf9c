import type { OutcomeOpenOrder } from '@oddlot/protocol';
import {
  queryInfo,
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
} from './query-info.ts';

/** What `outcomeFrontendOpenOrders` takes. */
export type OutcomeFrontendOpenOrdersParameters = InfoParameters<'outcomeFrontendOpenOrders'>;

/** Orders of an account that rest on outcome markets; queued ones are not among them. */
export function outcomeFrontendOpenOrders(
  context: InfoContext,
  parameters: OutcomeFrontendOpenOrdersParameters,
  options?: InfoOptions,
): Promise<OutcomeOpenOrder[]> {
  return queryInfo(context, { type: 'outcomeFrontendOpenOrders', ...parameters }, options);
}
