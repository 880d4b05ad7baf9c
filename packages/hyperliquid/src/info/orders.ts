import type {
  HistOrder,
  HistOrderRow,
  OpenOrder,
  OrderUpdate,
  OrderReport,
} from '@oddlot/protocol';
import { formatDecimal, MONEY_DECIMALS, parseExact, present } from '@oddlot/units';
import type { Coins } from '../coins.ts';

/**
 * The statuses of cancelled orders, by the venue's reason. For any other reason, the status is
 * `canceled`.
 */
const CANCELED: Readonly<Record<string, string>> = {
  selfTrade: 'selfTradeCanceled',
  reduceOnly: 'reduceOnlyCanceled',
  marginCanceled: 'marginCanceled',
  liquidation: 'liquidatedCanceled',
  siblingFilled: 'siblingFilledCanceled',
  delisted: 'delistedCanceled',
  scheduledCancel: 'scheduledCancel',
};

/**
 * Returns true if an order was cancelled for a reason other than its owner's request or being the
 * unfilled remainder of an Ioc order.
 */
export function isNonUserCancel(reason: string | undefined): boolean {
  return reason !== undefined && reason !== 'userCanceled' && reason !== 'iocRemainder';
}

function statusOf(
  status: string,
  cause: string | undefined,
  { origSz, sz }: { readonly origSz: string; readonly sz: string },
): string {
  if (status !== 'cancelled') return status;
  if (cause === 'iocRemainder' && sz === origSz) return 'iocCancelRejected';
  return (cause === undefined ? undefined : CANCELED[cause]) ?? 'canceled';
}

const TIFS: Readonly<Record<string, string>> = { GTC: 'Gtc', GTD: 'Gtc', ALO: 'Alo', IOC: 'Ioc' };

type Row = OpenOrder | HistOrder;

/** Converts an order to Hyperliquid's format, with all the fields used by the front end. */
export function frontendOrder(coins: Coins, order: Row): object {
  const { cloid, instrumentId, isPositionTpsl, isTrigger, limitPx, oid, origSz } = order;
  const { orderType, reduceOnly, side, sz, tif, timestamp, triggerCondition, triggerPx } = order;
  return {
    coin: coins.nameOf(instrumentId),
    side,
    limitPx,
    sz,
    oid,
    timestamp,
    triggerCondition,
    isTrigger,
    triggerPx: isTrigger ? triggerPx : '0.0',
    children: order.children.map((child) => frontendOrder(coins, child)),
    isPositionTpsl,
    reduceOnly,
    orderType: isTrigger ? triggerType(order) : orderType,
    origSz,
    tif: isTrigger ? null : orderType === 'Market' ? 'FrontendMarket' : (TIFS[tif] ?? 'Gtc'),
    cloid,
  };
}

/**
 * Returns the trigger type. A take-profit sell and a stop-loss buy trigger when the price rises.
 */
function triggerType({ orderType, side, triggerCondition }: Row): string {
  const isAbove = triggerCondition.startsWith('Price above');
  const isTakeProfit = isAbove !== (side === 'B');
  return `${isTakeProfit ? 'Take Profit' : 'Stop'} ${orderType}`;
}

/** Converts an open order to Hyperliquid's short format. */
export function openOrder(
  coins: Coins,
  order: Pick<
    Row,
    | 'cloid'
    | 'instrumentId'
    | 'limitPx'
    | 'oid'
    | 'origSz'
    | 'reduceOnly'
    | 'side'
    | 'sz'
    | 'timestamp'
  >,
): object {
  const { cloid, instrumentId, limitPx, oid, origSz, reduceOnly, side, sz, timestamp } = order;
  return {
    coin: coins.nameOf(instrumentId),
    side,
    limitPx,
    sz,
    oid,
    timestamp,
    origSz,
    ...(reduceOnly ? { reduceOnly: true } : {}),
    ...(cloid === null ? {} : { cloid }),
  };
}

export function historicalOrder(
  coins: Coins,
  { order, status, statusTimestamp }: HistOrderRow,
): object {
  const { cancelSource } = order;
  const cause = cancelSource && cancelSource.charAt(0).toLowerCase() + cancelSource.slice(1);
  return {
    order: frontendOrder(coins, order),
    status: statusOf(status, cause, order),
    statusTimestamp,
  };
}

export function orderUpdate(
  coins: Coins,
  { order, reason, status, statusTimestamp }: OrderUpdate,
): object {
  return {
    order: openOrder(coins, order),
    status: statusOf(status, reason, order),
    statusTimestamp,
  };
}

/**
 * Converts an order that the venue has removed from memory, using the fields of its execution
 * report.
 */
export function reportedOrder(coins: Coins, report: OrderReport): object {
  const { cloid, coin: _, end, filledSz, instrumentId, limitPx, oid, origSz, received } = report;
  const left = sizeOf(origSz) - sizeOf(filledSz);
  const order = {
    coin: coins.nameOf(instrumentId),
    side: report.side,
    limitPx,
    sz: formatDecimal(left, SIZE_DECIMALS),
    oid,
    timestamp: received.time,
    triggerCondition: 'N/A',
    isTrigger: false,
    triggerPx: '0.0',
    children: [],
    isPositionTpsl: false,
    reduceOnly: false,
    orderType: 'Limit',
    origSz,
    tif: TIFS[report.tif] ?? 'Gtc',
    cloid,
  };
  const status = end?.state ?? 'open';
  return {
    order,
    status: statusOf(status, undefined, order),
    statusTimestamp: end?.time ?? report.entered?.time ?? received.time,
  };
}

/** The maximum number of decimals in a size, the same as in an amount of money. */
const SIZE_DECIMALS = MONEY_DECIMALS;

function sizeOf(text: string): bigint {
  return present(parseExact(text, SIZE_DECIMALS), 'a size of the venue');
}
