import type { CommandResult } from '../messages/block.ts';
import type { RegisterPegsCommand } from '../messages/command.ts';
import { LIMITS } from '../messages/limits.ts';
import type { Execution } from '../state/execution.ts';
import { NO_BRIDGE } from './publish-reserves.ts';

/**
 * R-limits-of-state: opening the account of a relay's address costs nothing, and nobody makes it an
 * agent before (R-agents). An address that has an account needs no note; of those without, the ones
 * that were named last are kept.
 */
export function registerPegs(
  { state }: Execution,
  { addresses }: RegisterPegsCommand,
): CommandResult {
  const { accountIndex, bridge, digest } = state;
  if (bridge === undefined) return { reject: NO_BRIDGE };
  for (const address of addresses.slice(0, LIMITS.pegsPerCommand)) {
    if (accountIndex.has(address)) continue;
    bridge.pegs.delete(address);
    bridge.pegs.set(address, true);
    digest.text(address);
    const [oldest] = bridge.pegs.keys();
    if (bridge.pegs.size > LIMITS.pegsKept && oldest !== undefined) bridge.pegs.delete(oldest);
  }
  return {};
}
