import type { AssetPosition, ClearinghouseState } from '@oddlot/sdk';
import { describe, expect, test } from 'vitest';
import { sharesAtMarks, stateAtMarks } from './account.ts';

/** A long position of 0.02 BTC, opened at 97,010 with 20× leverage and a cost of 1,940.2. */
const LONG = position({
  asset: '1',
  szi: '0.02',
  entryPx: '97010',
  markPx: '97000',
  unrealizedPnl: '-0.2',
  positionValue: '1940',
  marginUsed: '97',
  returnOnEquity: '-0.002062',
  leverage: { rawUsd: '', type: 'Cross', value: 20 },
});

/** A short position of 0.3 ETH, opened at 3,400, with isolated margin of 102 and a profit of 30. */
const SHORT = position({
  asset: '2',
  szi: '-0.3',
  entryPx: '3400',
  markPx: '3300',
  unrealizedPnl: '30',
  positionValue: '990',
  marginUsed: '132',
  returnOnEquity: '0.294118',
  leverage: { rawUsd: '1122', type: 'Isolated', value: 10 },
});

/** An account with a balance of 500, isolated margin of 102 and a profit of 29.8. */
const ACCOUNT_STATE = {
  accountValuePlusWithdrawHold: '631.8',
  assetPositions: [LONG, SHORT],
  marginSummary: {
    accountValue: '631.8',
    totalMarginUsed: '229',
    totalNtlPos: '2930',
    totalRawUsd: '-318.2',
  },
  crossMarginSummary: {
    accountValue: '499.8',
    totalMarginUsed: '97',
    totalNtlPos: '1940',
    totalRawUsd: '-1440.2',
  },
  withdrawable: '402.8',
} as unknown as ClearinghouseState;

describe('an account is valued at other marks', () => {
  test('an account at other marks changes with each position, and an isolated position changes its own margin', () => {
    const state = stateAtMarks(
      ACCOUNT_STATE,
      new Map([
        ['1', '97510'],
        ['2', '3350.5'],
      ]),
    );
    const [long, short] = state.assetPositions.map((row) => row.position);
    // The values are 0.02 × 500, 0.02 × 97,510, a twentieth of that, and 10 × 20 / 1,940.2.
    expect(long).toMatchObject({
      markPx: '97510',
      unrealizedPnl: '10',
      positionValue: '1950.2',
      marginUsed: '97.51',
      returnOnEquity: '0.103082',
    });
    // The values are −0.3 × −49.5, 0.3 × 3,350.5, 102 + 14.85, and 14.85 × 10 / 1,020.
    expect(short).toMatchObject({
      markPx: '3350.5',
      unrealizedPnl: '14.85',
      positionValue: '1005.15',
      marginUsed: '116.85',
      returnOnEquity: '0.145588',
    });
    // The account value is 500 + 102 + 24.85, and 500 + 10 without the isolated position.
    expect(state.marginSummary).toEqual({
      accountValue: '626.85',
      totalMarginUsed: '214.36',
      totalNtlPos: '2955.35',
      totalRawUsd: '-318.2',
    });
    expect(state.crossMarginSummary).toEqual({
      accountValue: '510',
      totalMarginUsed: '97.51',
      totalNtlPos: '1950.2',
      totalRawUsd: '-1440.2',
    });
    expect(state.accountValuePlusWithdrawHold).toBe('626.85');
  });

  test('the account and its rows remain the same objects if no mark changed', () => {
    const same = new Map([
      ['1', '97000.0'],
      ['9', '5'],
    ]);
    expect(stateAtMarks(ACCOUNT_STATE, same)).toBe(ACCOUNT_STATE);
    const state = stateAtMarks(ACCOUNT_STATE, new Map([['1', '97001']]));
    expect(state.assetPositions[1]).toBe(SHORT);
    expect(state.assetPositions[0]).not.toBe(LONG);
  });

  test('the margin of an account is rounded up to the last decimal of USDC', () => {
    const row = position({ ...LONG.position, leverage: { rawUsd: '', type: 'Cross', value: 3 } });
    const state = stateAtMarks(
      { ...ACCOUNT_STATE, assetPositions: [row] },
      new Map([['1', '97001']]),
    );
    // The exact margin is 1,940.02 / 3 = 646.67333…
    expect(state.assetPositions[0]?.position.marginUsed).toBe('646.673334');
  });
});

/** An account with 100 YES bought for 40, 50 NO bought for 30, a mark of 0.45, and 520 of cash. */
const SHARES = {
  accountValuePlusWithdrawHold: '592.5',
  assetPositions: [
    position({
      asset: '100001',
      szi: '100',
      markPx: '0.45',
      marginUsed: '40',
      positionValue: '45',
      unrealizedPnl: '5',
      returnOnEquity: '0.125',
    }),
    position({
      asset: '100001',
      szi: '-50',
      markPx: '0.55',
      marginUsed: '30',
      positionValue: '27.5',
      unrealizedPnl: '-2.5',
      returnOnEquity: '-0.083333',
    }),
  ],
  marginSummary: {
    accountValue: '592.5',
    totalMarginUsed: '70',
    totalNtlPos: '72.5',
    totalRawUsd: '520',
  },
  withdrawable: '520',
} as unknown as ClearinghouseState;

describe('shares are valued at another price', () => {
  test('YES is worth the mark and NO is worth 1 minus the mark, with unchanged cost and cash', () => {
    const state = sharesAtMarks(SHARES, new Map([['100001', '0.6']]));
    const [yes, no] = state.assetPositions.map((row) => row.position);
    expect(yes).toMatchObject({
      markPx: '0.6',
      positionValue: '60',
      unrealizedPnl: '20',
      returnOnEquity: '0.5',
      marginUsed: '40',
    });
    expect(no).toMatchObject({
      markPx: '0.4',
      positionValue: '20',
      unrealizedPnl: '-10',
      returnOnEquity: '-0.333333',
    });
    expect(state.marginSummary).toEqual({
      accountValue: '600',
      totalMarginUsed: '70',
      totalNtlPos: '80',
      totalRawUsd: '520',
    });
    expect(state.accountValuePlusWithdrawHold).toBe('600');
    expect(state.withdrawable).toBe('520');
  });

  test('half a micro-USDC is rounded up, as on the venue', () => {
    const one = position({
      asset: '7',
      szi: '0.01',
      markPx: '0.5',
      marginUsed: '0.005',
      positionValue: '0.005',
      unrealizedPnl: '0',
    });
    const shares = { ...SHARES, assetPositions: [one] } as unknown as ClearinghouseState;
    const [row] = sharesAtMarks(shares, new Map([['7', '0.50005']])).assetPositions;
    expect(row?.position.positionValue).toBe('0.005001');
  });

  test('shares remain the same object if none of their marks changed', () => {
    expect(sharesAtMarks(SHARES, new Map([['100001', '0.45']]))).toBe(SHARES);
    expect(sharesAtMarks(SHARES, new Map([['1', '97000']]))).toBe(SHARES);
  });
});

function position(fields: Partial<AssetPosition['position']>): AssetPosition {
  return { position: fields as AssetPosition['position'], tpsl: [], type: 'OneWay' };
}
