import type { Fill, HistOrderRow, OrderReport, ReportedFill } from '@oddlot/protocol';
import { divHalfToPlus, formatDecimal, formatMoney } from '@oddlot/units';
import { formatHalfPrice, formatPrice, formatSize, priceDecimals } from '@oddlot/translate/format';
import type {
  ArrivalTrace,
  BlockPlace,
  EnteredBook,
  LaterTrace,
  TakerPart,
  TraceEnd,
} from '../rows/block-rows.ts';
import type { FoundRow } from './run-rows.ts';

export type ReportParts = {
  readonly row: HistOrderRow;
  readonly received: BlockPlace & { readonly txHash: string };
  /** The arrival; undefined for an order that was placed before traces were recorded. */
  readonly arrived: (BlockPlace & { readonly trace: ArrivalTrace }) | undefined;
  readonly later: LaterTrace;
  /** The queue ahead of the order now, or when the order ended. */
  readonly left: TraceEnd | undefined;
  readonly szDecimals: number;
  readonly fills: readonly FoundRow<Fill>[];
  readonly end: BlockPlace | undefined;
};

/** Slippage is given in basis points with two decimals, so its unit is a millionth. */
const BP_DECIMALS = 2;
const BP_PARTS = 1_000_000n;

export function orderReport(parts: ReportParts): OrderReport {
  const { end, left, received, row } = parts;
  const { order } = row;
  const { cancelReason, rejectReason } = order;
  const view = viewOf(parts);
  const entered = enteredOf(parts);
  return {
    oid: order.oid,
    cloid: order.cloid,
    instrumentId: order.instrumentId,
    coin: order.coin,
    side: order.side,
    outcome: order.outcome ?? null,
    tif: order.tif,
    limitPx: order.limitPx,
    origSz: order.origSz,
    received: { time: received.timeMs, txHash: received.txHash, height: received.height },
    entered: entered === undefined ? null : { time: entered.timeMs, height: entered.height },
    arrival: entered === undefined ? null : arrivalOf(view, entered.book),
    fills: parts.fills.map(fillOf),
    filledSz: filledSize(order),
    avgPx: order.avgFillPrice,
    fee: order.fee ?? '0',
    builderFee: formatMoney(BigInt(left?.builderFee ?? 0)),
    slippage: entered === undefined ? null : slippageOf(view, entered.book, takerOf(parts)),
    resting: restingOf(view, parts),
    end:
      end === undefined
        ? null
        : {
            state: row.status,
            reason: cancelReason ?? rejectReason ?? null,
            time: end.timeMs,
            height: end.height,
          },
  };
}

/**
 * The book as seen from the order's outcome. Prices of NO are 1.00 minus those of YES, and bids for
 * NO are asks for YES.
 */
type View = {
  readonly szDecimals: number;
  readonly isNo: boolean;
  /** A price of 1.00 USDC in price units. */
  readonly unit: number;
  /** True if the owner pays the price, so that a lower price is better. */
  readonly pays: boolean;
};

function viewOf({ row, szDecimals }: ReportParts): View {
  const { dir, outcome, side } = row.order;
  return {
    szDecimals,
    isNo: outcome === 'No',
    unit: 10 ** priceDecimals({ szDecimals }),
    pays: outcome === undefined ? side === 'B' : dir.startsWith('Buy'),
  };
}

function enteredOf({
  arrived,
  later,
}: ReportParts): (BlockPlace & { readonly book: EnteredBook }) | undefined {
  const book = arrived?.trace.entered;
  if (arrived === undefined || book === undefined) return later.entered;
  return { height: arrived.height, timeMs: arrived.timeMs, book };
}

function pricesOf({ isNo, unit }: View, { bestAsk, bestBid, markHalves }: EnteredBook) {
  if (!isNo) return { bid: bestBid, ask: bestAsk, mark: markHalves };
  const bid = bestAsk === 0 ? 0 : unit - bestAsk;
  const ask = bestBid === 0 ? 0 : unit - bestBid;
  return { bid, ask, mark: 2 * unit - markHalves };
}

function arrivalOf(view: View, book: EnteredBook): OrderReport['arrival'] {
  const { ask, bid, mark } = pricesOf(view, book);
  const markPx = formatHalfPrice(view, mark);
  return {
    bestBid: bid === 0 ? null : formatPrice(view, bid),
    bestAsk: ask === 0 ? null : formatPrice(view, ask),
    midPx: bid === 0 || ask === 0 ? null : formatHalfPrice(view, bid + ask),
    markPx,
    oraclePx: book.oracle === 0 ? markPx : formatPrice(view, book.oracle),
    met: book.met.map(({ price, size }) => ({
      px: formatPrice(view, ownPrice(view, price)),
      sz: formatSize(view, size),
    })),
  };
}

function ownPrice({ isNo, unit }: View, price: number): number {
  return isNo ? unit - price : price;
}

function fillOf({ position, row }: FoundRow<Fill>): ReportedFill {
  const { builderFee, crossed, fee, px, sz, tid, time } = row();
  const role = crossed === true ? 'taker' : 'maker';
  return { time, height: position[1], tid, px, sz, role, fee, builderFee: builderFee ?? '0' };
}

function filledSize({ origSz, sz }: HistOrderRow['order']): string {
  const decimals = Math.max(placesOf(origSz), placesOf(sz));
  return formatDecimal(countOf(origSz, decimals) - countOf(sz, decimals), decimals);
}

function placesOf(text: string): number {
  const point = text.indexOf('.');
  return point < 0 ? 0 : text.length - point - 1;
}

function countOf(text: string, decimals: number): bigint {
  const places = placesOf(text);
  return BigInt(text.replace('.', '')) * 10n ** BigInt(decimals - places);
}

function takerOf({ arrived, later }: ReportParts): TakerPart {
  const parts = [arrived?.trace.taker, later.taker];
  let [lots, notional] = [0, 0];
  for (const part of parts) {
    lots += part?.lots ?? 0;
    notional += part?.notional ?? 0;
  }
  return { lots, notional };
}

/**
 * Returns how much worse the average taker price is than the mid and the mark at arrival, rounded
 * half up (R-rounding).
 */
function slippageOf(view: View, book: EnteredBook, taken: TakerPart): OrderReport['slippage'] {
  if (taken.lots === 0) return null;
  const { ask, bid, mark } = pricesOf(view, book);
  return {
    mid: bid === 0 || ask === 0 ? null : worseBy(view, taken, bid + ask),
    mark: worseBy(view, taken, mark),
  };
}

/**
 * Returns how much worse the average price is than a fair price, in basis points. `halves` is twice
 * the fair price.
 */
function worseBy({ pays }: View, { lots, notional }: TakerPart, halves: number): string {
  const fair = BigInt(halves) * BigInt(lots);
  if (fair === 0n) return '0';
  const more = 2n * BigInt(notional) - fair;
  return formatDecimal(divHalfToPlus((pays ? more : -more) * BP_PARTS, fair), BP_DECIMALS);
}

function restingOf(view: View, parts: ReportParts): OrderReport['resting'] {
  const { arrived, end, later, left } = parts;
  const first = arrived?.trace.rest;
  const rest =
    later.rest ??
    (arrived === undefined || first === undefined
      ? undefined
      : { ...first, fromMs: arrived.timeMs });
  if (rest === undefined) return null;
  const size = (lots: number | undefined) => (lots === undefined ? null : formatSize(view, lots));
  return {
    from: rest.fromMs,
    to: end?.timeMs ?? null,
    px: formatPrice(view, ownPrice(view, rest.price)),
    aheadAtStart: size(rest.aheadAtStart),
    ahead: size(left?.ahead),
  };
}
