import type { CommandResult } from '@oddlot/engine';
import type { Reply } from '@oddlot/host/http';
import { httpStatusOf, traceId, type Warning, type WireError } from '@oddlot/protocol';
import type { Hash } from '@oddlot/units';
import { CANCEL_QUEUED, REDUCE_ONLY_CLIPPED } from '@oddlot/translate/outcome/entries';
import { internalNameOf } from '@oddlot/translate/action-to-command';
import {
  type ErrorBody,
  isOutcomeOrder,
  type WireOutcome,
} from '@oddlot/translate/outcome-to-wire';
import { authorityOf, type RequestCommand } from '@oddlot/replica/block';

/** Builds the response for a client that has waited as long as the limit allows. */
export function pendingReply(command: RequestCommand): Reply {
  const { txHash } = authorityOf(command);
  const trace = isOutcomeOrder(command) ? traceId(txHash) : undefined;
  return { status: 202, body: JSON.stringify({ status: 'pending', txHash, traceId: trace }) };
}

/**
 * Builds the acknowledgement of orders on outcome markets, which are accepted regardless of their
 * later result (R-delay).
 */
export function acknowledgement(txHash: Hash, warnings: readonly Warning[]): Reply {
  const shown = warnings.length === 0 ? undefined : warnings;
  const body = { status: 'ok', traceId: traceId(txHash), warnings: shown };
  return { status: 200, body: JSON.stringify(body) };
}

const plainBodies = new Map<string, Reply>();

/**
 * Returns the short response to a successful action, or undefined if a warning must be added. The
 * response does not depend on the sender, so it is cached.
 */
export function plainReply(command: RequestCommand, outcome: CommandResult): Reply | undefined {
  const { agentReused, builderDrop, entries = [] } = outcome;
  if (agentReused === true) return undefined;
  if (command.type === 'placeOrders') {
    if (builderDrop !== undefined || entries.some(({ clamped }) => clamped)) return undefined;
    if (isOutcomeOrder(command)) return acknowledgement(authorityOf(command).txHash, []);
  }
  if (command.type === 'cancelByClientId') {
    if (entries.some(({ reject }) => reject?.reason === 'orderQueued')) return undefined;
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
 * Builds the response to an executed action. Without `confirm`, it does not report the results of
 * individual orders, but an action that was rejected as a whole is not reported as accepted.
 */
export function executedReply(
  { txHash, height, outcome }: { txHash: Hash; height: number; outcome: WireOutcome },
  isConfirmed: boolean,
): Reply {
  const { result, error, refused, created, doneHeight, isTraced } = outcome;
  if (!isConfirmed && refused && error !== null) {
    return { status: httpStatusOf(error.name), body: exchangeError(error, false) };
  }
  const omitted = isConfirmed ? CANCEL_QUEUED : REDUCE_ONLY_CLIPPED;
  const shown = outcome.warnings.filter(({ code }) => code !== omitted);
  if (!isConfirmed && isTraced === true) return acknowledgement(txHash, shown);
  const warnings = shown.length === 0 ? undefined : shown;
  const { type, statuses, orders } = result;
  const body = isConfirmed
    ? {
        status: 'ok',
        code: 0,
        confirm: 'executed',
        txHash,
        height: doneHeight ?? height,
        traceId: isTraced === true ? traceId(txHash) : undefined,
        data: { type, data: { statuses, orders, created } },
        warnings,
      }
    : { status: 'ok', code: 0, data: { type, data: { statuses: ['success'] } }, warnings };
  return { status: 200, body: JSON.stringify(body) };
}

export function exchangeRefusal(error: WireError, isGateway: boolean): Reply {
  return { status: error.httpStatus, body: exchangeError(error, isGateway) };
}

/**
 * Builds the error envelope of /exchange. A gateway error has its text in `response` and any other
 * error in `message`, never in both. Rejections by access control are gateway errors at any stage.
 */
function exchangeError(
  { code, message, name, details }: ErrorBody | WireError,
  isGateway: boolean,
): string {
  const text = isGateway || name === 'GATED' ? { response: message } : { message };
  return JSON.stringify({ status: 'err', code, ...text, name, details });
}
