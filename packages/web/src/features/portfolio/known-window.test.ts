import type { LedgerUpdate, PortfolioPoint } from '@oddlot/sdk';
import { expect, test } from 'vitest';
import { sum } from '../../lib/decimal.ts';
import { byDay } from './by-day.ts';
import { knownWindow } from './use-portfolio.ts';

const HOUR = 60 * 60 * 1_000;

function point(hours: number, accountValue: string, pnl: string): PortfolioPoint {
  return { time: hours * HOUR, accountValue, pnl, volume: pnl, fees: '0', funding: '0' };
}

function faucet(hours: number, amount: string): LedgerUpdate {
  const delta = { type: 'faucet', amount, token: 'USDC' };
  return { time: hours * HOUR, hash: `0x${hours}`, delta } as LedgerUpdate;
}

/**
 * Points of an account that is older than the history, with a profit of 40 before the history began
 * and 3 afterwards.
 */
const points = [
  point(0, '0', '0'),
  point(24, '0', '0'),
  point(48, '1040', '40'),
  point(60, '1043', '43'),
];
const isWhole = true;

test('portfolio totals start with the first value if the history starts within the window', () => {
  const portfolio = { window: 'week' as const, deposits: '1000', points };
  const known = knownWindow(portfolio, { rows: [], isWhole });
  expect(known).toEqual({
    sinceMs: 48 * HOUR,
    points: [point(48, '1040', '0'), point(60, '1043', '3')],
  });
  // Profit made before the first known day does not count towards that day.
  expect(sum(byDay(known.points).map(({ pnl }) => pnl))).toBe('3');
});

test('portfolio totals are complete for an account opened within the window', () => {
  const portfolio = { window: 'week' as const, deposits: '1000', points };
  const ledger = { rows: [faucet(30, '1000')], isWhole };
  expect(knownWindow(portfolio, ledger)).toEqual({ points, sinceMs: undefined });
});

test('totals are not adjusted for a partial ledger, a complete window or the whole history', () => {
  const portfolio = { window: 'week' as const, deposits: '1000', points };
  expect(knownWindow(portfolio, { rows: [], isWhole: false }).points).toBe(points);
  expect(knownWindow({ ...portfolio, window: 'all' }, { rows: [], isWhole }).points).toBe(points);
  const older = { window: 'week' as const, deposits: '1000', points: points.slice(2) };
  expect(knownWindow(older, { rows: [], isWhole }).sinceMs).toBe(undefined);
  expect(knownWindow(undefined, { rows: [], isWhole }).points).toEqual([]);
});
