import type { AssetContext, PerpMeta } from '@oddlot/protocol';
import { expect, test } from 'vitest';
import { Coins } from '../coins.ts';
import { contextsOf, metaOf, midsOf } from './universe.ts';

const perp = (index: number, name: string, fields: Partial<PerpMeta> = {}): PerpMeta =>
  ({ index, name, quoteCurrency: 'USDC', szDecimals: 2, maxLeverage: 20, ...fields }) as PerpMeta;

const context = (instrumentId: number, midPx: string | null, markPx = '9'): AssetContext =>
  ({ instrumentId, ctx: { midPx, markPx, prevDayPx: '', oraclePx: '', funding: '' } }) as never;

test('gaps between ids are filled with delisted placeholders, so that each id is an index', () => {
  const coins = new Coins([
    perp(3, 'ETH-USDC', { onlyIsolated: true, szDecimals: -1 }),
    perp(1, 'BTC-USDC', { delisted: true }),
    perp(10_000, 'SPOT-USDC'),
  ]);
  expect(metaOf(coins)).toMatchObject({
    universe: [
      { name: 'UNLISTED-0', isDelisted: true },
      { name: 'BTC', isDelisted: true },
      { name: 'UNLISTED-2', isDelisted: true },
      { name: 'ETH', onlyIsolated: true, szDecimals: 0, marginTableId: 20 },
    ],
    marginTables: [
      [1, { marginTiers: [{ maxLeverage: 1 }] }],
      [20, { marginTiers: [{ maxLeverage: 20 }] }],
    ],
  });
  const contexts = contextsOf(coins, [context(3, '10')]);
  // The price 24 hours ago is unknown, so the current mark is returned instead.
  expect(contexts).toMatchObject([{ midPx: null }, {}, {}, { midPx: '10', prevDayPx: '9' }]);
});

test('a venue without perps has an empty universe', () => {
  expect(metaOf(new Coins([]))).toMatchObject({ universe: [] });
});

test('while a side of the book is empty, the mark is used as the mid price, and delisted perps have none', () => {
  const coins = new Coins([
    perp(1, 'BTC-USDC'),
    perp(2, 'ETH-USDC'),
    perp(3, 'SOL-USDC', { delisted: true }),
    perp(4, 'XRP-USDC'),
  ]);
  const contexts = [context(1, '10'), context(2, null), context(3, '5'), context(4, null, '')];
  expect(midsOf(coins, contexts)).toEqual({ BTC: '10', ETH: '9' });
});

test("names are found in any case, and a coin's second market keeps its full name", () => {
  const coins = new Coins([perp(1, 'BTC-USDC'), perp(2, 'BTC-EUR', { quoteCurrency: 'EUR' })]);
  expect(coins.all.map(({ name }) => name)).toEqual(['BTC', 'BTC-EUR']);
  for (const name of ['btc', 'BTC', 'btc-usdc']) expect(coins.named(name)?.id).toBe(1);
  expect([coins.named('btc-eur')?.id, coins.named('eth')]).toEqual([2, undefined]);
  expect([coins.nameOf(2), coins.nameOf(9)]).toEqual(['BTC-EUR', '9']);
});
