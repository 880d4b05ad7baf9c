import type { PortfolioPoint } from '@oddlot/sdk';
import { subtract } from '../../lib/decimal.ts';

export const DAY_MS = 24 * 60 * 60 * 1_000;

export type Day = {
  readonly time: number;
  readonly pnl: string;
  readonly volume: string;
  readonly fees: string;
  readonly funding: string;
  readonly value: string;
};

const SUMS = ['pnl', 'volume', 'fees', 'funding'] as const;

/** Returns the days of a portfolio, newest first. */
export function byDay(points: readonly PortfolioPoint[]): readonly Day[] {
  const days: Day[] = [];
  let start = points[0];
  let last = start;
  if (start === undefined || last === undefined) return [];
  const close = (from: PortfolioPoint, to: PortfolioPoint): void => {
    const [pnl, volume, fees, funding] = SUMS.map((name) => subtract(to[name], from[name]));
    days.unshift({
      time: Math.floor(from.time / DAY_MS) * DAY_MS,
      pnl: pnl!,
      volume: volume!,
      fees: fees!,
      funding: funding!,
      value: to.accountValue,
    });
  };
  for (const point of points.slice(1)) {
    last = point;
    if (Math.floor(point.time / DAY_MS) === Math.floor(start.time / DAY_MS)) continue;
    close(start, point);
    start = point;
  }
  if (last !== start) close(start, last);
  return days;
}

export function isEventful(day: Day): boolean {
  return day.value !== '0' || SUMS.some((name) => day[name] !== '0');
}
