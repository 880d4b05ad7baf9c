import type { Hash } from '@oddlot/units';
import type { LoggedCommand } from './log-entry.ts';

/** A replica attests a snapshot within seconds of writing it; blocks after that are not searched. */
export const ATTESTED_WITHIN_BLOCKS = 20_000;

/** The hash that the commands of a block attest for the content of the snapshot of an earlier block. */
export function attestationIn(
  commands: readonly LoggedCommand[],
  height: number,
): Hash | undefined {
  for (const { command } of commands) {
    if (command.type === 'attest' && command.height === height && command.snapshot !== undefined) {
      return command.snapshot;
    }
  }
  return undefined;
}
