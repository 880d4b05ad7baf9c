import {
  type Address,
  divFloor,
  type InstrumentId,
  type MicroUsdc,
  microUsdc,
  notional,
} from '@oddlot/units';
import type { OrderRequest } from '../messages/command.ts';
import { exposureWith } from '../perp-orders/order-margin.ts';
import { validateOrder } from '../perp-orders/validate-order.ts';
import { cappedLeverage } from '../perp/margin.ts';
import { accountAt, type State } from '../state/state.ts';
import { type Account, defaultSettings, holdingKey, legOf, leverageOf } from '../state/account.ts';
import { parametersOf } from '../state/execution.ts';
import type { Perp } from '../state/perp.ts';
import type { TradeCapacity } from './views.ts';

/** Finds the largest size that an account can trade on one side of a perp that has a mark. */
type SizeFinder = (state: State, account: Account, perp: Perp, isBuy: boolean) => number;

/**
 * Returns the largest orders that would be admitted now (R-initial), and the margin that they would
 * use at the leverage of the resulting tier. By default, these are immediate orders at the mark.
 */
export function tradeCapacity(
  state: State,
  address: Address,
  instrumentId: InstrumentId,
  find: SizeFinder = largestAtMark,
): TradeCapacity | undefined {
  const perp = state.perps.get(instrumentId);
  if (perp === undefined) return undefined;
  const account = accountAt(state, address);
  const settings =
    account?.settings.get(instrumentId) ??
    defaultSettings(perp, parametersOf(state).defaultLeverage);
  const isHedged = account?.positionMode === 'hedge';
  const leverage = leverageOf(settings, 0, settings.isIsolated);
  const leverageShort = leverageOf(settings, isHedged ? 1 : 0, settings.isIsolated);
  const buy = capacityOf(state, account, perp, { isBuy: true, leverage, find });
  const sell = capacityOf(state, account, perp, { isBuy: false, leverage: leverageShort, find });
  return {
    isIsolated: settings.isIsolated,
    isHedged,
    leverage,
    leverageShort,
    maxBuy: buy.size,
    maxSell: sell.size,
    availableToBuy: buy.margin,
    availableToSell: sell.margin,
  };
}

function capacityOf(
  state: State,
  account: Account | undefined,
  perp: Perp,
  {
    find,
    isBuy,
    leverage,
  }: { readonly find: SizeFinder; readonly isBuy: boolean; readonly leverage: number },
): { readonly size: number; readonly margin: MicroUsdc } {
  if (account === undefined || perp.mark === 0) return { size: 0, margin: microUsdc(0n) };
  const size = find(state, account, perp, isBuy);
  const order = atMark(perp, isBuy, size);
  const key = holdingKey(perp.definition.instrumentId, legOf(account, order));
  const context = { state, account, order, timeMs: state.timeMs };
  const exposure = exposureWith(context, account.holdings.get(key));
  const capped = cappedLeverage(perp, exposure, leverage);
  const margin = microUsdc(divFloor(notional(perp.mark, size), BigInt(capped)));
  return { size, margin };
}

function largestAtMark(state: State, account: Account, perp: Perp, isBuy: boolean): number {
  return largestAdmitted(state, account, atMark(perp, isBuy, perp.definition.maxMarketOrderSize));
}

/**
 * Returns an order that could trade at the mark. A mark between two ticks is moved to the tick that
 * is worse for the order.
 */
function atMark(perp: Perp, isBuy: boolean, size: number): OrderRequest {
  const { instrumentId, priceTick } = perp.definition;
  const below = perp.mark - (perp.mark % priceTick);
  const price = isBuy && below < perp.mark ? below + priceTick : Math.max(below, priceTick);
  return { instrumentId, isBuy, price, size, reduceOnly: false, timeInForce: 'ioc' };
}

/**
 * Returns the largest size, up to the order's own, at which the order would be admitted. It is
 * found by bisection, because all requirements of an order grow with its size except the minimum
 * value.
 */
export function largestAdmitted(state: State, account: Account, order: OrderRequest): number {
  const reasonOf = (size: number): string | undefined => admissionOf(state, account, order, size);
  let low = 0;
  let high = order.size;
  while (low < high) {
    const middle = low + Math.ceil((high - low) / 2);
    const reason = reasonOf(middle);
    if (reason === undefined || reason === 'valueBelowMin') low = middle;
    else high = middle - 1;
  }
  return worthSending(state, account, order, low);
}

/**
 * Returns the size if an order of that size reaches the minimum value. Otherwise, returns the size
 * that closes the position, or 0 (R-sizes).
 */
export function worthSending(
  state: State,
  account: Account,
  order: OrderRequest,
  size: number,
): number {
  const key = holdingKey(order.instrumentId, legOf(account, order));
  const held = Math.abs(account.holdings.get(key)?.size ?? 0);
  const sizes = held < size ? [size, held] : [size];
  const isAdmitted = (each: number): boolean =>
    each > 0 && admissionOf(state, account, order, each) === undefined;
  return sizes.find(isAdmitted) ?? 0;
}

function admissionOf(
  state: State,
  account: Account,
  order: OrderRequest,
  size: number,
): string | undefined {
  const { timeMs } = state;
  return validateOrder({ state, account, order: { ...order, size }, timeMs })?.reason;
}
