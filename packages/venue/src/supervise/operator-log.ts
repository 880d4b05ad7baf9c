import type { LocalReplica } from '../replica/local-replica.ts';
import { actionTypeOf } from '../translate/action-types.ts';
import { isRequest } from '../block/request-command.ts';
import type { Logger } from '../operate/log.ts';

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
