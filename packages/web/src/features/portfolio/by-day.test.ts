import type { PortfolioPoint } from '@oddlot/sdk';
import { describe, expect, test } from 'vitest';
import { sum } from '../../lib/decimal.ts';
import { byDay, isEventful } from './by-day.ts';

const HOUR = 60 * 60 * 1_000;
const point = (hours: number, pnl: string, accountValue: string): PortfolioPoint => ({
  time: hours * HOUR,
  pnl,
  accountValue,
  volume: '0',
  fees: pnl,
  funding: '0',
});

describe('the days of a portfolio are computed from its points', () => {
  test('each day shows the changes between its boundaries, the current day first', () => {
    const points = [
      point(12, '0', '100'),
      point(24, '5', '105'),
      point(36, '7', '107'),
      point(48, '3', '103'),
      point(50, '4.5', '104.5'),
    ];
    const days = byDay(points);
    expect(days.map(({ pnl, time, value }) => [time / HOUR, pnl, value])).toEqual([
      [48, '1.5', '104.5'],
      [24, '-2', '103'],
      [0, '5', '105'],
    ]);
    expect(days[0]?.fees).toBe('1.5');
  });

  test('the days add up to the end of the curve', () => {
    const points = [
      point(0, '0', '0'),
      point(24, '0', '0'),
      point(30, '0', '100'),
      point(48, '-20.5', '79.5'),
      // Worthless shares were settled on this day. This changes neither value nor volume, but the
      // day still counts.
      point(72, '-100', '0'),
      point(96, '-100', '0'),
    ];
    const days = byDay(points).filter(isEventful);
    expect(days.map(({ pnl, time }) => [time / HOUR, pnl])).toEqual([
      [48, '-79.5'],
      [24, '-20.5'],
    ]);
    expect(sum(days.map(({ pnl }) => pnl))).toBe(points.at(-1)?.pnl);
  });

  test('a portfolio without points or with a single point has no days', () => {
    expect(byDay([])).toEqual([]);
    expect(byDay([point(3, '0', '1')])).toEqual([]);
  });
});
