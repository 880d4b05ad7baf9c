import type { CommandOutcome } from '@oddlot/engine';
import type { Hash } from '@oddlot/units';
import { REDUCE_ONLY_CLIPPED } from '../../translate/outcome/warnings.ts';
import { internalNameOf } from '../../translate/action-types.ts';
import type { WireOutcome } from '../../translate/outcome-to-wire.ts';
import type { RequestCommand } from '../../translate/request-command.ts';
import { exchangeError, type Reply } from './reply.ts';

/** The answers of /exchange to actions that reached the log. */

/** The answer to a sender who does not wait longer. */
export function pendingReply(txHash: Hash): Reply {
  return { status: 202, body: JSON.stringify({ status: 'pending', txHash }) };
}

const plainBodies = new Map<string, Reply>();

/** The short answer, when there is nothing to tell beside it; it is the same for every sender. */
export function plainReply(command: RequestCommand, outcome: CommandOutcome): Reply | undefined {
  if (command.type === 'placeOrders') {
    if (outcome.builderDrop !== undefined) return undefined;
    if (outcome.entries?.some((entry) => entry.clamped !== undefined) === true) return undefined;
  }
  const type = internalNameOf(command);
  let reply = plainBodies.get(type);
  if (reply === undefined) {
    const data = { type, data: { statuses: ['success'] } };
    reply = { status: 200, body: JSON.stringify({ status: 'ok', code: 0, data }) };
    plainBodies.set(type, reply);
  }
  return reply;
}

/**
 * The answer to an executed action. Without `confirm` a sender learns only that it was accepted: how
 * single orders fared is not told, but an action that was refused as a whole is not called accepted.
 */
export function executedReply(
  { txHash, height, outcome }: { txHash: Hash; height: number; outcome: WireOutcome },
  isConfirmed: boolean,
): Reply {
  const { result, error, refused, created } = outcome;
  if (!isConfirmed && refused && error !== null) {
    return { status: 200, body: exchangeError(error, false) };
  }
  const told = isConfirmed
    ? outcome.warnings
    : outcome.warnings.filter((warning) => warning.code !== REDUCE_ONLY_CLIPPED);
  const warnings = told.length === 0 ? undefined : told;
  const { type, statuses, orders } = result;
  const body = isConfirmed
    ? {
        status: 'ok',
        code: 0,
        confirm: 'executed',
        txHash,
        height,
        data: { type, data: { statuses, orders, created } },
        warnings,
      }
    : { status: 'ok', code: 0, data: { type, data: { statuses: ['success'] } }, warnings };
  return { status: 200, body: JSON.stringify(body) };
}
