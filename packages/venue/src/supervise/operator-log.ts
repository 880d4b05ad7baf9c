import type { Logger } from '@oddlot/host/log';
import type { LocalReplica } from '../replica/local-replica.ts';
import { actionTypeOf } from '../translate/action-types.ts';
import { isRequest, type RequestCommand } from '../block/block.ts';

/** Writes a line for everything that somebody did as the operator: who, what, where, and the end of it. */
export function logOperators(
  replica: Pick<LocalReplica, 'isReplaying' | 'onBlock'>,
  log: Pick<Logger, 'info'>,
): void {
  replica.onBlock(({ commands, height, result }) => {
    if (replica.isReplaying) return;
    for (const [index, { command }] of commands.entries()) {
      if (!('operator' in command) || command.operator === undefined) continue;
      if (!isRequest(command)) continue;
      const { signer, txHash } = command.operator;
      const outcome = result.outcomes[index]?.reject?.reason ?? 'executed';
      const what = { action: actionTypeOf(command), variant: command.type };
      log.info({ signer, ...what, height, result: outcome, txHash }, 'operator action');
    }
  });
}

/** Lines about strangers a second at most: anybody can send what only operators may. */
const STRANGERS_PER_SECOND = 1;

/** The same of what was refused before it could enter the log of the venue. */
export function refusedOperatorLog(
  replica: Pick<LocalReplica, 'head' | 'state'>,
  log: Pick<Logger, 'info'>,
): (command: RequestCommand, reason: string) => void {
  let secondAt = 0;
  let strangers = 0;
  return (command, reason) => {
    if (!('operator' in command)) return;
    const { signer, txHash } = command.operator;
    const { admins = [], deployers = [] } = replica.state.parameters ?? {};
    if (!admins.includes(signer) && !deployers.includes(signer)) {
      const second = Math.floor(performance.now() / 1000);
      if (second !== secondAt) [secondAt, strangers] = [second, 0];
      strangers += 1;
      if (strangers > STRANGERS_PER_SECOND) return;
    }
    const what = { action: actionTypeOf(command), variant: command.type };
    const { height } = replica.head;
    log.info({ signer, ...what, height, result: reason, txHash }, 'operator action');
  };
}
