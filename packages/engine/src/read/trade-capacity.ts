import {
  type Address,
  divFloor,
  type InstrumentId,
  type MicroUsdc,
  microUsdc,
  notional,
} from '@oddlot/units';
import type { OrderRequest } from '../messages/command.ts';
import { exposureWith, type OrderContext } from '../perp-orders/order-exposure.ts';
import { validateOrder } from '../perp-orders/validate-order.ts';
import { cappedLeverage } from '../perp/margin.ts';
import { accountAt } from '../state/account-at.ts';
import { type Account, defaultSettings, holdingKey, legOf, leverageOf } from '../state/account.ts';
import { parametersOf } from '../state/execution.ts';
import type { Perp } from '../state/perp.ts';
import type { State } from '../state/state.ts';
import type { TradeCapacity } from './views.ts';

/**
 * The largest immediate orders at the mark that would be admitted now (R-initial), and the margin that
 * they would take at the leverage of the tier that they lead to.
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
  const leverage = leverageOf(settings, 0, settings.isIsolated);
  const leverageShort = leverageOf(settings, isHedged ? 1 : 0, settings.isIsolated);
  const buy = capacityOf(state, account, perp, { isBuy: true, leverage });
  const sell = capacityOf(state, account, perp, { isBuy: false, leverage: leverageShort });
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
  { isBuy, leverage }: { readonly isBuy: boolean; readonly leverage: number },
): { readonly size: number; readonly margin: MicroUsdc } {
  if (account === undefined || perp.mark === 0) return { size: 0, margin: microUsdc(0n) };
  const ask = (size: number): OrderContext => ({
    state,
    account,
    order: atMark(perp, isBuy, size),
    timeMs: state.timeMs,
  });
  const size = largest(perp, ask);
  const { order } = ask(size);
  const key = holdingKey(perp.definition.instrumentId, legOf(account, order));
  const exposure = exposureWith(ask(size), account.holdings.get(key));
  const capped = cappedLeverage(perp, exposure, leverage);
  const margin = microUsdc(divFloor(notional(perp.mark, size), BigInt(capped)));
  return { size, margin };
}

/** An order that could trade at the mark; off the tick, at the next price that is worse for it. */
function atMark(perp: Perp, isBuy: boolean, size: number): OrderRequest {
  const { instrumentId, priceTick } = perp.definition;
  const below = perp.mark - (perp.mark % priceTick);
  const price = isBuy && below < perp.mark ? below + priceTick : Math.max(below, priceTick);
  return { instrumentId, isBuy, price, size, reduceOnly: false, timeInForce: 'ioc' };
}

/**
 * Found by bisection: what an order needs grows with its size, through tiers and fees alike. Only the
 * minimum value works the other way; a size below it counts as admitted until the end.
 */
function largest(perp: Perp, ask: (size: number) => OrderContext): number {
  let low = 0;
  let high = perp.definition.maxMarketOrderSize;
  while (low < high) {
    const middle = low + Math.ceil((high - low) / 2);
    const reason = validateOrder(ask(middle))?.reason;
    if (reason === undefined || reason === 'valueBelowMin') low = middle;
    else high = middle - 1;
  }
  return low > 0 && validateOrder(ask(low)) === undefined ? low : 0;
}
