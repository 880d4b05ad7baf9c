import { agentOwner } from '@oddlot/engine';
import type { InfoQuery, Warning } from '@oddlot/protocol';
import type { InfoContext } from './handler.ts';

/** Agents hold nothing: who asks for an agent's positions most likely meant its owner's. */
export function agentWarning({ state }: InfoContext, query: InfoQuery): Warning | undefined {
  if (!('user' in query) || query.user === undefined) return undefined;
  const found = agentOwner(state, query.user);
  if (found === undefined) return undefined;
  const details = { agent: query.user, owner: found.owner };
  return {
    code: 'AGENT_ADDRESS',
    message: `${query.user} is an agent of ${found.owner}`,
    details,
  };
}
