import { checkOrderGate } from '../auth/gate.ts';
import type { Reject } from '../messages/reject.ts';
import { releaseOrder } from '../outcome/place-outcome-orders.ts';
import { checkPhase, unknownMarket } from '../outcome/validate-outcome-order.ts';
import type { Account } from '../state/account.ts';
import type { QueuedOrder } from '../state/delay-queue.ts';
import type { Execution } from '../state/execution.ts';
import type { State } from '../state/state.ts';

/** Step (8) of a block: queued orders whose delay is over, by due time, then arrival (R-delay). */
export function releaseDueOrders(execution: Execution): void {
  const { state } = execution;
  for (;;) {
    const queued = state.outcomes.queue.takeDue(state.timeMs);
    if (queued === undefined) return;
    releaseOrder(execution, queued, true);
  }
}

/** Judges again what can have changed while an order waited: the market, its expiry, the gate. */
export function checkRelease(
  state: State,
  account: Account,
  { request }: QueuedOrder,
): Reject | undefined {
  const { expireMs, instrumentId, price, timeInForce } = request;
  const market = state.outcomes.markets.get(instrumentId);
  if (market === undefined) return unknownMarket(state, instrumentId);
  const phase = checkPhase(market, instrumentId);
  if (phase !== undefined) return phase;
  if (price % market.definition.priceTick !== 0) return { reason: 'priceOffTick', instrumentId };
  if (timeInForce === 'gtd' && (expireMs ?? 0) <= state.timeMs) {
    return { reason: 'expiryTooSoon', minMs: state.timeMs };
  }
  return checkOrderGate(state, account, request);
}
