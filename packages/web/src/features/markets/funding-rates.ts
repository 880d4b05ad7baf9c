import type { FundingHistoryRow } from '@oddlot/sdk';
import { divide, multiply, sum, toPixels } from '../../lib/decimal.ts';

/** What holding came to over a span. */
export type FundingSums = {
  /** Of the hours of the last day and of all that were asked for, as fractions; undefined where no hour paid. */
  readonly day: string | undefined;
  readonly week: string | undefined;
  /** The mean of those hours over a year. */
  readonly yearly: string | undefined;
  /** Rates by hour, oldest first, for drawing. */
  readonly rates: readonly number[];
};

const DAY_MS = 86_400_000;
const HOURS_OF_A_YEAR = '8760';

export function fundingSums(rows: readonly FundingHistoryRow[], nowMs: number): FundingSums {
  const rates = rows.map(({ fundingRate }) => fundingRate);
  const day = rows
    .filter(({ time }) => time > nowMs - DAY_MS)
    .map(({ fundingRate }) => fundingRate);
  const week = sumOf(rates);
  const mean = week === undefined ? undefined : divide(week, String(rates.length), 12);
  return {
    day: sumOf(day),
    week,
    yearly: mean === undefined ? undefined : multiply(mean, HOURS_OF_A_YEAR),
    rates: rates.map(toPixels),
  };
}

function sumOf(rates: readonly string[]): string | undefined {
  return rates.length === 0 ? undefined : sum(rates);
}
