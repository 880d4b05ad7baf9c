import {
  type Address,
  divFloor,
  feeUp,
  type InstrumentId,
  type MicroUsdc,
  microUsdc,
  notional,
} from '@oddlot/units';
import { accountTier } from '../ledger/account-tier.ts';
import { fillRate } from '../ledger/fee-tiers.ts';
import { isolatedReserve } from '../perp/isolated.ts';
import {
  accountValue,
  cappedLeverage,
  freeInCross,
  initialMargin,
  worstCase,
} from '../perp/margin.ts';
import { accountAt } from '../state/account-at.ts';
import {
  type Account,
  defaultSettings,
  type Holding,
  holdingKey,
  type InstrumentSettings,
  type Leg,
  leverageOf,
} from '../state/account.ts';
import { parametersOf } from '../state/execution.ts';
import type { Perp } from '../state/perp.ts';
import type { State } from '../state/state.ts';
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
  const account = accountAt(state, address);
  const settings =
    account?.settings.get(instrumentId) ??
    defaultSettings(perp, parametersOf(state).defaultLeverage);
  const isHedged = account?.positionMode === 'hedge';
  const sellLeg: Leg = isHedged ? 1 : 0;
  const long = { leg: 0, isBuy: true, settings } as const;
  const short = { leg: sellLeg, isBuy: false, settings } as const;
  const maxBuy = account === undefined ? 0 : largest(state, account, perp, long);
  const maxSell = account === undefined ? 0 : largest(state, account, perp, short);
  const leverage = leverageOf(settings, 0, settings.isIsolated);
  const leverageShort = leverageOf(settings, sellLeg, settings.isIsolated);
  return {
    isIsolated: settings.isIsolated,
    isHedged,
    leverage,
    leverageShort,
    maxBuy,
    maxSell,
    availableToBuy: marginAt(perp, maxBuy, leverage),
    availableToSell: marginAt(perp, maxSell, leverageShort),
  };
}

function marginAt(perp: Perp, size: number, leverage: number): MicroUsdc {
  return microUsdc(divFloor(notional(perp.mark, size), BigInt(leverage)));
}

type Direction = {
  readonly leg: Leg;
  readonly isBuy: boolean;
  readonly settings: InstrumentSettings;
};

function largest(state: State, account: Account, perp: Perp, direction: Direction): number {
  if (perp.mark === 0) return 0;
  const key = holdingKey(perp.definition.instrumentId, direction.leg);
  const holding = account.holdings.get(key);
  let low = 0;
  let high = perp.definition.maxMarketOrderSize;
  while (low < high) {
    const middle = low + Math.ceil((high - low) / 2);
    if (isAdmitted(state, account, perp, holding, direction, middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

function isAdmitted(
  state: State,
  account: Account,
  perp: Perp,
  holding: Holding | undefined,
  { isBuy, leg, settings }: Direction,
  lots: number,
): boolean {
  const size = holding?.size ?? 0;
  const buys = holding?.restingBuy ?? 0;
  const sells = holding?.restingSell ?? 0;
  const before = worstCase(size, buys, sells);
  const exposure = worstCase(size, buys + (isBuy ? lots : 0), sells + (isBuy ? 0 : lots));
  if (exposure <= before) return true;
  if (exposure > perp.tiers.positionMax) return false;
  const rate = fillRate(accountTier(state, account), perp.definition, 'taker');
  const leverage = leverageOf(settings, leg, settings.isIsolated);
  if (settings.isIsolated) {
    const opening = {
      size: exposure - before,
      leverage: cappedLeverage(perp, exposure, leverage),
    };
    const order = { isBuy, price: perp.mark, size: lots };
    return freeInCross(state, account) >= isolatedReserve(perp, order, opening, rate);
  }
  const fee = feeUp(notional(perp.mark, lots), rate);
  const value = accountValue(state, account);
  const others = account.margin.initial - (holding?.initial ?? 0n);
  return value >= others + initialMargin(perp, exposure, leverage) + fee;
}
