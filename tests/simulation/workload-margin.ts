import type {
  Authority,
  Command,
  Grouping,
  MarginMode,
  OrderRequest,
  PerpDefinition,
  State,
} from '@oddlot/engine';
import { accountView } from '@oddlot/engine';
import type { Address, InstrumentId } from '@oddlot/units';
import { timeMs } from '@oddlot/units';

/**
 * Trader actions other than plain orders (margin modes, hedge positions, leverage, trigger and
 * grouped orders, amends, reversals, dead man's switches), and operator actions.
 */

/** The workload state that the functions below create commands from. */
export type Desk = {
  readonly pick: (below: number) => number;
  readonly now: () => number;
  readonly perp: () => PerpDefinition;
  readonly oracleOf: (id: InstrumentId) => number;
  readonly authority: (trader: Address) => Authority;
  readonly order: (state: State, trader: Address) => OrderRequest;
  readonly recentOf: (trader: Address) => readonly number[];
};

/** Returns a change to leverage, margin mode, position mode or isolated margin. */
export function settingsCommand(desk: Desk, state: State, trader: Address): Command {
  const { pick } = desk;
  const authority = desk.authority(trader);
  const { instrumentId } = desk.perp();
  const marginMode: MarginMode = pick(2) === 0 ? 'cross' : 'isolated';
  switch (pick(8)) {
    case 0:
      return { type: 'updatePositionMode', authority, mode: pick(2) === 0 ? 'oneWay' : 'hedge' };
    case 1:
      // Most accounts can change a mode only once they have cancelled their orders.
      return { type: 'cancelAll', authority, ...(pick(2) === 0 ? { instrumentId } : {}) };
    case 2:
    case 3:
      return { type: 'updateMarginMode', authority, instrumentId, marginMode };
    case 4:
    case 5: {
      const magnitude = 1 + pick(pick(4) === 0 ? 60 : 14);
      const leverage = pick(3) === 0 ? -magnitude : magnitude;
      const mode = pick(2) === 0 ? { marginMode } : {};
      return { type: 'updateLeverage', authority, instrumentId, leverage, ...mode };
    }
    default: {
      const amountMicroUsdc = (pick(3) === 0 ? -1 : 1) * (1 + pick(4_000_000));
      const held = isolatedIn(state, trader);
      return {
        type: 'updateIsolatedMargin',
        authority,
        instrumentId: held?.instrumentId ?? instrumentId,
        isBuy: held === undefined ? pick(2) === 0 : held.size > 0,
        amountMicroUsdc,
      };
    }
  }
}

function isolatedIn(state: State, trader: Address) {
  return accountView(state, trader)?.positions.find(({ isIsolated }) => isIsolated);
}

/** Returns a trigger order, grouped orders, an amend or a reversal. */
export function waitingCommand(desk: Desk, state: State, trader: Address): Command {
  const { pick } = desk;
  const kind = pick(14);
  if (kind < 3) return amend(desk, trader);
  if (kind === 3) return reverse(desk, state, trader);
  if (kind === 4) {
    const atMs = timeMs(desk.now() + 4_990 + pick(pick(4) === 0 ? 20 : 20_000));
    const authority = desk.authority(trader);
    return { type: 'scheduleCancel', authority, ...(pick(5) === 0 ? {} : { atMs }) };
  }
  if (kind < 7) return protectPosition(desk, state, trader);
  if (kind < 11) return family(desk, state, trader);
  return place(desk, trader, [trigger(desk, desk.order(state, trader))], 'none');
}

function amend(desk: Desk, trader: Address): Command {
  const { pick } = desk;
  const { instrumentId, priceTick } = desk.perp();
  const recent = desk.recentOf(trader);
  return {
    type: 'modifyOrder',
    authority: desk.authority(trader),
    instrumentId,
    target: { orderId: recent[pick(Math.max(1, recent.length))] ?? 1 },
    price: near(desk, instrumentId, priceTick, pick(4) === 0 ? 30 : 5),
    // The size is sometimes smaller than the filled part.
    size: pick([3_000, 300, 300, 15][pick(4)] ?? 300),
  };
}

function reverse(desk: Desk, state: State, trader: Address): Command {
  const positions = accountView(state, trader)?.positions ?? [];
  const held = positions[desk.pick(positions.length + 1)];
  const { instrumentId } = held ?? desk.perp();
  const authority = desk.authority(trader);
  const isBuy = desk.pick(3) === 0 ? {} : { isBuy: desk.pick(2) === 0 };
  return { type: 'reversePosition', authority, instrumentId, ...isBuy };
}

/** Returns a take-profit and a stop-loss order for the trader's first position. */
function protectPosition(desk: Desk, state: State, trader: Address): Command {
  const { pick } = desk;
  const positions = accountView(state, trader)?.positions ?? [];
  const held = positions[pick(Math.max(1, positions.length))];
  const order = desk.order(state, trader);
  if (held === undefined) return place(desk, trader, [trigger(desk, order)], 'position');
  const { instrumentId, size } = held;
  const asked = pick(3) === 0 ? 1 + pick(Math.abs(size)) : 0;
  const child = { ...order, instrumentId, isBuy: size < 0, reduceOnly: true, size: asked };
  const children = [
    trigger(desk, { ...child, price: near(desk, instrumentId, 100, 8) }, 'stopLoss'),
    trigger(desk, { ...child, price: near(desk, instrumentId, 100, 8) }, 'takeProfit'),
  ].map(withoutClientId);
  return place(desk, trader, pick(3) === 0 ? children.slice(1) : children, 'position');
}

/** Returns a parent order with one or two children. */
function family(desk: Desk, state: State, trader: Address): Command {
  const { pick } = desk;
  const parent = { ...desk.order(state, trader), reduceOnly: false };
  const child = withoutClientId({
    ...parent,
    isBuy: !parent.isBuy,
    reduceOnly: true,
    timeInForce: 'gtc',
  });
  const children = [
    trigger(desk, child, 'stopLoss'),
    trigger(desk, { ...child, price: parent.price }, 'takeProfit'),
  ];
  const first = pick(6) === 0 ? trigger(desk, parent) : parent;
  return place(desk, trader, [first, ...children.slice(pick(2))], 'normal');
}

function trigger(
  desk: Desk,
  { expireMs: _, ...order }: OrderRequest,
  kind: 'takeProfit' | 'stopLoss' = desk.pick(2) === 0 ? 'takeProfit' : 'stopLoss',
): OrderRequest {
  const price = near(desk, order.instrumentId, 100, desk.pick(4) === 0 ? 40 : 6);
  const isMarket = desk.pick(2) === 0;
  return { ...order, timeInForce: 'gtc', trigger: { kind, price, isMarket } };
}

function withoutClientId({ clientOrderId: _, ...order }: OrderRequest): OrderRequest {
  return order;
}

function place(
  desk: Desk,
  trader: Address,
  orders: readonly OrderRequest[],
  grouping: Grouping,
): Command {
  return { type: 'placeOrders', authority: desk.authority(trader), orders, grouping };
}

/** Returns a price on the tick and within this many thousandths of the oracle price. */
function near(desk: Desk, id: InstrumentId, tick: number, thousandths: number): number {
  const millionths = 1_000_000 + desk.pick(2_000 * thousandths + 1) - 1_000 * thousandths;
  return Math.floor((desk.oracleOf(id) * millionths) / 1_000_000 / tick) * tick;
}

/**
 * Halts and resumes markets, and changes the fee schedule and margin tables. A halted market is
 * resumed soon, because it has no activity.
 */
export function operatorCommand(desk: Desk, state: State): Command {
  const { pick } = desk;
  const halted = [...state.perps.values()].find((perp) => perp.halted);
  if (halted !== undefined && pick(4) > 0) {
    const { instrumentId } = halted.definition;
    return { type: 'setPerp', instrumentId, halted: false, changes: {} };
  }
  const { instrumentId, tiers } = desk.perp();
  switch (pick(8)) {
    case 0:
      return { type: 'setPerp', instrumentId, halted: true, changes: {} };
    case 1:
    case 2:
    case 3:
    case 4:
    case 5:
      return { type: 'setPerp', instrumentId, halted: false, changes: {} };
    case 6: {
      const ladder = [0, 1, 2].map((level) => ({
        level,
        minVolumeMicroUsdc: level * (1 + pick(3)) * 400_000_000,
        makerFeeE8: 15_003 - 5_000 * level,
        takerFeeE8: 44_999 - 7_000 * level,
      }));
      const isRising = (ladder[2]?.minVolumeMicroUsdc ?? 0) > (ladder[1]?.minVolumeMicroUsdc ?? 0);
      return { type: 'setFeeTiers', tiers: isRising ? ladder : ladder.slice(0, 2) };
    }
    default: {
      const more = pick(200_000);
      const moved = tiers.map((tier) => ({ ...tier, mmrE8: tier.mmrE8 + more }));
      return { type: 'setPerp', instrumentId, changes: { tiers: moved } };
    }
  }
}
