import { refusal, type WireError } from '@oddlot/protocol';
import type { RequestCommand } from '../block/request-command.ts';

/** Named in `details.why` of every refusal of an action that needs the settlement chain. */
export const NO_CHAIN = 'this venue has no settlement chain';

/** Refuses a withdrawal where no chain can pay it (R-withdraw): otherwise the amount would be held for ever. */
export function refuseWithoutChain(
  command: RequestCommand,
  hasChain = true,
): WireError | undefined {
  if (hasChain || command.type !== 'withdraw') return undefined;
  return refusal('notAllowed', [], { why: NO_CHAIN });
}
