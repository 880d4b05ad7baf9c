import type { LedgerUpdate, PortfolioPoint } from '@oddlot/sdk';
import { describe, expect, test } from 'vitest';
import { beginningOf, sinceBegun } from './use-portfolio.ts';

const point = (time: number, accountValue: string, pnl = '0'): PortfolioPoint => ({
  time,
  accountValue,
  pnl,
  volume: '0',
  fees: '0',
  funding: '0',
});
const row = (time: number, delta: object): LedgerUpdate =>
  ({ time, hash: `0x${time}`, delta }) as LedgerUpdate;
const FAUCET = { type: 'faucet', amount: '1000', token: 'USDC' };

describe('the value curve begins at the right point', () => {
  test('the value curve starts at the time and amount of the first deposit', () => {
    const beginning = beginningOf([row(260, { type: 'send', amount: '5' }), row(250, FAUCET)]);
    expect(beginning).toEqual(point(250, '1000'));
    const points = [point(100, '0'), point(200, '0'), point(300, '998', '-2')];
    expect(sinceBegun(points, beginning)).toEqual([point(250, '1000'), point(300, '998', '-2')]);
  });

  test('for an older account, the value curve covers the whole window', () => {
    const points = [point(100, '70'), point(200, '80')];
    expect(sinceBegun(points, point(20, '1000'))).toBe(points);
  });

  test('the value curve starts with the first value if the time of the deposit is unknown', () => {
    const points = [point(100, '0'), point(200, '40'), point(300, '0')];
    expect(beginningOf([])).toBeUndefined();
    expect(sinceBegun(points, undefined)).toEqual([point(200, '40'), point(300, '0')]);
    expect(sinceBegun([point(100, '0')], undefined)).toEqual([]);
  });
});
