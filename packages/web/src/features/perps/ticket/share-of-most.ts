import type { ActiveAssetData, AssetPosition, L2Book } from '@oddlot/sdk';
import { compare, magnitude, multiply, onStep, sign } from '../../../lib/decimal.ts';
import type { Grid } from '../traded-perp.ts';
import { type Draft, isTriggerType } from './draft.ts';
import {
  type Drafted,
  isPositive,
  isReducing,
  marketPrice,
  ordersOf,
  type Surroundings,
} from './orders-of-draft.ts';

/**
 * What is left, in 10^-4 of the most, for moves of the market while an order is on its way: 0.5%, and more from a leverage of 25 on, at
 * which a move of the price counts for more. Less than 1%.
 */
const ROOM_MIN = 50;
const ROOM_MAX = 90;
const ROOM_PER_LEVERAGE = 2;

/** `px` of activeAssetData: the prices of the ticket on the tick, or null for an order at the market. */
export function askedPrices(
  draft: Draft,
  { tick }: Pick<Grid, 'tick'>,
): [string | null, string | null] {
  const { lastPrice, limitPrice, price, type } = draft;
  if (type === 'market') return [null, null];
  const limits = isTriggerType(type)
    ? [limitPrice]
    : type === 'scale'
      ? [price, lastPrice]
      : [price];
  const prices = limits
    .filter(isPositive)
    .map((each) => onStep(each, tick))
    .filter((each) => sign(each) > 0)
    .toSorted(compare);
  // The worst price of a ladder: the highest for buys, the lowest for sells.
  return [prices.at(-1) ?? null, prices[0] ?? null];
}

/** The largest size of the ticket's order: what the venue allows, or the position that the order reduces. */
export function mostOf(
  draft: Draft,
  asset: ActiveAssetData,
  { coin, positions }: { readonly coin: string; readonly positions: readonly AssetPosition[] },
): string {
  if (!isReducing(draft, { isHedge: isHedged(asset) })) {
    return asset.maxTradeSzs[draft.side === 'buy' ? 0 : 1];
  }
  const isShort = draft.side === 'buy';
  const held = positions.find(
    ({ position }) => position.asset === coin && sign(position.szi) < 0 === isShort,
  );
  return held === undefined ? '0' : magnitude(held.position.szi);
}

/** The size for a percentage of the most, on the lot. A position is reduced by the whole of it. */
export function sizeOfShare(
  { share = 0, ...draft }: Draft,
  most: string,
  { asset, lot }: { readonly asset: ActiveAssetData; readonly lot: string },
): string {
  const isReduction = isReducing({ ...draft, share }, { isHedge: isHedged(asset) });
  const { leverage, leverageShort = leverage } = asset;
  const { value } = draft.side === 'buy' ? leverage : leverageShort;
  const room = Math.min(ROOM_MAX, Math.max(ROOM_MIN, ROOM_PER_LEVERAGE * value));
  const usable = isReduction ? '1' : String((10_000 - room) / 10_000);
  return onStep(multiply(multiply(most, usable), String(share / 100)), lot, 'down');
}

/** The draft with the size that its percentage comes to now; a typed size stays. */
export function withShare(
  draft: Draft,
  most: string | undefined,
  { asset, lot }: { readonly asset: ActiveAssetData | undefined; readonly lot: string },
): Draft {
  if (draft.share === undefined || most === undefined || asset === undefined) return draft;
  return { ...draft, size: sizeOfShare(draft, most, { asset, lot }) };
}

export function isHedged({ leverage }: ActiveAssetData): boolean {
  return leverage.mode === 'Hedge';
}

export type Sizing = {
  readonly asset: ActiveAssetData;
  /** The limit of an isolated market order; undefined where the usual one serves. */
  readonly bound?: string;
};

type Questions = {
  readonly ask: (px: [string | null, string | null]) => Promise<ActiveAssetData>;
  readonly askBook: () => Promise<L2Book>;
};

/**
 * Asks the venue for the largest order of a ticket. An isolated market order reserves its loss down to its limit (R-isolated), so it gets
 * a limit no further away than its size needs.
 */
export async function sizingOf(
  draft: Draft,
  grid: Grid,
  { ask, askBook }: Questions,
): Promise<Sizing> {
  const asset = await ask(askedPrices(draft, grid));
  const { type } = asset.leverage;
  if (draft.type !== 'market' || type !== 'Isolated') return { asset };
  const bound = boundOf(draft.side, asset, await askBook(), grid);
  return bound === undefined ? { asset } : { asset: await ask([bound, bound]), bound };
}

/** The band of a market order, which the venue's answer without a limit counts with. */
const MARKET_BAND = 0.05;
/** Room of a bound for the book to move, as a share of the margin. */
const BOUND_ROOM = 0.002;

/** The price at which the book has as much as the margin carries there. Estimated: the venue computes the size for it. */
function boundOf(
  side: 'buy' | 'sell',
  asset: ActiveAssetData,
  { levels: [bids, asks] }: L2Book,
  { tick }: Grid,
): string | undefined {
  const isBuy = side === 'buy';
  const mark = Number(asset.markPx);
  const { leverage, leverageShort = leverage, maxTradeSzs } = asset;
  const marginShare = 1 / (isBuy ? leverage : leverageShort).value;
  const free = Number(maxTradeSzs[isBuy ? 0 : 1]) * mark * (marginShare + MARKET_BAND);
  let depth = 0;
  let price: number | undefined;
  for (const level of isBuy ? asks : bids) {
    price = Number(level.px);
    depth += Number(level.sz);
    const worse = Math.max(0, isBuy ? price - mark : mark - price);
    if (depth >= free / (mark * marginShare + worse)) break;
  }
  if (price === undefined || !(mark > 0)) return undefined;
  const room = price * BOUND_ROOM * marginShare;
  const limit = onStep((isBuy ? price + room : price - room).toFixed(10), tick);
  const usual = marketPrice(side, asset.markPx, tick);
  return compare(limit, usual) > 0 === isBuy ? usual : limit;
}

/** The orders of a ticket with a percentage at the moment of sending, from a new answer of the venue. */
export async function freshOrders(
  draft: Draft,
  around: Omit<Surroundings, 'markPx'>,
  {
    coin,
    positions,
    ...questions
  }: Questions & { readonly coin: string; readonly positions: readonly AssetPosition[] },
): Promise<Drafted> {
  const { grid } = around;
  const { asset, bound } = await sizingOf(draft, grid, questions);
  const most = mostOf(draft, asset, { coin, positions });
  const sized = withShare(draft, most, { asset, lot: grid.lot });
  return ordersOf(sized, { ...around, markPx: asset.markPx, bound });
}
