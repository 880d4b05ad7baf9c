import type { AssetPosition, ClearinghouseState } from '@oddlot/sdk';
import { describe, expect, test } from 'vitest';
import { stateAtMarks } from './marked-state.ts';

/** Long 0.02 BTC from 97,010, at 20 times: 1,940.2 were paid. */
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

/** Short 0.3 ETH from 3,400 with margin of its own: 102 and 30 of profit. */
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

/** 500 of balance, 102 of isolated margin, 29.8 of profit. */
const TOLD = {
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

describe('an account at other marks', () => {
  test('gains and loses with each position, the isolated one in its own margin', () => {
    const state = stateAtMarks(
      TOLD,
      new Map([
        ['1', '97510'],
        ['2', '3350.5'],
      ]),
    );
    const [long, short] = state.assetPositions.map((row) => row.position);
    // 0.02 × 500; 0.02 × 97,510; a twentieth; 10 × 20 / 1,940.2.
    expect(long).toMatchObject({
      markPx: '97510',
      unrealizedPnl: '10',
      positionValue: '1950.2',
      marginUsed: '97.51',
      returnOnEquity: '0.103082',
    });
    // −0.3 × −49.5; 0.3 × 3,350.5; 102 + 14.85; 14.85 × 10 / 1,020.
    expect(short).toMatchObject({
      markPx: '3350.5',
      unrealizedPnl: '14.85',
      positionValue: '1005.15',
      marginUsed: '116.85',
      returnOnEquity: '0.145588',
    });
    // 500 + 102 + 24.85, and 500 + 10 without the isolated one.
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

  test('is the same object where no mark has moved, and so is a row of which none has', () => {
    const same = new Map([
      ['1', '97000.0'],
      ['9', '5'],
    ]);
    expect(stateAtMarks(TOLD, same)).toBe(TOLD);
    const state = stateAtMarks(TOLD, new Map([['1', '97001']]));
    expect(state.assetPositions[1]).toBe(SHORT);
    expect(state.assetPositions[0]).not.toBe(LONG);
  });

  test('rounds margin up to the last decimal of USDC', () => {
    const row = position({ ...LONG.position, leverage: { rawUsd: '', type: 'Cross', value: 3 } });
    const state = stateAtMarks({ ...TOLD, assetPositions: [row] }, new Map([['1', '97001']]));
    // 1,940.02 / 3 = 646.67333…
    expect(state.assetPositions[0]?.position.marginUsed).toBe('646.673334');
  });
});

function position(fields: Partial<AssetPosition['position']>): AssetPosition {
  return { position: fields as AssetPosition['position'], tpsl: [], type: 'OneWay' };
}
