import { useMemo } from 'react';
import type { PerpMeta, Ticker } from '@oddlot/sdk';
import { isDecimal, multiply } from '../lib/decimal.ts';
import { isLike } from '../lib/typed-text.ts';
import { usePerps } from './queries.ts';
import { tickers } from './tickers.ts';
import { dayChange, useTrends, type Trend } from './past-prices.ts';

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
