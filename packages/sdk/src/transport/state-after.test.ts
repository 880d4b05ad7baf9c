import { expect, test } from 'vitest';
import { stateAfter } from './stream.ts';

const bbo = (instrumentId: number, px: string) => ({ instrumentId, bbo: [{ px }, null] });
const ticker = (instrumentId: number, lastPx: string) => ({ instrumentId, lastPx });
const trade = (tid: number) => ({ tid });
const order = (oid: number, status: string) => ({ order: { oid }, status });
const money = (hash: string, status?: string) => {
  return { hash, delta: status === undefined ? { type: 'faucet' } : { type: 'withdraw', status } };
};

const all = (type: string, rest: object, frames: readonly unknown[]): unknown => {
  let state: unknown;
  for (const frame of frames) state = stateAfter({ type, ...rest }, state, frame);
  return state;
};

test.each<[string, object, unknown[], unknown]>([
  ['l2Book', {}, ['first', 'second'], 'second'],
  ['candle', {}, ['running', 'ended', 'next'], 'next'],
  [
    'outcomeBbos',
    {},
    [{ bbos: [bbo(1, '0.4'), bbo(2, '0.7')] }, { bbos: [bbo(2, '0.8')] }],
    { bbos: [bbo(1, '0.4'), bbo(2, '0.8')] },
  ],
  [
    'tickers',
    {},
    [
      { tickers: [ticker(1, '5')], isSnapshot: true },
      { tickers: [ticker(2, '6'), ticker(1, '4')] },
    ],
    { tickers: [ticker(1, '4'), ticker(2, '6')], isSnapshot: true },
  ],
  [
    'tickers',
    {},
    [
      { tickers: [ticker(1, '5'), ticker(2, '6')] },
      { tickers: [{ ...ticker(2, '1'), gone: true }] },
    ],
    { tickers: [ticker(1, '5')], isSnapshot: true },
  ],
  [
    'tickers',
    { instrumentIds: [2] },
    [{ tickers: [ticker(2, '6')] }, { tickers: [{ ...ticker(2, '1'), gone: true }] }],
    { tickers: [{ ...ticker(2, '1'), gone: true }], isSnapshot: true },
  ],
  [
    'recentTrades',
    { limit: 3 },
    [
      { coin: 'C', isSnapshot: true, trades: [trade(2), trade(1)] },
      { coin: 'C', trades: [trade(3), trade(4)] },
    ],
    { coin: 'C', isSnapshot: true, trades: [trade(4), trade(3), trade(2)] },
  ],
  [
    'userNonFundingLedgerUpdates',
    {},
    [
      { user: 'u', isSnapshot: true, nonFundingLedgerUpdates: [money('a', 'pending'), money('b')] },
      { user: 'u', nonFundingLedgerUpdates: [money('c'), money('a', 'completed'), money('d')] },
    ],
    {
      user: 'u',
      isSnapshot: true,
      nonFundingLedgerUpdates: [money('d'), money('c'), money('a', 'completed'), money('b')],
    },
  ],
  [
    'userFills',
    {},
    [
      { user: 'u', isSnapshot: true, fills: ['old'] },
      { user: 'u', fills: ['new', 'newer'] },
    ],
    { user: 'u', isSnapshot: true, fills: ['newer', 'new', 'old'] },
  ],
  [
    'userHistoricalOrders',
    {},
    [
      { user: 'u', isSnapshot: true, orderHistory: [order(2, 'open'), order(1, 'open')] },
      { user: 'u', orderHistory: [order(3, 'open'), order(1, 'filled')] },
    ],
    {
      user: 'u',
      isSnapshot: true,
      orderHistory: [order(1, 'filled'), order(3, 'open'), order(2, 'open')],
    },
  ],
  ['explorerTxs', {}, [['a request']], undefined],
  [
    'userFundings',
    {},
    [
      { user: 'u', isSnapshot: true, fundings: ['old'] },
      { user: 'u', fundings: ['new'] },
    ],
    { user: 'u', isSnapshot: true, fundings: ['new', 'old'] },
  ],
  ['outcomeOrderUpdates', {}, [['an order'], ['another']], undefined],
])('the frames of %s are combined into the state after them', (type, rest, frames, expected) => {
  expect(all(type, rest, frames)).toEqual(expected);
});

test("a list channel's state keeps only the newest 200 rows", () => {
  const frames = Array.from({ length: 300 }, (_, at) => ({ user: 'u', fundings: [at] }));
  const { fundings } = all('userFundings', {}, frames) as { fundings: number[] };
  expect(fundings).toHaveLength(200);
  expect(fundings[0]).toBe(299);
});
