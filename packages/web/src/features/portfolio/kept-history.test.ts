import type { LedgerUpdate, PortfolioPoint } from '@oddlot/sdk';
import { expect, test } from 'vitest';
import { sum } from '../../lib/decimal.ts';
import { byDay } from './portfolio-screen.tsx';
import { keptWindow } from './use-portfolio.ts';

const HOUR = 60 * 60 * 1_000;

function point(hours: number, accountValue: string, pnl: string): PortfolioPoint {
  return { time: hours * HOUR, accountValue, pnl, volume: pnl, fees: '0', funding: '0' };
}

function faucet(hours: number, amount: string): LedgerUpdate {
  const delta = { type: 'faucet', amount, token: 'USDC' };
  return { time: hours * HOUR, hash: `0x${hours}`, delta } as LedgerUpdate;
}

/** Of an account that is older than what the history has: 40 were won before, 3 since. */
const points = [
  point(0, '0', '0'),
  point(24, '0', '0'),
  point(48, '1040', '40'),
  point(60, '1043', '43'),
];
const isWhole = true;

test('sums begin with the first value where the history does not have the beginning of the window', () => {
  const told = { window: 'week' as const, deposits: '1000', points };
  const kept = keptWindow(told, { rows: [], isWhole });
  expect(kept).toEqual({
    sinceMs: 48 * HOUR,
    points: [point(48, '1040', '0'), point(60, '1043', '3')],
  });
  // What was won before the first day that there is was not won on it.
  expect(sum(byDay(kept.points).map(({ pnl }) => pnl))).toBe('3');
});

test('an account that began within the window has all of it', () => {
  const told = { window: 'week' as const, deposits: '1000', points };
  const ledger = { rows: [faucet(30, '1000')], isWhole };
  expect(keptWindow(told, ledger)).toEqual({ points, sinceMs: undefined });
});

test('nothing is concluded from a ledger of which only the newest rows are here, nor from a window that has its beginning, nor of all', () => {
  const told = { window: 'week' as const, deposits: '1000', points };
  expect(keptWindow(told, { rows: [], isWhole: false }).points).toBe(points);
  expect(keptWindow({ ...told, window: 'all' }, { rows: [], isWhole }).points).toBe(points);
  const older = { window: 'week' as const, deposits: '1000', points: points.slice(2) };
  expect(keptWindow(older, { rows: [], isWhole }).sinceMs).toBe(undefined);
  expect(keptWindow(undefined, { rows: [], isWhole }).points).toEqual([]);
});
