import type { Candle, PerpMeta, Ticker } from '@oddlot/sdk';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { divide, isDecimal, multiply, subtract, toPixels } from '../lib/decimal.ts';
import { isLike } from '../lib/typed-text.ts';
import { queryClient, usePerps } from './queries.ts';
import { tickers } from './streams.ts';
import { reader, venueNow } from './venue.ts';

/** A made-up price of before this venue began; here it is a pixel to be. */
type PastPrice = { readonly timeMs: number; readonly value: number; readonly text: string };

const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
const NONE: readonly PastPrice[] = [];

/** Such prices of the last day, or of a week; none where prices are real, or the venue is older than that. */
function pastQuery(symbol: string, span: 'day' | 'week') {
  return {
    queryKey: ['pastPrices', symbol, span],
    queryFn: async (): Promise<readonly PastPrice[]> => {
      const endTime = venueNow();
      const startTime = endTime - (span === 'day' ? DAY_MS : WEEK_MS);
      const asked = { symbol, startTime, endTime, variant: 'before' };
      const { data } = await reader.info.cryptoPriceHistory(asked);
      return data.map(({ timestamp, value }) => ({
        timeMs: timestamp,
        value: toPixels(value),
        text: value,
      }));
    },
    // It never changes but for how much of it is within the span.
    staleTime: DAY_MS / 24,
  };
}

export function usePastPrices(symbol: string, span: 'day' | 'week'): readonly PastPrice[] {
  return useQuery(pastQuery(symbol, span)).data ?? NONE;
}

/** The same outside of components; where the venue does not answer there are none. */
async function pastPrices(symbol: string): Promise<readonly PastPrice[]> {
  return queryClient.fetchQuery(pastQuery(symbol, 'day')).catch(() => NONE);
}

/** The prices at whole steps before a moment, as many as there are up to a bound, oldest first. */
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
    // After the last one it stays: the venue began a moment later.
    const share = to === undefined ? 0 : (timeMs - from.timeMs) / (to.timeMs - from.timeMs);
    line.push({ timeMs, value: from.value + share * ((to ?? from).value - from.value) });
  }
  return line.reverse();
}

export type Trend = {
  /** Oldest first, for drawing. */
  readonly closes: readonly number[];
  readonly open: string | undefined;
  /** So many of the closes are made up: they are of before the venue. */
  readonly before: number;
};

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
  if (day.length >= POINTS_MIN) return trendIn(day);
  const young = { coin, interval: '1m', startTime: now - 4 * HOUR_MS } as const;
  return trendIn(await reader.info.candleSnapshot(young));
}

function trendIn(candles: readonly Candle[]): Trend {
  return { closes: candles.map(({ c }) => toPixels(c)), open: candles[0]?.o, before: 0 };
}

export function withPast(own: Trend, past: readonly PastPrice[]): Trend {
  const [first] = past;
  if (first === undefined || past.length < POINTS_MIN) return own;
  return {
    closes: [...past.map(({ value }) => value), ...own.closes],
    open: first.text,
    before: past.length,
  };
}

export type PerpRow = {
  readonly perp: PerpMeta;
  readonly ticker: Ticker | undefined;
  readonly trend: Trend | undefined;
};

const NO_PERPS: readonly PerpMeta[] = [];

/** The perps whose names are like what is wanted, and whether there are any at all. */
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

/** In money: sizes of different assets don't compare. */
export function openInterestOf({ ticker }: PerpRow): string | undefined {
  if (!isDecimal(ticker?.markPx)) return undefined;
  return multiply(ticker.openInterest, ticker.markPx);
}
