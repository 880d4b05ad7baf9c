import { useQueries } from '@tanstack/react-query';
import type { Candle, PerpMeta } from '@oddlot/sdk';
import { divide, isDecimal, subtract, toPixels } from '../lib/decimal.ts';
import { pastPrices, type PastPrice } from './past-prices.ts';
import { reader, venueNow } from './venue.ts';

/** Where the price of a perp came from. */
export type Trend = {
  /** Oldest first, for drawing. */
  readonly closes: readonly number[];
  /** The first price of it. */
  readonly open: string | undefined;
  /** So many of the closes are made up: they are of before the venue. */
  readonly before: number;
};

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const STALE_MS = 60_000;
/** Fewer points make no line: a young venue is shown minute by minute. */
const POINTS_MIN = 12;
/** Rows beyond have no line; nobody reads a hundred of them. */
const LINES_MAX = 30;

export function useTrends(perps: readonly PerpMeta[]): ReadonlyMap<number, Trend> {
  return useQueries({
    queries: perps.slice(0, LINES_MAX).map(({ baseCurrency, index }) => ({
      queryKey: ['trend', index],
      queryFn: async () => withPast(await trendOf(String(index)), await pastPrices(baseCurrency)),
      staleTime: STALE_MS,
      refetchInterval: STALE_MS,
    })),
    combine: (results) =>
      new Map(
        results.flatMap(({ data }, at) => {
          const perp = perps[at];
          return data === undefined || perp === undefined ? [] : [[perp.index, data] as const];
        }),
      ),
  });
}

type Prices = { readonly markPx: string; readonly prevDayPx: string };

/** Of the mark over a day, as a fraction; while the venue is younger than that, since the first trade. */
export function dayChange(
  prices: Prices | undefined,
  since: Trend | undefined,
): string | undefined {
  if (!isDecimal(prices?.markPx)) return undefined;
  const before = isDecimal(prices.prevDayPx) ? prices.prevDayPx : since?.open;
  if (before === undefined) return undefined;
  return divide(subtract(prices.markPx, before), before, 6);
}

/** Whether that change is against a price that is made up. */
export function isAgainstPast(prices: Prices | undefined, since: Trend | undefined): boolean {
  return !isDecimal(prices?.prevDayPx) && (since?.before ?? 0) > 0;
}

async function trendOf(coin: string): Promise<Trend> {
  const now = venueNow();
  const day = await reader.info.candleSnapshot({ coin, interval: '15m', startTime: now - DAY_MS });
  if (day.length >= POINTS_MIN) return trend(day);
  const young = { coin, interval: '1m', startTime: now - 4 * HOUR_MS } as const;
  return trend(await reader.info.candleSnapshot(young));
}

function trend(candles: readonly Candle[]): Trend {
  return { closes: candles.map(({ c }) => toPixels(c)), open: candles[0]?.o, before: 0 };
}

/** While a venue is younger than a day, what is made up stands in front. */
export function withPast(own: Trend, past: readonly PastPrice[]): Trend {
  const [first] = past;
  if (first === undefined || past.length < POINTS_MIN) return own;
  return {
    closes: [...past.map(({ value }) => value), ...own.closes],
    open: first.text,
    before: past.length,
  };
}
