import type { ClearinghouseState } from '@oddlot/sdk';
import { describe, expect, test } from 'vitest';
import { crossUse, hasReached, worstUse } from './account.ts';

function state(
  ratio: string,
  notional: string,
  isolated: readonly (readonly [string, string])[] = [],
) {
  return {
    crossMarginRatio: ratio,
    crossMarginSummary: { totalNtlPos: notional },
    assetPositions: isolated.map(([coin, marginRatio]) => ({
      position: { coin, marginRatio, leverage: { type: 'Isolated' } },
    })),
  } as unknown as ClearinghouseState;
}

describe('how near an account is to its liquidation', () => {
  test('is what it needs over what it has; without a cross position there is nothing to tell', () => {
    expect(crossUse(state('4', '100'))?.share).toBe('0.25');
    expect(crossUse(state('999999', '0'))).toBe(undefined);
  });

  test('past the end it is the end', () => {
    expect(crossUse(state('0.8', '100'))?.share).toBe('1');
    expect(crossUse(state('0', '100'))?.share).toBe('1');
    expect(crossUse(state('-1', '100'))?.share).toBe('1');
  });

  test('an isolated position stands for itself, and the nearest one is told', () => {
    const both = state('4', '100', [
      ['BTC-USDC', '1.25'],
      ['ETH-USDC', '9'],
    ]);
    expect(worstUse(both)).toEqual({ share: '0.8', market: 'BTC-USDC' });
    expect(worstUse(state('999999', '0'))).toBe(undefined);
  });

  test('a bound counts from itself on', () => {
    expect(hasReached({ share: '0.8', market: undefined }, 80)).toBe(true);
    expect(hasReached({ share: '0.799999', market: undefined }, 80)).toBe(false);
  });
});
