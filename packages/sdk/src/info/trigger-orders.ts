import type { TriggerOrder } from '@oddlot/protocol';
import {
  queryInfo,
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
} from './query-info.ts';

/** What `triggerOrders` takes. */
export type TriggerOrdersParameters = InfoParameters<'triggerOrders'>;

/** The trigger orders of a user that wait for their price. */
export function triggerOrders(
  context: InfoContext,
  parameters: TriggerOrdersParameters,
  options?: InfoOptions,
): Promise<TriggerOrder[]> {
  return queryInfo(context, { type: 'triggerOrders', ...parameters }, options);
}
