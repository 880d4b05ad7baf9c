import type { AssetContext, PerpMeta } from '@oddlot/protocol';
import { ASSET_ID_MAX, type Coin, type Coins } from '../coins.ts';

type Context = AssetContext['ctx'];

/** The index of USDC, the only token. */
const USDC_INDEX = 0;

const USDC = {
  name: 'USDC',
  szDecimals: 8,
  weiDecimals: 8,
  index: USDC_INDEX,
  tokenId: '0x00000000000000000000000000000000',
  isCanonical: true,
  evmContract: null,
  fullName: null,
  deployerTradingFeeShare: '0.0',
};

/**
 * The empty lists of spot markets. The venue has no spot trading, but clients read the lists when
 * they start.
 */
export const SPOT_META = { tokens: [USDC], universe: [] };

/** Converts a number from the venue's API, where an unset value is an empty string. */
export function numberText(text: string): string {
  return text === '' ? '0.0' : text;
}

function universeEntry({ name, perp }: Coin): object {
  return {
    name,
    szDecimals: szDecimalsOf(perp),
    maxLeverage: perp.maxLeverage,
    marginTableId: perp.maxLeverage,
    ...(perp.onlyIsolated ? { onlyIsolated: true } : {}),
    ...(perp.delisted ? { isDelisted: true } : {}),
  };
}

/**
 * Returns the size decimals, which are at least zero because clients compute with them. The venue
 * rejects sizes that are not multiples of a coarser step.
 */
function szDecimalsOf({ szDecimals }: PerpMeta): number {
  return Math.max(0, szDecimals);
}

/**
 * Returns a delisted entry for an id without a perp, so that asset ids are indexes into the
 * universe.
 */
function placeholder(id: number): object {
  const name = `UNLISTED-${id}`;
  return { name, szDecimals: 0, maxLeverage: 1, marginTableId: 1, isDelisted: true };
}

const NO_CONTEXT: Context = {
  dayNtlVlm: '0.0',
  dayBaseVlm: '0.0',
  prevDayPx: '0.0',
  markPx: '0.0',
  midPx: null,
  oraclePx: '0.0',
  openInterest: '0.0',
  funding: '0.0',
  premium: null,
  impactPxs: null,
  nextFundingTime: 0,
};

function idsOf(coins: Coins): number[] {
  const last = Math.min(coins.all.at(-1)?.id ?? -1, ASSET_ID_MAX);
  return Array.from({ length: last + 1 }, (_, id) => id);
}

export function metaOf(coins: Coins): object {
  const universe = idsOf(coins).map((id) => {
    const coin = coins.withId(id);
    return coin === undefined ? placeholder(id) : universeEntry(coin);
  });
  const marginTables = marginTableIds(coins).map((id) => [id, marginTable(id)]);
  return { universe, marginTables, collateralToken: USDC_INDEX };
}

/** Returns the ids of the margin tables, which are the perps' maximum leverages. */
export function marginTableIds(coins: Coins): readonly number[] {
  const leverages = new Set([1, ...coins.all.map(({ perp }) => perp.maxLeverage)]);
  return [...leverages].sort((a, b) => a - b);
}

export function marginTable(maxLeverage: number): object {
  return { description: '', marginTiers: [{ lowerBound: '0.0', maxLeverage }] };
}

/**
 * Returns the context of a perp without the fields that Hyperliquid does not have. Clients divide
 * by the price 24 hours ago, so for newer perps the mark is used instead.
 */
export function contextOf({ nextFundingTime: _, ...context }: Context): object {
  const { markPx, prevDayPx } = context;
  return {
    ...context,
    prevDayPx: numberText(prevDayPx === '' ? markPx : prevDayPx),
    markPx: numberText(markPx),
    oraclePx: numberText(context.oraclePx),
    funding: numberText(context.funding),
  };
}

/** Returns the contexts of all perps in the order of the universe. */
export function contextsOf(coins: Coins, contexts: readonly AssetContext[]): object[] {
  const byId = new Map(contexts.map((each) => [each.instrumentId, each.ctx]));
  return idsOf(coins).map((id) => contextOf(byId.get(id) ?? NO_CONTEXT));
}

/**
 * Returns the mid price of each listed perp, or its mark while either side of the book is empty.
 */
export function midsOf(
  coins: Coins,
  contexts: readonly AssetContext[],
): Readonly<Record<string, string>> {
  const mids: Record<string, string> = {};
  for (const { ctx, instrumentId } of contexts) {
    const coin = coins.withId(instrumentId);
    const mid = ctx.midPx ?? ctx.markPx;
    if (coin !== undefined && !coin.perp.delisted && mid !== '') mids[coin.name] = mid;
  }
  return mids;
}

/**
 * Returns the predicted funding of each perp. Funding is paid every hour, and the rates of other
 * exchanges are unknown.
 */
export function predictedFundings(coins: Coins, contexts: readonly AssetContext[]): object[] {
  return contexts.flatMap(({ ctx, instrumentId }) => {
    const coin = coins.withId(instrumentId);
    if (coin === undefined || coin.perp.delisted) return [];
    const { funding, nextFundingTime } = ctx;
    const rate = { fundingRate: numberText(funding), nextFundingTime, fundingIntervalHours: 1 };
    return [[coin.name, [['HlPerp', rate]]]];
  });
}
