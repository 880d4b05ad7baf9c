import type { OutcomeProbability } from '@oddlot/protocol';
import {
  queryInfo,
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
} from './query-info.ts';

/** What `outcomeProbability` takes. */
export type OutcomeProbabilityParameters = InfoParameters<'outcomeProbability'>;

/** How the YES prices of up to 50 markets moved, oldest first. */
export function outcomeProbability(
  context: InfoContext,
  parameters: OutcomeProbabilityParameters,
  options?: InfoOptions,
): Promise<OutcomeProbability> {
  return queryInfo(context, { type: 'outcomeProbability', ...parameters }, options);
}
