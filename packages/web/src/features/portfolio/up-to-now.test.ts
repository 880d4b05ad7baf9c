import type { LedgerUpdate, PortfolioPoint } from '@oddlot/sdk';
import { describe, expect, test } from 'vitest';
import { sum } from '../../lib/decimal.ts';
import { byDay } from './by-day.ts';
import { upToNow } from './use-portfolio.ts';

const HOUR = 60 * 60 * 1_000;

function point(time: number, accountValue: string, pnl: string): PortfolioPoint {
  return { time, accountValue, pnl, volume: '0', fees: '0', funding: '0' };
}

const LAST = [point(500, '990', '15'), point(1_000, '1000', '25')];
const pnlOf = (points: readonly PortfolioPoint[]): string | undefined => points.at(-1)?.pnl;

function faucet(time: number, amount: string): LedgerUpdate {
  return { time, hash: '0x', delta: { type: 'faucet', amount, token: 'USDC' } } as LedgerUpdate;
}

describe('the profit is extended to the current value', () => {
  test('the profit includes the change of the value since the last point', () => {
    expect(upToNow(LAST, '1003.5', [])).toEqual([LAST[0], point(1_000, '1003.5', '28.5')]);
    expect(pnlOf(upToNow(LAST, '990', []))).toBe('15');
  });

  test('the profit excludes later deposits, because the last point contains only earlier ones', () => {
    expect(pnlOf(upToNow(LAST, '1103.5', [faucet(1_500, '100'), faucet(900, '7')]))).toBe('28.5');
  });

  test("the profit is the venue's figure as long as a response is missing", () => {
    expect(upToNow(LAST, undefined, [])).toBe(LAST);
    expect(upToNow([], '5', [])).toEqual([]);
  });

  test('the profit equals the sum of the days, however old the responses are', () => {
    const month = [point(20 * HOUR, '0', '0'), point(24 * HOUR, '990', '-10')];
    const older = [...month, point(30 * HOUR, '1010.25', '10.25')];
    const newer = [...month, point(31 * HOUR, '1057.17', '7.17')];
    const ledger = [faucet(30.5 * HOUR, '50')];
    const days = byDay(upToNow(older, '1060.333333', ledger));
    const total = pnlOf(upToNow(newer, '1060.333333', ledger));
    expect(total).toBe('10.333333');
    expect(sum(days.map(({ pnl }) => pnl))).toBe(total);
  });
});
