import { describe, expect, test } from 'vitest';
import type { PortfolioPoint } from '@oddlot/sdk';
import { byDay } from './by-day.ts';

const HOUR = 60 * 60 * 1_000;
const point = (hours: number, pnl: string, accountValue: string): PortfolioPoint => ({
  time: hours * HOUR,
  pnl,
  accountValue,
  volume: '0',
  fees: pnl,
  funding: '0',
});

describe('days of a portfolio', () => {
  test('each day has what happened between its borders, the newest is the one that runs', () => {
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

  test('nothing, and a single point, are no day', () => {
    expect(byDay([])).toEqual([]);
    expect(byDay([point(3, '0', '1')])).toEqual([]);
  });
});
