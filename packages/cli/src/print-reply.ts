import type { ExecutedReply, OrderResult, PendingReply } from '@oddlot/sdk';
import { CliError } from './cli-error.ts';
import { print } from './print.ts';
import type { GlobalOptions } from './command-context.ts';

/** A command ends when the result of its action is known. */
export const CONFIRM = { confirm: 'executed' } as const;

/**
 * The venue's error names the failed entry of a list. A command sends only one entry, so that part
 * is removed.
 */
const ENTRY = /^\w+\[\d+\]: /;

/** Prints the result of an action. An unknown result is not a success. */
export function printReply(
  reply: ExecutedReply | PendingReply,
  line: string,
  options: GlobalOptions,
): void {
  print({ json: executed(reply), lines: [line] }, options.json);
}

/**
 * Returns an executed action. Otherwise throws an error with the reason, or one stating that the
 * result is unknown.
 */
export function executed(reply: ExecutedReply | PendingReply): ExecutedReply {
  const known = decided(reply);
  if (known.failure === undefined) return known;
  throw new CliError('refused', known.failure.error.replace(ENTRY, ''));
}

/** Prints one line per order, including the first order's TP/SL orders. */
export function printOrders(
  reply: ExecutedReply | PendingReply,
  instrument: string,
  options: GlobalOptions,
): void {
  const { orders } = decided(reply);
  const lines = orders.map((order) => lineOf(order, instrument));
  const failed = orders.filter(({ error }) => error !== null);
  const [first] = failed;
  if (first !== undefined && failed.length === orders.length) {
    throw new CliError('refused', first.error ?? '');
  }
  if (first !== undefined) throw new CliError('part', lines.join('\n'), { facts: { orders } });
  print({ json: reply, lines }, options.json);
}

function lineOf({ avgPx, error, filledSz, oid, state }: OrderResult, instrument: string): string {
  const filled = avgPx === null ? '' : `, ${filledSz} at ${avgPx}`;
  const why = error === null ? '' : `: ${error}`;
  return `${state}: order ${oid ?? '?'} on ${instrument}${filled}${why}`;
}

function decided(reply: ExecutedReply | PendingReply): ExecutedReply {
  if (reply.status === 'executed') return reply;
  throw new CliError(
    'unreachable',
    `The result is unknown. Check transaction ${reply.txHash} before you retry.`,
  );
}
