import type { AgentOwner } from '@oddlot/protocol';
import {
  queryInfo,
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
} from './query-info.ts';

/** What `agentOwner` takes. */
export type AgentOwnerParameters = InfoParameters<'agentOwner'>;

/** Whose agent an address is. */
export function agentOwner(
  context: InfoContext,
  parameters: AgentOwnerParameters,
  options?: InfoOptions,
): Promise<AgentOwner> {
  return queryInfo(context, { type: 'agentOwner', ...parameters }, options);
}
