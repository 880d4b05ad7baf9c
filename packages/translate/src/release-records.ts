import type { OutcomeOrderReleased, State } from '@oddlot/engine';
import { OUTCOME_ID_MIN, traceId, type OutcomeOrderRelease } from '@oddlot/protocol';
import { assert, type Address } from '@oddlot/units';
import { type AppliedBlock, isRequest } from '@oddlot/replica/block';
import { instrumentLookup, type InstrumentLookup } from './instruments.ts';
import { entryToWire, errorBody, outcomeToWire, type OutcomeContext } from './outcome-to-wire.ts';
import { rejectToWire, requestTexts } from './reject-to-wire.ts';

type Release = { readonly user: Address; readonly record: OutcomeOrderRelease };

type Body = OutcomeOrderRelease['body'];

const RELEASED: Body = { code: 0, message: 'Released' };

/**
 * Returns the results of outcome orders after their acknowledgement (R-delay): the orders released
 * by a block, and the orders in actions it rejected as a whole.
 */
export function releaseRecords(
  state: State,
  block: AppliedBlock,
  isWanted: (user: Address) => boolean,
): Release[] {
  const instruments = instrumentLookup(() => state);
  const releases = refusedActions(block, instruments, isWanted);
  for (const event of block.result.events) {
    if (event.type !== 'outcomeOrderReleased' || !isWanted(event.account)) continue;
    const { account: user, clientOrderId, entry, index, txHash } = event;
    const body = bodyOf(block, event, instruments);
    const order = { txHash, index, clientOrderId, orderId: entry.orderId };
    releases.push({ user, record: recordOf({ user, timeMs: block.timeMs, body }, order) });
  }
  return releases;
}

/**
 * Collects actions that were acknowledged and then rejected as a whole, because there are no events
 * for their orders.
 */
function refusedActions(
  block: AppliedBlock,
  instruments: InstrumentLookup,
  isWanted: (user: Address) => boolean,
): Release[] {
  const releases: Release[] = [];
  for (const [at, { command, request }] of block.commands.entries()) {
    const outcome = block.result.outcomes[at];
    if (command.type !== 'placeOrders' || outcome?.reject === undefined) continue;
    const user = outcome.account ?? command.authority.signer;
    if (!command.orders.every(isOutcomeOrder) || !isWanted(user)) continue;
    const context: OutcomeContext = { instruments, texts: requestTexts(request) };
    const { error: body } = outcomeToWire(command, outcome, context);
    assert(body !== null, 'a refusal has an error');
    const { txHash } = command.authority;
    for (const [index, { clientOrderId }] of command.orders.entries()) {
      const order = { txHash, index, clientOrderId, orderId: undefined };
      releases.push({ user, record: recordOf({ user, timeMs: block.timeMs, body }, order) });
    }
  }
  return releases;
}

function isOutcomeOrder({ instrumentId }: { readonly instrumentId: number }): boolean {
  return instrumentId >= OUTCOME_ID_MIN;
}

/**
 * Formats the rejection with the values as the client wrote them, if the block still has the
 * request.
 */
function bodyOf(
  block: AppliedBlock,
  event: OutcomeOrderReleased,
  instruments: InstrumentLookup,
): Body {
  const { entry, index } = event;
  if (entry.orderId !== undefined || entry.reject === undefined) return RELEASED;
  const { command, request } = block.commands[event.commandIndex] ?? {};
  if (command !== undefined && isRequest(command)) {
    const context: OutcomeContext = { instruments, texts: requestTexts(request) };
    const { error } = entryToWire(command, entry, index, context);
    assert(error !== null, 'a refusal has an error');
    return error;
  }
  return errorBody(
    rejectToWire(entry.reject, { instruments, entry: { field: `orders[${index}]` } }),
  );
}

function recordOf(
  release: { readonly user: Address; readonly timeMs: number; readonly body: Body },
  order: {
    readonly txHash: string;
    readonly index: number;
    readonly clientOrderId: string | undefined;
    readonly orderId: number | undefined;
  },
): OutcomeOrderRelease {
  const { orderId } = order;
  return {
    done: true,
    success: orderId !== undefined,
    traceId: traceId(order.txHash),
    user: release.user,
    time: release.timeMs,
    i: order.index,
    cloid: order.clientOrderId ?? null,
    ...(orderId === undefined ? {} : { oid: orderId }),
    body: release.body,
  };
}
