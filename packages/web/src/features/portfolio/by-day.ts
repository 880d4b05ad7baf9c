import type { PortfolioPoint } from '@oddlot/sdk';
import { subtract } from '../../lib/decimal.ts';

/** What a day brought; sums are of that day alone. */
export type Day = {
  /** Its beginning, in UTC. */
  readonly time: number;
  readonly pnl: string;
  readonly volume: string;
  readonly fees: string;
  readonly funding: string;
  /** What the account was worth at its end, or is now. */
  readonly value: string;
};

const DAY_MS = 24 * 60 * 60 * 1_000;
const SUMS = ['pnl', 'volume', 'fees', 'funding'] as const;

/** Days out of the sums of a portfolio, newest first. Points stand on borders of days, among others. */
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
    // The first point of the next day has all that the day brought, when it stands on the border.
    close(start, point);
    start = point;
  }
  if (last !== start) close(start, last);
  return days;
}

/** A month begins before most accounts do: days on which there was nothing are left out, and no sum with them. */
export function isEventful(day: Day): boolean {
  return day.value !== '0' || SUMS.some((name) => day[name] !== '0');
}
