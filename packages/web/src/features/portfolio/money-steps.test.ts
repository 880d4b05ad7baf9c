import type { LedgerUpdate } from '@oddlot/sdk';
import { describe, expect, test } from 'vitest';
import { withSteps, type CurvePoint } from './use-portfolio.ts';

const point = (time: number, accountValue: string, pnl: string): CurvePoint => ({
  time,
  accountValue,
  pnl,
});
const row = (time: number, delta: object): LedgerUpdate =>
  ({ time, hash: `0x${time}`, delta }) as LedgerUpdate;
const faucet = (time: number, amount: string) => row(time, { type: 'faucet', amount });

describe('the value curve shows deposits and withdrawals', () => {
  test('the value curve has a step at each deposit and spreads profit evenly around it', () => {
    const steps = withSteps(
      [point(1_000, '100', '0'), point(2_000, '1110', '10')],
      [faucet(1_400, '1000'), faucet(900, '100')],
    );
    expect(steps).toEqual([
      point(1_000, '100', '0'),
      point(1_399, '104', '4'),
      point(1_400, '1104', '4'),
      point(2_000, '1110', '10'),
    ]);
  });

  test('the value curve has one step per payment, oldest first, which goes down for withdrawals', () => {
    const sent = row(1_800, { type: 'send', amount: '30', fee: '0' });
    const steps = withSteps(
      [point(1_000, '0', '0'), point(2_000, '70', '0')],
      [sent, faucet(1_500, '100')],
    );
    expect(steps.map(({ accountValue, time }) => [time, accountValue])).toEqual([
      [1_000, '0'],
      [1_499, '0'],
      [1_500, '100'],
      [1_799, '100'],
      [1_800, '70'],
      [2_000, '70'],
    ]);
    expect(steps.every(({ pnl }) => pnl === '0')).toBe(true);
  });

  test('the step for a payment is at the later point if the ledger does not have its time', () => {
    const steps = withSteps(
      [point(1_000, '50', '0'), point(2_000, '20', '0')],
      [row(1_500, { type: 'withdraw', amount: '30', status: 'pending' })],
    );
    expect(steps).toEqual([
      point(1_000, '50', '0'),
      point(1_999, '50', '0'),
      point(2_000, '20', '0'),
    ]);
  });

  test('the value curve has no step for internal transfers or profit', () => {
    const points = [point(1_000, '50', '0'), point(2_000, '60', '10'), point(3_000, '45', '-5')];
    const own = row(1_200, { type: 'accountTransfer', amount: '20' });
    expect(withSteps(points, [own])).toEqual(points);
    expect(withSteps([], [own])).toEqual([]);
  });

  test('the points of the value curve have unique times, even for payments in adjacent milliseconds', () => {
    const steps = withSteps(
      [point(1_000, '0', '0'), point(1_003, '6', '0')],
      [faucet(1_001, '1'), faucet(1_002, '1'), faucet(1_002, '1'), faucet(1_003, '3')],
    );
    const times = steps.map(({ time }) => time);
    expect(times).toEqual([...new Set(times)].toSorted((left, right) => left - right));
    expect(steps.at(-1)).toEqual(point(1_003, '6', '0'));
  });
});
