import {
  type Address,
  divFloor,
  feeUp,
  type InstrumentId,
  microUsdc,
  notional,
} from '@oddlot/units';
import type { Account } from './account.ts';
import { fillRate } from './ledger/fee-tiers.ts';
import { accountTier } from './ledger/account-tier.ts';
import { accountValue, initialMargin, worstCase } from './perp/margin.ts';
import type { Perp } from './perp/perp.ts';
import { defaultLeverage } from './orders/validate-order.ts';
import type { State } from './state.ts';
import type { TradeCapacity } from './views.ts';

/**
 * The largest orders at the mark that the margin check would admit, found by bisection: the margin
 * needed grows with the size, through tiers and fees alike.
 */
export function tradeCapacity(
  state: State,
  address: Address,
  instrumentId: InstrumentId,
): TradeCapacity | undefined {
  const perp = state.perps.get(instrumentId);
  if (perp === undefined) return undefined;
  const index = state.accountIndex.get(address);
  const account = index === undefined ? undefined : state.accounts[index];
  const leverage = account?.holdings.get(instrumentId)?.leverage ?? defaultLeverage(state, perp);
  const maxBuy = account === undefined ? 0 : largest(state, account, perp, leverage, true);
  const maxSell = account === undefined ? 0 : largest(state, account, perp, leverage, false);
  const margin = (size: number) => microUsdc(divFloor(notional(perp.mark, size), BigInt(leverage)));
  return {
    leverage,
    maxBuy,
    maxSell,
    availableToBuy: margin(maxBuy),
    availableToSell: margin(maxSell),
  };
}

function largest(
  state: State,
  account: Account,
  perp: Perp,
  leverage: number,
  isBuy: boolean,
): number {
  if (perp.mark === 0) return 0;
  const holding = account.holdings.get(perp.definition.instrumentId);
  const value = accountValue(state, account);
  const others = account.margin.initial - (holding?.initial ?? 0n);
  const size = holding?.size ?? 0;
  const buys = holding?.restingBuy ?? 0;
  const sells = holding?.restingSell ?? 0;
  const before = worstCase(size, buys, sells);
  const rate = fillRate(accountTier(state, account), perp.definition, 'taker');
  const isAdmitted = (lots: number): boolean => {
    const exposure = worstCase(size, buys + (isBuy ? lots : 0), sells + (isBuy ? 0 : lots));
    if (exposure <= before) return true;
    if (exposure > perp.tiers.positionMax) return false;
    const fee = feeUp(notional(perp.mark, lots), rate);
    return value >= others + initialMargin(perp, exposure, leverage) + fee;
  };
  let low = 0;
  let high = perp.definition.maxMarketOrderSize;
  while (low < high) {
    const middle = low + Math.ceil((high - low) / 2);
    if (isAdmitted(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
