import type { SimulatedAction } from '@oddlot/protocol';
import {
  queryInfo,
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
} from './query-info.ts';

/** What `simulate` takes. */
export type SimulateParameters = InfoParameters<'simulate'>;

/**
 * What an action would do if it were sent now: fills, fees, margin and positions afterwards, or the
 * refusal. Nothing is signed and nothing changes.
 */
export function simulate(
  context: InfoContext,
  parameters: SimulateParameters,
  options?: InfoOptions,
): Promise<SimulatedAction> {
  return queryInfo(context, { type: 'simulate', ...parameters }, options);
}
