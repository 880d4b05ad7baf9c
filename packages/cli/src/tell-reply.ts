import type { ExecutedReply, PendingReply } from '@oddlot/sdk';
import { CliError } from './cli-error.ts';
import { print } from './print.ts';
import type { GlobalOptions } from './surroundings.ts';

/** Whoever sends from a terminal waits for what came of it. */
export const CONFIRM = { confirm: 'executed' } as const;

/** Says what was done; a request whose end is not known is no success. */
export function tellReply(
  reply: ExecutedReply | PendingReply,
  line: string,
  options: GlobalOptions,
): void {
  print({ json: executed(reply), lines: [line] }, options.json);
}

/** What was executed; else says why it was not, or that nobody knows yet. */
export function executed(reply: ExecutedReply | PendingReply): ExecutedReply {
  if (reply.status !== 'executed') {
    throw new CliError('unreachable', `not known yet: look for ${reply.txHash}`);
  }
  if (reply.failure !== undefined) throw new CliError('refused', reply.failure.error);
  return reply;
}
