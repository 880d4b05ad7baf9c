import type { CommandResult } from '../messages/block.ts';
import type { OfTerm, PublishReservesCommand } from '../messages/command.ts';
import type { Reject } from '../messages/reject.ts';
import type { Reserves } from '../state/bridge.ts';
import type { Execution } from '../state/execution.ts';

/** What needs a bridge and finds none. */
export const NO_BRIDGE: Reject = {
  reason: 'definitionInvalid',
  field: 'bridge',
  why: 'no bridge is open',
};

/** Records what is owed and what is held in the log. A publication never goes back (R-terms). */
export function publishReserves(
  { commandIndex, events, state }: Execution,
  command: PublishReservesCommand & OfTerm,
): CommandResult {
  const { bridge, digest, timeMs } = state;
  if (bridge === undefined) return { reject: NO_BRIDGE };
  const reject = checkOrder(command, bridge.reserves);
  if (reject !== undefined) return { reject };
  const { term: _, type: __, ...published } = command;
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

/** The settlement chain may rest between two publications, so an equal block number is accepted. */
function checkOrder(
  { blockNumber, height }: PublishReservesCommand,
  last: Reserves | undefined,
): Reject | undefined {
  if (last === undefined) return undefined;
  if (height <= last.height) {
    const why = `reserves of height ${last.height} are published already`;
    return { reason: 'definitionInvalid', field: 'height', why };
  }
  if (blockNumber >= last.blockNumber) return undefined;
  const why = `reserves of chain block ${last.blockNumber} are published already`;
  return { reason: 'definitionInvalid', field: 'blockNumber', why };
}
