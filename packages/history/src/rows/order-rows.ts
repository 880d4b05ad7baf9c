import {
  type CancelCause,
  type OrderSnapshot,
  type OrderUpdated,
  type State,
  tradeSettings,
} from '@oddlot/engine';
import type { HistOrder, HistOrderRow, OrderStatus } from '@oddlot/protocol';
import { type Address, formatMoney, type Hash, present } from '@oddlot/units';
import { isMarketOrder, reasonOf, TIF_TEXT } from '@oddlot/translate/event-to-stream';
import { formatAveragePrice, formatPrice, formatSize } from '@oddlot/translate/format';
import { triggerCondition } from '@oddlot/translate/info/open-orders';
import type { OrderRecord } from './block-rows.ts';
import {
  LEG_TEXT,
  type NamedInstrument,
  namedInstrument,
  roePercent,
  type TradedSide,
} from './traded-sides.ts';

export function orderRecord(
  state: State,
  event: OrderUpdated,
  sums: OrderSums | undefined,
  at: { readonly timeMs: number; readonly index: number },
): OrderRecord {
  const { account: user, instrumentId, orderId } = event.order;
  const row = orderRow(histOrder(state, event, sums), at.timeMs);
  const accountType = row.order.instrumentType === 'perps' ? 'perp' : 'outcome';
  return { user, accountType, instrumentId, orderId, index: at.index, row };
}

export function restingRow(
  state: State,
  order: OrderSnapshot,
  sums: OrderSums | undefined,
  at: { readonly timeMs: number; readonly settings: OrderSettings },
): HistOrderRow {
  const event = { order, status: 'open' } as const;
  return orderRow(histOrder(state, event, sums, at.settings), at.timeMs);
}

function orderRow(order: HistOrder, statusTimestamp: number): HistOrderRow {
  return { order, status: order.status, statusTimestamp };
}

/** All fields of an order. Absent fields are undefined, and JSON omits them. */
type AllFields = {
  readonly [Key in Exclude<keyof HistOrder, 'title' | 'slug'>]-?: HistOrder[Key] | undefined;
};

/**
 * Returns an order with its children as the history shows it. Most rows in a history are orders,
 * and creating all fields together takes half as long as adding them one by one.
 */
export function histOrder(
  state: State,
  event: UpdatedOrder,
  sums: OrderSums | undefined,
  settings = settingsOf(state, event.order),
): HistOrder {
  const { order } = event;
  const instrument = namedInstrument(state, order.instrumentId);
  const { coin, instrumentId, scale, symbol, wireType } = instrument;
  const { expireMs, filled, filledNotional } = order;
  const triggerPx = order.trigger === undefined ? '0' : formatPrice(scale, order.trigger.price);
  const { entryPrice, fee, filledAmount, pnl, roe } = resultOf(
    instrument,
    order,
    sums,
    settings.leverage,
  );
  const { cancelReason, cancelSource, rejectReason } = endingOf(state, event);
  const fields: AllFields = {
    coin,
    symbol,
    side: order.isBuy ? 'B' : 'A',
    limitPx: formatPrice(scale, order.price),
    sz: formatSize(scale, order.remaining),
    origSz: formatSize(scale, order.original),
    oid: order.orderId,
    timestamp: order.acceptedMs,
    triggerCondition: triggerCondition(order, triggerPx),
    isTrigger: order.trigger !== undefined,
    triggerPx,
    children: sums === undefined ? [] : [...sums.children.values()],
    isPositionTpsl: order.isPositionTpsl === true,
    reduceOnly: order.reduceOnly,
    dir: directionOf(order),
    orderType: isMarketOrder(order) ? 'Market' : 'Limit',
    tif: TIF_TEXT[order.timeInForce],
    expireTime: expireMs,
    cloid: order.clientOrderId ?? null,
    avgFillPrice: filled === 0 ? null : formatAveragePrice(scale, filledNotional, filled),
    positionMode: settings.positionMode,
    marginMode: settings.marginMode,
    leverage: settings.leverage,
    fee,
    filledAmount,
    pnl,
    entryPrice,
    roe,
    cancelSource,
    cancelReason,
    rejectReason,
    status: statusOf(event),
    instrumentId,
    instrumentType: wireType,
    marketType: wireType,
    outcome: order.outcome === undefined ? undefined : LEG_TEXT[order.outcome.leg],
  };
  return fields as HistOrder;
}

type UpdatedOrder = Pick<OrderUpdated, 'order' | 'status' | 'cancelCause' | 'reject'>;

export function settingsOf(state: State, order: OrderSnapshot): OrderSettings {
  if (order.outcome !== undefined) {
    return { positionMode: 'OneWay', marginMode: 'Cross', leverage: 1 };
  }
  const settings = present(tradeSettings(state, order.account, order), 'the perp of an order');
  return {
    positionMode: settings.isHedged ? 'Hedge' : 'OneWay',
    marginMode: settings.isIsolated ? 'Isolated' : 'Cross',
    leverage: settings.leverage,
  };
}

function directionOf({ isBuy, outcome, reduceOnly }: OrderSnapshot): string {
  if (outcome === undefined) return isBuy ? 'Buy' : 'Sell';
  return `${reduceOnly ? 'Sell' : 'Buy'} ${LEG_TEXT[outcome.leg]}`;
}

/**
 * Returns fields that are set only if the order filled; entry price and return are set only if it
 * closed a position.
 */
function resultOf(
  { scale }: NamedInstrument,
  { filled, filledNotional }: OrderSnapshot,
  sums: OrderSums | undefined,
  leverage: number,
): Pick<HistOrder, 'fee' | 'filledAmount' | 'pnl' | 'entryPrice' | 'roe'> {
  if (filled === 0) return {};
  const { closedCost: cost, closedSize, fee, realised } = sums ?? NOTHING;
  const result = {
    fee: formatMoney(fee),
    filledAmount: formatMoney(filledNotional),
    pnl: formatMoney(realised),
  };
  if (closedSize === 0) return result;
  const entryPrice = formatAveragePrice(scale, cost, closedSize);
  return { ...result, entryPrice, roe: roePercent({ cost, realised }, leverage) };
}

/**
 * Totals for orders that filled before the history began (R-era). Their fills are only in the
 * engine's totals.
 */
const NOTHING = { fee: 0n, realised: 0n, closedSize: 0, closedCost: 0n };

function endingOf(
  state: State,
  event: UpdatedOrder,
): Pick<HistOrder, 'cancelSource' | 'cancelReason' | 'rejectReason'> {
  if (event.cancelCause !== undefined) return CANCEL_TEXT[event.cancelCause];
  if (event.reject === undefined) return {};
  const rejectReason = reasonOf(state, event);
  return rejectReason === undefined ? {} : { rejectReason };
}

/** A triggered order is neither open nor final until it ends. */
function statusOf({ order, status }: UpdatedOrder): OrderStatus {
  const hasFired = order.hasFired === true || order.isTriggered === true;
  return status === 'open' && hasFired ? 'triggered' : status;
}

/** The totals of a live order's fills that are missing from the engine's snapshot of the order. */
export type OrderSums = {
  fee: bigint;
  realised: bigint;
  closedSize: number;
  /** The cost, with the same sign as the cost of a position. */
  closedCost: bigint;
  earned: EarnedSums | undefined;
  /**
   * The last rows of the child orders by id. `addChild` replaces the map, because the empty map is
   * shared.
   */
  children: ReadonlyMap<number, HistOrder>;
};

/** The totals of builder fees on the order's fills (R-builder). */
type EarnedSums = {
  readonly builder: Address;
  feeTenthsBp: number;
  fee: bigint;
  notional: bigint;
  lots: number;
  role: TradedSide['role'];
  tradeId: number;
  hash: Hash;
};

export function emptySums(): OrderSums {
  return {
    fee: 0n,
    realised: 0n,
    closedSize: 0,
    closedCost: 0n,
    earned: undefined,
    children: NO_CHILDREN,
  };
}

/** Shared by all orders, because a separate map would be larger than an order's other totals. */
const NO_CHILDREN: ReadonlyMap<number, HistOrder> = new Map();

export function addChild(sums: OrderSums, orderId: number, child: HistOrder): void {
  sums.children = new Map(sums.children).set(orderId, child);
}

export function addFill(sums: OrderSums, side: TradedSide): void {
  sums.fee += side.fee;
  if (side.closed !== undefined) {
    sums.realised += side.closed.realised;
    sums.closedSize += side.closed.size;
    sums.closedCost += side.closed.cost;
  }
  if (side.builderFee !== undefined) sums.earned = addEarning(sums.earned, side, side.builderFee);
}

function addEarning(
  before: EarnedSums | undefined,
  { hash, price, role, size, tradeId }: TradedSide,
  { amount, builder, feeTenthsBp }: NonNullable<TradedSide['builderFee']>,
): EarnedSums {
  return {
    builder,
    feeTenthsBp,
    fee: (before?.fee ?? 0n) + amount,
    notional: (before?.notional ?? 0n) + BigInt(price) * BigInt(size),
    lots: (before?.lots ?? 0) + size,
    role,
    tradeId,
    hash,
  };
}

/** Plain data with amounts as decimal text, because JSON has no large integers. */
export type SumsDump = readonly [
  orderId: number,
  fee: string,
  realised: string,
  closedSize: number,
  closedCost: string,
  earned: (Omit<EarnedSums, 'fee' | 'notional'> & Record<'fee' | 'notional', string>) | null,
  children: readonly (readonly [orderId: number, order: HistOrder])[],
];

export function dumpSums(orderId: number, sums: OrderSums): SumsDump {
  const { children, closedCost, closedSize, earned, fee, realised } = sums;
  const amounts = [String(fee), String(realised), closedSize, String(closedCost)] as const;
  const dumped =
    earned === undefined
      ? null
      : { ...earned, fee: String(earned.fee), notional: String(earned.notional) };
  return [orderId, ...amounts, dumped, [...children]];
}

export function restoreSums([, fee, realised, size, cost, earned, children]: SumsDump): OrderSums {
  return {
    fee: BigInt(fee),
    realised: BigInt(realised),
    closedSize: size,
    closedCost: BigInt(cost),
    earned:
      earned === null
        ? undefined
        : { ...earned, fee: BigInt(earned.fee), notional: BigInt(earned.notional) },
    children: new Map(children),
  };
}

type OrderSettings = Pick<HistOrder, 'positionMode' | 'marginMode' | 'leverage'>;

const HEDGE = 2;
const ISOLATED = 1;

/** Encodes the settings as one number to save memory, because every live order has them. */
export function settingsCode({ leverage, marginMode, positionMode }: OrderSettings): number {
  const modes = (positionMode === 'Hedge' ? HEDGE : 0) + (marginMode === 'Isolated' ? ISOLATED : 0);
  return 4 * leverage + modes;
}

export function settingsOfCode(code: number): OrderSettings {
  return {
    positionMode: (code & HEDGE) === 0 ? 'OneWay' : 'Hedge',
    marginMode: (code & ISOLATED) === 0 ? 'Cross' : 'Isolated',
    leverage: Math.floor(code / 4),
  };
}

const REASONS: Readonly<Record<CancelCause, string>> = {
  userCanceled: 'Canceled by user',
  expired: 'Expired',
  iocRemainder: 'Immediate or cancel remainder',
  selfTrade: 'Self trade',
  reduceOnly: 'Reduce only order has no position left',
  marginCanceled: 'Insufficient margin at match',
  matchLimit: 'Too many resting orders met',
  liquidation: 'Canceled by liquidation',
  siblingFilled: 'Sibling order filled',
  parentCanceled: 'Parent order canceled',
  amendedBelowFilled: 'Amended below filled size',
  outcomeResolved: 'Outcome market closed',
  delisted: 'Instrument delisted',
  scheduledCancel: 'Scheduled cancel',
};

type CancelText = { readonly cancelSource: string; readonly cancelReason: string };

/** Reasons for cancelling an order: an identifier for programs and a text for users. */
const CANCEL_TEXT = Object.fromEntries(
  Object.entries(REASONS).map(([cause, cancelReason]) => [
    cause,
    { cancelSource: `${cause.charAt(0).toUpperCase()}${cause.slice(1)}`, cancelReason },
  ]),
) as Readonly<Record<CancelCause, CancelText>>;
