import type { Address, InstrumentId } from '@oddlot/units';
import { NONE } from '../book/order-pool.ts';
import { readSlot } from '../book/read-slot.ts';
import type { OrderRequest } from '../messages/command.ts';
import { LIMITS } from '../messages/limits.ts';
import { executeOrder } from '../perp-orders/execute-order.ts';
import { largestAdmitted, tradeCapacity, worthSending } from '../read/trade-capacity.ts';
import type { TradeCapacity } from '../read/views.ts';
import { accountAt } from '../state/account-at.ts';
import type { Account } from '../state/account.ts';
import type { Matches } from '../state/execution.ts';
import type { Perp } from '../state/perp.ts';
import type { State } from '../state/state.ts';
import { forkState } from './fork-state.ts';

/** A limit price, or undefined for an order at the market. */
type Limits = { readonly buy: number | undefined; readonly sell: number | undefined };

/**
 * The largest orders at the given prices that would be admitted now (R-initial) and of which the margin would stop
 * nothing: neither a fill with the book as it is (R-fill-check), nor the rest on its way into the book.
 */
export function tradeCapacityAt(
  state: State,
  address: Address,
  instrumentId: InstrumentId,
  { buy, sell }: Limits,
): TradeCapacity | undefined {
  return tradeCapacity(state, address, instrumentId, (_, account, perp, isBuy) =>
    largestAt(state, account, orderAt(perp, isBuy, isBuy ? buy : sell)),
  );
}

/** The largest order of its kind; execution pulls the price of a market order to the band around the mark. */
function orderAt(perp: Perp, isBuy: boolean, limit: number | undefined): OrderRequest {
  const { instrumentId, maxLimitOrderSize, maxMarketOrderSize, priceTick } = perp.definition;
  const shared = { instrumentId, isBuy, reduceOnly: false } as const;
  if (limit !== undefined) {
    return { ...shared, price: limit, size: maxLimitOrderSize, timeInForce: 'gtc' };
  }
  const price = isBuy ? Number.MAX_SAFE_INTEGER : priceTick;
  return { ...shared, price, size: maxMarketOrderSize, timeInForce: 'market' };
}

/**
 * An order that fails says how far it came, so that the bisection is left with the resting order that it could not
 * take, or with its own rest. `low` always passes and `high` fails.
 */
function largestAt(state: State, account: Account, order: OrderRequest): number {
  const admitted = largestAdmitted(state, account, order);
  if (admitted === 0) return 0;
  const matches: Matches = { left: LIMITS.matchesPerCapacity, isCut: false };
  const trial = (size: number): Trial => tryOrder(state, account, { ...order, size }, matches);
  const first = trial(admitted);
  if (first.isWhole) return admitted;
  let low = first.filled;
  let high = Math.min(admitted, low + first.next);
  while (high - low > 1 && !matches.isCut) {
    const middle = low + Math.floor((high - low) / 2);
    if (trial(middle).isWhole) low = middle;
    else high = middle;
  }
  return worthSending(state, account, order, low);
}

type Trial = {
  /** The margin stopped nothing of it. */
  readonly isWhole: boolean;
  readonly filled: number;
  /** Lots of the resting order that it could not take; all that there can be where its own rest was not covered. */
  readonly next: number;
};

function tryOrder(state: State, account: Account, order: OrderRequest, matches: Matches): Trial {
  const fork = forkState(state);
  const own = accountAt(fork, account.address);
  const perp = fork.perps.get(order.instrumentId);
  if (own === undefined || perp === undefined) return { isWhole: false, filled: 0, next: 0 };
  const execution = { state: fork, events: [], commandIndex: 0, matches };
  const { cause, entry } = executeOrder(execution, own, fork.nextOrderId++, order);
  const { filled, reject } = entry;
  const isWhole = reject === undefined && cause !== 'marginCanceled' && !matches.isCut;
  const slot = perp.book.best(!order.isBuy);
  const isStopped = reject === undefined && perp.book.crosses(order.isBuy, order.price);
  const next = isStopped && slot !== NONE ? readSlot(fork.pool.remaining, slot) : order.size;
  return { isWhole, filled, next };
}
