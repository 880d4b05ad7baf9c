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

describe('the margin usage of an account is computed', () => {
  test('margin usage is required margin over available margin, and undefined if there is no cross position', () => {
    expect(crossUse(state('4', '100'))?.share).toBe('0.25');
    expect(crossUse(state('999999', '0'))).toBe(undefined);
  });

  test('margin usage is at most 1', () => {
    expect(crossUse(state('0.8', '100'))?.share).toBe('1');
    expect(crossUse(state('0', '100'))?.share).toBe('1');
    expect(crossUse(state('-1', '100'))?.share).toBe('1');
  });

  test('margin usage includes isolated positions, and the highest value counts', () => {
    const both = state('4', '100', [
      ['BTC-USDC', '1.25'],
      ['ETH-USDC', '9'],
    ]);
    expect(worstUse(both)).toEqual({ share: '0.8', market: 'BTC-USDC' });
    expect(worstUse(state('999999', '0'))).toBe(undefined);
  });

  test('a margin warning is triggered exactly at its bound', () => {
    expect(hasReached({ share: '0.8', market: undefined }, 80)).toBe(true);
    expect(hasReached({ share: '0.799999', market: undefined }, 80)).toBe(false);
  });
});
