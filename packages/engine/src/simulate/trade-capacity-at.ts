import {
  accrueFee,
  type Address,
  type InstrumentId,
  notional,
  present,
  ZERO_USDC,
} from '@oddlot/units';
import { NONE, readSlot } from '../book/order-pool.ts';
import { accountTier, fillRate } from '../ledger/fees.ts';
import type { OrderRequest } from '../messages/command.ts';
import { LIMITS } from '../messages/limits.ts';
import { executeOrder, isSizeCovered } from '../perp-orders/execute-order.ts';
import { planSide } from '../perp-orders/match-order.ts';
import { largestAdmitted, tradeCapacity, worthSending } from '../read/trade-capacity.ts';
import type { TradeCapacity } from '../read/views.ts';
import { accountAt, type State } from '../state/state.ts';
import { type Account, type Holding, holdingKey, legOf } from '../state/account.ts';
import type { Matches } from '../state/execution.ts';
import type { Perp } from '../state/perp.ts';
import { forkState } from './fork-state.ts';

/** The limit price of each side, or undefined for a market order. */
type Limits = { readonly buy: number | undefined; readonly sell: number | undefined };

/**
 * Returns the largest orders at the given prices that would be accepted now (R-initial) and not
 * stopped for lack of margin. This covers both fills in the current book (R-fill-check) and the
 * remainder when it rests.
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

/** Returns the largest order of its kind; execution clamps the price of a market order. */
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
 * Tries the largest accepted order on a fork. If margin stops it, the resulting state gives an
 * estimate of the missing size. Orders of the estimated size and of one more lot are tried next,
 * and their neighbours if rounding matters.
 */
function largestAt(state: State, account: Account, order: OrderRequest): number {
  const admitted = largestAdmitted(state, account, order);
  if (admitted === 0) return 0;
  const matches: Matches = { left: LIMITS.matchesPerCapacity, isCut: false };
  const trial = (size: number): Trial => tryOrder(state, account, { ...order, size }, matches);
  const first = trial(admitted);
  if (first.isWhole) return admitted;
  // An order of size `low` passes and one of size `high` fails.
  let low = first.filled;
  let high = admitted;
  let next = low + largestMore(first, order, admitted - low);
  const seen = new Set<boolean>();
  for (let step = 1; high - low > 1; step *= 2) {
    const size = Math.min(high - 1, Math.max(low + 1, next));
    const { isWhole } = trial(size);
    if (matches.isCut) break;
    if (isWhole) low = size;
    else high = size;
    // The search moves away from the estimate in growing steps until both results have occurred,
    // then continues by bisection.
    seen.add(isWhole);
    if (seen.size === 2) next = low + Math.floor((high - low) / 2);
    else next = isWhole ? low + step : high - step;
  }
  return worthSending(state, account, order, low);
}

type Trial = {
  /** True if margin did not stop any part of the order. */
  readonly isWhole: boolean;
  readonly filled: number;
  readonly fork: State;
  readonly holding: Holding | undefined;
};

function tryOrder(state: State, account: Account, order: OrderRequest, matches: Matches): Trial {
  const fork = forkState(state);
  const own = present(accountAt(fork, account.address), 'the account on its fork');
  const execution = { state: fork, events: [], commandIndex: 0, matches };
  const { cause, entry } = executeOrder(execution, own, fork.nextOrderId++, order);
  const { filled, reject } = entry;
  const isWhole = reject === undefined && cause !== 'marginCanceled' && !matches.isCut;
  const holding = own.holdings.get(holdingKey(order.instrumentId, legOf(own, order)));
  return { isWhole, filled, fork, holding };
}

/**
 * Returns the number of additional lots that margin would have covered, for a fill or the
 * remainder.
 */
function largestMore({ filled, fork, holding }: Trial, order: OrderRequest, most: number): number {
  if (holding === undefined) return 0;
  const account = present(fork.accounts[holding.accountIndex], 'the account of a holding');
  const { book } = holding.perp;
  const slot = book.best(!order.isBuy);
  const sign = order.isBuy ? 1 : -1;
  if (slot === NONE || !book.crosses(order.isBuy, order.price)) {
    return largestThat(most, (size) => isSizeCovered(fork, account, holding, sign * size));
  }
  const price = readSlot(fork.pool.price, slot);
  const { definition } = holding.perp;
  const rate = fillRate(accountTier(fork, account), definition, 'taker');
  const { restingBuy, restingSell } = holding;
  const isCovered = (size: number): boolean => {
    const { fee } = accrueFee(notional(price, size), rate, 0);
    const shared = { price, fee, fees: fee, charge: undefined, reserve: ZERO_USDC, filled };
    const fill = { ...shared, signedSize: sign * size, restingBuy, restingSell };
    return planSide(fork, { account, holding }, fill).isCovered;
  };
  return largestThat(Math.min(most, readSlot(fork.pool.remaining, slot)), isCovered);
}

function largestThat(most: number, passes: (size: number) => boolean): number {
  let low = 0;
  let high = most;
  while (low < high) {
    const middle = low + Math.ceil((high - low) / 2);
    if (passes(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
