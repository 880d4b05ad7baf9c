import type { Fill, LedgerUpdate, PerpMeta } from '@oddlot/protocol';
import { describe, expect, test } from 'vitest';
import { Coins } from '../coins.ts';
import { fillOf, fillsOf, ledgerOf } from './fills.ts';

const coins = new Coins([{ name: 'BTC-USDC', quoteCurrency: 'USDC', index: 1 } as PerpMeta]);

const fill = (fields: Partial<Fill>): Fill =>
  ({ instrumentId: 1, side: 'B', startPosition: '0', sz: '1', fee: '0', ...fields }) as Fill;

test.each<['A' | 'B', string, string, string]>([
  ['B', '0', '1', 'Open Long'],
  ['A', '0', '1', 'Open Short'],
  ['B', '1', '1', 'Open Long'],
  ['A', '-1', '1', 'Open Short'],
  ['A', '1', '0.4', 'Close Long'],
  ['A', '1', '1', 'Close Long'],
  ['B', '-1', '1', 'Close Short'],
  ['A', '1', '2', 'Long > Short'],
  ['B', '-1', '2', 'Short > Long'],
])(
  'side %s at a position of %s with a size of %s is reported as %s',
  (side, startPosition, sz, dir) => {
    expect(fillOf(coins, fill({ side, startPosition, sz }))).toMatchObject({ coin: 'BTC', dir });
  },
);

test('the fee includes the builder fee, and the profit is before both', () => {
  const closing = { entryPrice: '100', closedPnl: '9.93', fee: '0.05', builderFee: '0.02' };
  const told = { closedPnl: '10', fee: '0.07', builderFee: '0.02' };
  expect(fillOf(coins, fill(closing))).toMatchObject(told);
  // An opening fill has no profit and no loss.
  expect(fillOf(coins, fill({ closedPnl: '0', fee: '0.05' }))).toMatchObject({ closedPnl: '0' });
});

test('outcome market fills are omitted, and fills without a trade get distinct ids', () => {
  const hash = `0x${'ab'.repeat(32)}`;
  const transfer = fill({ tid: 0, hash });
  const other = fill({ tid: 0, hash: `0x${'cd'.repeat(32)}` });
  const fills = [transfer, other, fill({ tid: 5 }), fill({ instrumentId: 1_000_001 })];
  const ids = (fillsOf(coins, fills) as { tid: number }[]).map(({ tid }) => tid);
  expect(ids).toHaveLength(3);
  expect(new Set(ids).size).toBe(3);
  expect(ids.every(Number.isSafeInteger)).toBe(true);
});

describe("a ledger row is converted to Hyperliquid's format", () => {
  const row = (delta: object) =>
    ledgerOf(coins, { time: 1, hash: '0x1', delta } as unknown as LedgerUpdate);

  test.each<[object, object | undefined]>([
    [
      { type: 'faucet', amount: '5' },
      { type: 'deposit', usdc: '5' },
    ],
    [
      { type: 'deposit', amount: '5' },
      { type: 'deposit', usdc: '5' },
    ],
    [
      { type: 'withdraw', amount: '5', fee: '1', nonce: 7 },
      { type: 'withdraw', usdc: '4', fee: '1', nonce: 7 },
    ],
    [
      { type: 'send', amount: '5', fee: '1', user: '0xa', destination: '0xb' },
      { type: 'internalTransfer', usdc: '5', fee: '1', user: '0xa', destination: '0xb' },
    ],
    [
      { type: 'accountTransfer', amount: '5', toAccountType: 'outcome' },
      { type: 'accountClassTransfer', usdc: '5', toPerp: false },
    ],
    [
      { type: 'liquidation', liquidatedPositions: [{ coin: 'BTC-USDC', szi: '1' }] },
      { type: 'liquidation', liquidatedPositions: [{ coin: 'BTC', szi: '1' }] },
    ],
    [
      { type: 'builderRewardsClaim', amount: '5' },
      { type: 'rewardsClaim', amount: '5', token: 'USDC' },
    ],
    [{ type: 'outcomeSplit', amount: '5' }, undefined],
    [{ type: 'adl', sz: '1' }, undefined],
  ])('%j has this form', (delta, wanted) => {
    const expected = wanted === undefined ? undefined : { time: 1, hash: '0x1', delta: wanted };
    expect(row(delta)).toEqual(expected);
  });
});
