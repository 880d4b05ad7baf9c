import type { OutcomeResolution } from '@oddlot/protocol';
import {
  queryInfo,
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
} from './query-info.ts';

/** What `outcomeResolution` takes. */
export type OutcomeResolutionParameters = InfoParameters<'outcomeResolution'>;

/** The receipt of a settlement; `checkResolution` computes it again. */
export function outcomeResolution(
  context: InfoContext,
  parameters: OutcomeResolutionParameters,
  options?: InfoOptions,
): Promise<OutcomeResolution> {
  return queryInfo(context, { type: 'outcomeResolution', ...parameters }, options);
}
