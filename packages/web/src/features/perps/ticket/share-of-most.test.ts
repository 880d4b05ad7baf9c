import type { ActiveAssetData, AssetPosition, L2Book } from '@oddlot/sdk';
import { expect, test } from 'vitest';
import { changeDraft, draftStore, type Draft } from './draft.ts';
import { askedPrices, freshOrders, mostOf, sizeOfShare, withShare } from './share-of-most.ts';

const GRID = { tick: '0.5', priceDecimals: 1, lot: '0.001', sizeDecimals: 3 };
const COIN = '7';

function draft(change: Partial<Draft>): Draft {
  return { ...draftStore.getState(), ...change };
}

function asset(change: Partial<ActiveAssetData['leverage']> = {}): ActiveAssetData {
  return {
    user: '0x',
    coin: 'T-USDC',
    leverage: { mode: 'OneWay', type: 'Cross', value: 20, rawUsd: '', ...change },
    maxTradeSzs: ['10', '8'],
    availableToTrade: ['500', '400'],
    markPx: '1000',
    onlyIsolated: false,
  };
}

function position(szi: string): AssetPosition {
  return { position: { asset: COIN, szi } } as AssetPosition;
}

test.each<[string, Partial<Draft>, [string | null, string | null]]>([
  ['the market', { type: 'market', price: '990' }, [null, null]],
  ['a limit', { type: 'limit', price: '990' }, ['990', '990']],
  [
    'a limit off the tick at the nearest tick',
    { type: 'limit', price: '990.3' },
    ['990.5', '990.5'],
  ],
  ['a limit without a price', { type: 'limit', price: '' }, [null, null]],
  [
    'a scale order at its worst price',
    { type: 'scale', price: '990', lastPrice: '980' },
    ['990', '980'],
  ],
  ['a trigger with a limit', { type: 'stop', limitPrice: '1010' }, ['1010', '1010']],
  ['a trigger without a limit', { type: 'stop', limitPrice: '' }, [null, null]],
])('the venue sizes %s', (_, change, prices) => {
  expect(askedPrices(draft(change), GRID)).toEqual(prices);
});

test.each<[string, Partial<Draft>, ActiveAssetData, string]>([
  ['half a percent less than the maximum', { share: 100 }, asset(), '9.95'],
  ['of the maximum of the other side', { share: 50, side: 'sell' }, asset(), '3.98'],
  ['reduced by a larger buffer at high leverage', { share: 100 }, asset({ value: 40 }), '9.92'],
  ['reduced by less than a percent', { share: 100 }, asset({ value: 100 }), '9.91'],
  ['the whole position', { share: 100, isReduceOnly: true }, asset(), '10'],
])('a share of the maximum is %s', (_, change, about, size) => {
  const most = about.maxTradeSzs[change.side === 'sell' ? 1 : 0];
  expect(sizeOfShare(draft(change), most, { asset: about, lot: GRID.lot })).toBe(size);
});

test('the full size of a reduce-only order is that of its position', () => {
  const held = { coin: COIN, positions: [position('3'), position('-2')] };
  expect(mostOf(draft({ isReduceOnly: true, side: 'sell' }), asset(), held)).toBe('3');
  expect(mostOf(draft({ isReduceOnly: true, side: 'buy' }), asset(), held)).toBe('2');
  const hedged = asset({ mode: 'Hedge' });
  expect(mostOf(draft({ isClosing: true, side: 'buy' }), hedged, held)).toBe('2');
  expect(mostOf(draft({ isClosing: false, side: 'buy' }), hedged, held)).toBe('10');
});

test('a size that was entered is not treated as a percentage', () => {
  changeDraft({ size: '9.95', share: 100 });
  expect(withShare(draftStore.getState(), '20', { asset: asset(), lot: GRID.lot }).size).toBe(
    '19.9',
  );
  changeDraft({ side: 'sell' });
  expect(draftStore.getState().share).toBe(100);
  changeDraft({ size: '3' });
  expect(withShare(draftStore.getState(), '20', { asset: asset(), lot: GRID.lot }).size).toBe('3');
});

test('an isolated market order takes its limit and size from the level that fills it', async () => {
  const asked: unknown[] = [];
  const levels: L2Book['levels'] = [
    [],
    ['1000.5', '1001', '1010'].map((px) => ({ px, sz: '4', n: 1 })),
  ];
  const isolated = asset({ type: 'Isolated' });
  const drafted = await freshOrders(
    draft({ type: 'market', side: 'buy', share: 100 }),
    { asset: 7, grid: GRID, hasMark: true, nowMs: 0, isHedge: false },
    {
      coin: COIN,
      positions: [],
      askBook: () => Promise.resolve({ coin: 'T-USDC', time: 0, levels }),
      ask: (px) => {
        asked.push(px);
        // Without a limit, 5% of each lot is reserved for the price band, so 4 lots require a margin
        // of 8.
        const most = px[0] === null ? '3.5' : '6.9';
        return Promise.resolve({ ...isolated, maxTradeSzs: [most, most] });
      },
    },
  );
  // Filling seven lots requires the second level. A small buffer reduces the size.
  expect(asked).toEqual([
    [null, null],
    ['1001', '1001'],
  ]);
  const [order] = drafted.missing === undefined ? drafted.parameters.orders : [];
  expect(order).toMatchObject({ p: '1001', s: '6.865', t: { limit: { tif: 'FrontendMarket' } } });
});
