import type { Candle, PerpMeta, Ticker } from '@oddlot/sdk';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { divide, isDecimal, multiply, subtract, toPixels } from '../lib/decimal.ts';
import { isLike } from '../lib/typed-text.ts';
import { usePerps } from './queries.ts';
import { tickers } from './streams.ts';
import { reader, venueNow } from './venue.ts';

type PastPrice = { readonly timeMs: number; readonly value: number };

const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
const NONE: readonly PastPrice[] = [];

/** Returns simulated prices from before the venue's start if the user has selected them. */
export function usePastPrices(
  symbol: string | undefined,
  span: 'day' | 'week',
): readonly PastPrice[] {
  const query = useQuery({
    queryKey: ['pastPrices', symbol, span],
    queryFn: async (): Promise<readonly PastPrice[]> => {
      const endTime = venueNow();
      const startTime = endTime - (span === 'day' ? DAY_MS : WEEK_MS);
      const asked = { symbol: symbol!, startTime, endTime, variant: 'before' };
      const { data } = await reader.info.cryptoPriceHistory(asked);
      return data.map(({ timestamp, value }) => ({ timeMs: timestamp, value: toPixels(value) }));
    },
    staleTime: DAY_MS / 24,
    enabled: symbol !== undefined,
  });
  return query.data ?? NONE;
}

export function pastLine(
  past: readonly PastPrice[],
  { beforeMs, stepMs, max }: { beforeMs: number; stepMs: number; max: number },
): readonly { readonly timeMs: number; readonly value: number }[] {
  const line: { timeMs: number; value: number }[] = [];
  let at = past.length - 1;
  for (let timeMs = beforeMs - stepMs; line.length < max; timeMs -= stepMs) {
    while (at > 0 && past[at]!.timeMs > timeMs) at -= 1;
    const [from, to] = [past[at], past[at + 1]];
    if (from === undefined || from.timeMs > timeMs) break;
    const share = to === undefined ? 0 : (timeMs - from.timeMs) / (to.timeMs - from.timeMs);
    line.push({ timeMs, value: from.value + share * ((to ?? from).value - from.value) });
  }
  return line.reverse();
}

export type Trend = {
  readonly closes: readonly number[];
  readonly open: string | undefined;
};

const HOUR_MS = 3_600_000;
const STALE_MS = 60_000;
const POINTS_MIN = 12;
const LINES_MAX = 30;

export function useTrends(perps: readonly PerpMeta[]): ReadonlyMap<number, Trend> {
  return useQueries({
    queries: perps.slice(0, LINES_MAX).map(({ index }) => ({
      queryKey: ['trend', index],
      queryFn: () => trendOf(String(index)),
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

export function dayChange(
  prices: Prices | undefined,
  since: Trend | undefined,
): string | undefined {
  if (!isDecimal(prices?.markPx)) return undefined;
  const before = isDecimal(prices.prevDayPx) ? prices.prevDayPx : since?.open;
  if (before === undefined) return undefined;
  return divide(subtract(prices.markPx, before), before, 6);
}

/**
 * Returns true if the change is relative to the first trade, because the market has traded for less
 * than a day.
 */
export function isSinceStart(prices: Prices | undefined, since: Trend | undefined): boolean {
  return !isDecimal(prices?.prevDayPx) && since?.open !== undefined;
}

async function trendOf(coin: string): Promise<Trend> {
  const now = venueNow();
  const day = await reader.info.candleSnapshot({ coin, interval: '15m', startTime: now - DAY_MS });
  if (day.length >= POINTS_MIN) return trendIn(day);
  const young = { coin, interval: '1m', startTime: now - 4 * HOUR_MS } as const;
  return trendIn(await reader.info.candleSnapshot(young));
}

function trendIn(candles: readonly Candle[]): Trend {
  return { closes: candles.map(({ c }) => toPixels(c)), open: candles[0]?.o };
}

export type PerpRow = {
  readonly perp: PerpMeta;
  readonly ticker: Ticker | undefined;
  readonly trend: Trend | undefined;
};

const NO_PERPS: readonly PerpMeta[] = [];

export function usePerpRows(wanted: string): {
  readonly rows: readonly PerpRow[];
  readonly isLoaded: boolean;
  readonly hasAny: boolean;
} {
  const { data } = usePerps();
  const byId = tickers.use({ accountType: 'perp' }, (state) => state.byId);
  const listed = data?.universe ?? NO_PERPS;
  const trends = useTrends(listed);
  const rows = useMemo(
    () =>
      listed
        .filter(({ name }) => isLike(name, wanted))
        .map((perp) => ({ perp, ticker: byId.get(perp.index), trend: trends.get(perp.index) })),
    [listed, byId, trends, wanted],
  );
  return { rows, isLoaded: data !== undefined, hasAny: listed.length > 0 };
}

export function changeOf({ ticker, trend }: PerpRow): string | undefined {
  return dayChange(ticker, trend);
}

export function openInterestOf({ ticker }: PerpRow): string | undefined {
  if (!isDecimal(ticker?.markPx)) return undefined;
  return multiply(ticker.openInterest, ticker.markPx);
}
