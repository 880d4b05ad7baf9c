import { accountView, type State, triggerOrders } from '@oddlot/engine';
import type { Address, InstrumentId } from '@oddlot/units';
import { unranked } from './replayed-perp.ts';

/**
 * The next price on the way at which something of an account waits for the mark: a trigger, an exit of a position, a liquidation.
 * A market gets there before it goes on, however far apart the prices of a recording lie.
 */
export function nextStop(
  state: State,
  { account, instrumentId }: { readonly account: Address; readonly instrumentId: InstrumentId },
  {
    from,
    onTick,
    to,
  }: {
    readonly from: number;
    readonly to: number;
    readonly onTick: (price: number, to: 'down' | 'up') => number;
  },
): number | undefined {
  const isUp = to > from;
  const triggers = triggerOrders(state, account)
    .map(({ order }) => order)
    .filter((order) => order.instrumentId === instrumentId && order.isTriggered !== true)
    .map(({ trigger }) => trigger?.price);
  const positions = accountView(state, account, unranked)?.positions ?? [];
  const held = positions
    .filter((position) => position.instrumentId === instrumentId)
    .flatMap(({ liquidationPrice, tpsl }) => [
      liquidationPrice,
      ...tpsl.flatMap(({ stopLoss, takeProfit }) => [
        stopLoss?.triggerPrice,
        takeProfit?.triggerPrice,
      ]),
    ]);
  const between = [...triggers, ...held]
    .flatMap((price) => (price === undefined ? [] : [onTick(price, isUp ? 'up' : 'down')]))
    .filter((price) => (isUp ? price > from && price < to : price < from && price > to));
  if (between.length === 0) return undefined;
  return isUp ? Math.min(...between) : Math.max(...between);
}
