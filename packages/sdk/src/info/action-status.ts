import type { ActionStatus } from '@oddlot/protocol';
import {
  queryInfo,
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
} from './query-info.ts';

/** What `actionStatus` takes. */
export type ActionStatusParameters = InfoParameters<'actionStatus'>;

/** The receipt of an action, by `txHash`, by `traceId`, or by `signer` and `nonce`. */
export function actionStatus(
  context: InfoContext,
  parameters: ActionStatusParameters,
  options?: InfoOptions,
): Promise<ActionStatus> {
  return queryInfo(context, { type: 'actionStatus', ...parameters }, options);
}
