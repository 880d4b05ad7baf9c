import type { ApprovedAgent } from '@oddlot/protocol';
import {
  queryInfo,
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
} from './query-info.ts';

/** What `approvedAgents` takes. */
export type ApprovedAgentsParameters = InfoParameters<'approvedAgents'>;

/** The agents of an account, by label. */
export function approvedAgents(
  context: InfoContext,
  parameters: ApprovedAgentsParameters,
  options?: InfoOptions,
): Promise<ApprovedAgent[]> {
  return queryInfo(context, { type: 'approvedAgents', ...parameters }, options);
}
