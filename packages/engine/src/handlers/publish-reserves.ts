import type { CommandResult } from '../messages/block.ts';
import type { PublishReservesCommand } from '../messages/command.ts';
import type { Reject } from '../messages/reject.ts';
import type { Execution } from '../state/execution.ts';

/** What needs a bridge and finds none. */
export const NO_BRIDGE: Reject = {
  reason: 'definitionInvalid',
  field: 'bridge',
  why: 'no bridge is open',
};

/** Puts what is owed and what is held into the log, where nobody can change it afterwards. */
export function publishReserves(
  { commandIndex, events, state }: Execution,
  command: PublishReservesCommand,
): CommandResult {
  const { bridge, digest, timeMs } = state;
  if (bridge === undefined) return { reject: NO_BRIDGE };
  const { type: _, ...published } = command;
  bridge.reserves = { ...published, publishedMs: timeMs };
  digest.text(published.root);
  for (const value of [
    published.height,
    published.leaves,
    published.liabilitiesMicroUsdc,
    published.shortfallMicroUsdc,
    published.blockNumber,
    published.assetsMicroUsdc,
    published.keptAsideMicroUsdc,
    published.unsettledMicroUsdc,
    published.unbackedMicroUsdc,
  ]) {
    digest.number(value);
  }
  events.push({ type: 'reservesPublished', commandIndex, ...published });
  return {};
}
