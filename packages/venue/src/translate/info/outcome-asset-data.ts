import { marketView, outcomeAccountView, type State } from '@oddlot/engine';
import type { ActiveAssetData } from '@oddlot/protocol';
import { type Address, divFloor, divHalfUp, formatMoney } from '@oddlot/units';
import { outcomeName } from '../actions/instrument-lookup.ts';
import { formatHalfPrice, formatSize } from '../format.ts';
import type { LimitPrices } from './limit-prices.ts';

const RATE_ONE = 100_000_000n;

/**
 * What a user can trade of the YES leg of an outcome market: buy with free money, fee included, at a limit price or
 * at the mark, and sell of the shares that no order holds. Undefined for what is not such a market.
 */
export function outcomeAssetData(
  state: State,
  user: Address,
  instrumentId: number,
  limits?: LimitPrices,
): ActiveAssetData | undefined {
  const market = marketView(state, instrumentId);
  if (market === undefined) return undefined;
  const { definition, markHalves, unit } = market;
  const { free = 0n, positions = [] } = outcomeAccountView(state, user) ?? {};
  const yes = positions.find((each) => each.instrumentId === instrumentId && each.leg === 'yes');
  // Anyone may ask: shares of queued sells count as free (R-delay).
  const unreserved = yes === undefined ? 0 : yes.size - yes.reserved + yes.queued;
  // A mark between two price units is bought at the upper one.
  const price = BigInt(limits?.buy ?? Math.ceil(markHalves / 2));
  const one = BigInt(unit);
  const cost = price * one * RATE_ONE + BigInt(definition.takerFeeE8) * price * (one - price);
  const affordable = Number(divFloor(free * one * RATE_ONE, cost));
  const { maxOrderSize } = definition;
  const buy = Math.min(affordable, maxOrderSize);
  const sell = Math.min(unreserved, maxOrderSize);
  const value = divHalfUp(BigInt(markHalves) * BigInt(sell), 2n);
  return {
    user,
    coin: outcomeName(instrumentId),
    leverage: { mode: 'OneWay', type: 'Cross', value: 1, rawUsd: '' },
    maxTradeSzs: [formatSize(definition, buy), formatSize(definition, sell)],
    availableToTrade: [formatMoney(free), formatMoney(value)],
    markPx: formatHalfPrice(definition, markHalves),
    onlyIsolated: false,
  };
}
