import { perpDefinitions } from '@oddlot/engine';
import {
  type CryptoPrice,
  type CryptoPriceHistory,
  type InfoQueryOf,
  LIMITS,
} from '@oddlot/protocol';
import { isFirstPerp } from '@oddlot/replica/genesis-commands';
import type { PricePoint, ReferencePrices, ShownSource } from '../read-models/reference-prices.ts';
import { formatReferencePrice } from '../format.ts';
import {
  answer,
  type InfoContext,
  type InfoHandler,
  instrumentNotFound,
  type StateQueries,
} from './info-context.ts';

const MINUTE_MS = 60_000;
/** The maximum delay of an observation after the end of its window (R-series). */
const LATE_MS = 5_000;

const VARIANT_MS = {
  '5m': 5 * MINUTE_MS,
  '15m': 15 * MINUTE_MS,
  '1h': 60 * MINUTE_MS,
  '4h': 240 * MINUTE_MS,
  '1d': 1_440 * MINUTE_MS,
} as const;

/**
 * Returns the start price of a window and its end price. Before the end, the latest price is used.
 */
const cryptoPrice: InfoHandler<'cryptoPrice', CryptoPrice> = ({ markets, state }, query) => {
  const { prices } = markets;
  const { eventStartTime: startMs, source } = query;
  const symbol = knownSymbol(prices, query.symbol);
  if (symbol === undefined) return instrumentNotFound('symbol', query.symbol);
  const nowMs = state.timeMs;
  const endMs = endOf(query);
  const isOver = endMs !== undefined && endMs <= nowMs;
  const open = startMs === undefined ? undefined : priceAt(prices, symbol, source, startMs, nowMs);
  const close = isOver ? prices.price(symbol, source, endMs) : prices.latest(symbol, source);
  const toMs = isOver ? endMs : nowMs;
  const hasGap =
    startMs !== undefined && startMs <= toMs && prices.hasGap(symbol, source, startMs, toMs);
  return answer({
    symbol,
    source,
    openPrice: textOf(open),
    closePrice: textOf(close),
    timestamp: nowMs,
    completed: isOver && nowMs >= endMs + LATE_MS,
    incomplete: hasGap || close === undefined,
    cached: false,
  });
};

/**
 * The value of `variant` that requests simulated prices from before the venue's start, and the
 * source name of those prices.
 */
const BEFORE = 'before';
const SIMULATED = 'simulated';

/**
 * Returns the prices in a period, thinned evenly if there are too many. Prices from before the
 * venue's start are simulated and returned only on request.
 */
const cryptoPriceHistory: InfoHandler<'cryptoPriceHistory', CryptoPriceHistory> = (
  context,
  query,
) => {
  const { markets } = context;
  const { endTime: toMs, source, startTime: fromMs } = query;
  const { prices } = markets;
  const symbol = knownSymbol(prices, query.symbol);
  if (query.variant?.toLowerCase() === BEFORE) return answer(pastOf(context, query));
  if (symbol === undefined) return instrumentNotFound('symbol', query.symbol);
  const max = LIMITS.priceHistoryPointsMax;
  const points = prices.history(symbol, source, { fromMs, toMs, max });
  return answer({
    symbol,
    source,
    data: points.map(shown),
  });
};

function pastOf(
  { markets, settings, state }: InfoContext,
  { endTime, startTime, symbol: asked }: InfoQueryOf<'cryptoPriceHistory'>,
): CryptoPriceHistory {
  const symbol = asked.toUpperCase();
  // A perp listed by an operator has no simulated prices.
  const isOwn =
    markets.prices.hasSymbol(symbol) ||
    perpDefinitions(state).some((perp) => perp.baseCurrency === symbol && isFirstPerp(perp));
  const simulated = isOwn ? settings.simulatedPast?.(symbol, state.beganMs) : undefined;
  const within = (simulated ?? []).filter(({ atMs }) => atMs >= startTime && atMs <= endTime);
  return { symbol, source: SIMULATED, data: within.map(shown) };
}

function shown({ atMs, priceE8 }: PricePoint): CryptoPriceHistory['data'][number] {
  return { timestamp: atMs, value: formatReferencePrice(priceE8) };
}

/** Finds a symbol as written or in upper case, because most symbols are in upper case. */
function knownSymbol(prices: ReferencePrices, symbol: string): string | undefined {
  return [symbol, symbol.toUpperCase()].find((each) => prices.hasSymbol(each));
}

function endOf({
  endTime,
  eventStartTime,
  variant,
}: InfoQueryOf<'cryptoPrice'>): number | undefined {
  if (endTime !== undefined) return endTime;
  if (eventStartTime === undefined || variant === undefined) return undefined;
  return eventStartTime + VARIANT_MS[variant];
}

/** Returns undefined for a future time, for which there is no price yet. */
function priceAt(
  prices: ReferencePrices,
  symbol: string,
  source: ShownSource,
  timeMs: number,
  nowMs: number,
): PricePoint | undefined {
  return timeMs > nowMs ? undefined : prices.price(symbol, source, timeMs);
}

function textOf(point: PricePoint | undefined): string | null {
  return point === undefined ? null : formatReferencePrice(point.priceE8);
}

export const REFERENCE_PRICE_QUERIES = {
  cryptoPrice: { answer: cryptoPrice },
  cryptoPriceHistory: { answer: cryptoPriceHistory },
} as const satisfies StateQueries;
