import type { LedgerUpdate } from '@oddlot/sdk';
import { describe, expect, test } from 'vitest';
import { pnlNow } from './pnl-now.ts';

const LAST = { time: 1_000, accountValue: '1000', pnl: '25' };

function faucet(time: number, amount: string): LedgerUpdate {
  return { time, hash: '0x', delta: { type: 'faucet', amount, token: 'USDC' } } as LedgerUpdate;
}

describe('what was won is of the same moment as the equity beside it', () => {
  test('what the value has moved since the last point is won or lost', () => {
    expect(pnlNow(LAST, '1003.5', [])).toBe('28.5');
    expect(pnlNow(LAST, '990', [])).toBe('15');
  });

  test('money that came in since then is not won; what came before is in the point already', () => {
    expect(pnlNow(LAST, '1103.5', [faucet(1_500, '100'), faucet(900, '7')])).toBe('28.5');
  });

  test('while one of the two is not known, it is what the venue said', () => {
    expect(pnlNow(LAST, undefined, [])).toBe('25');
    expect(pnlNow(undefined, '5', [])).toBe(undefined);
  });
});
