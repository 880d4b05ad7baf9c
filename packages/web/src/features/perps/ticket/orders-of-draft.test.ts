import { beforeEach, expect, test } from 'vitest';
import {
  changeDraft,
  chooseType,
  draftStore,
  ordersOf,
  type Draft,
  type DraftContext,
} from './draft.ts';

const AROUND: DraftContext = {
  asset: 7,
  grid: { tick: '0.5', priceDecimals: 1, lot: '0.001', sizeDecimals: 3 },
  hasMark: true,
  markPx: '1000',
  nowMs: 1_000,
  isHedge: false,
};

// The tests in this file share the module and its draft.
beforeEach(() => draftStore.setState(draftStore.getInitialState(), true));

/** Returns the orders as text with side, size, price and type. */
function textOf(change: Partial<Draft>, around: Partial<DraftContext> = {}): string {
  const drafted = ordersOf({ ...draftStore.getState(), ...change }, { ...AROUND, ...around });
  if (drafted.missing !== undefined) return `lacks ${drafted.missing}`;
  const { grouping = 'na', orders } = drafted.parameters;
  const entries = orders.map(({ b, p, r, s, t }) => {
    const kind =
      'limit' in t
        ? `${t.limit.tif}${'expireTime' in t.limit ? ` ${t.limit.expireTime}` : ''}`
        : `${t.trigger.tpsl} ${t.trigger.triggerPx}${t.trigger.isMarket ? ' market' : ''}`;
    return `${b ? 'buy' : 'sell'} ${s} @${p} ${kind}${r ? ' reduces' : ''}`;
  });
  return `${grouping}: ${entries.join(', ')}`;
}

test.each<[string, Partial<Draft>, string]>([
  ['a price and a size', { price: '990.5', size: '2' }, 'na: buy 2 @990.5 Gtc'],
  ['no price', { size: '2' }, 'lacks price'],
  ['no size', { price: '990' }, 'lacks size'],
  ['an incomplete size', { price: '990', size: '1.' }, 'lacks size'],
  [
    'USDC is rounded down to the lot',
    { price: '900', size: '100', sizeUnit: 'quote' },
    'na: buy 0.111 @900 Gtc',
  ],
  [
    'a price off the tick, which the venue rejects',
    { price: '990.3', size: '1' },
    'na: buy 1 @990.3 Gtc',
  ],
  ['post only', { price: '990', size: '1', isPostOnly: true }, 'na: buy 1 @990 Alo'],
  ['for an hour', { price: '990', size: '1', lifetime: 'hour' }, 'na: buy 1 @990 Gtd 3601000'],
  [
    'until a date',
    { price: '990', size: '1', lifetime: 'date', untilMs: 77_000 },
    'na: buy 1 @990 Gtd 77000',
  ],
  ['a lifetime without a date', { price: '990', size: '1', lifetime: 'date' }, 'lacks date'],
  [
    'an immediate order without an expiry',
    { type: 'market', size: '1', lifetime: 'date' },
    'na: buy 1 @1030 FrontendMarket',
  ],
  [
    'a market order and its price limit',
    { type: 'market', side: 'sell', size: '1', isReduceOnly: true },
    'na: sell 1 @970 FrontendMarket reduces',
  ],
  [
    'a stop as a market order',
    { type: 'stop', side: 'sell', size: '1', triggerPrice: '950', price: '900' },
    'na: sell 1 @950 sl 950 market',
  ],
  [
    'a stop with a limit',
    { type: 'takeProfit', side: 'sell', size: '1', triggerPrice: '1050', limitPrice: '1049' },
    'na: sell 1 @1049 tp 1050',
  ],
  [
    'a stop with an incomplete limit',
    { type: 'stop', side: 'sell', size: '1', triggerPrice: '950', limitPrice: '.' },
    'lacks price',
  ],
  [
    'a ladder',
    { type: 'scale', price: '990', lastPrice: '980', steps: '3', size: '1' },
    'na: buy 0.333 @990 Gtc, buy 0.333 @985 Gtc, buy 0.333 @980 Gtc',
  ],
  [
    'a scale order with one step',
    { type: 'scale', price: '9', lastPrice: '8', steps: '1', size: '1' },
    'lacks steps',
  ],
  [
    'exits by price',
    { price: '990', size: '1', hasExits: true, takeProfit: '1100', stopLoss: '900' },
    'normalTpsl: buy 1 @990 Gtc, sell 1 @1100 tp 1100 market reduces, sell 1 @900 sl 900 market reduces',
  ],
  [
    'exits by percent',
    { price: '1000', size: '1', side: 'sell', hasExits: true, exitBasis: 'percent', stopLoss: '5' },
    'normalTpsl: sell 1 @1000 Gtc, buy 1 @1050 sl 1050 market reduces',
  ],
  [
    'exits by profit',
    { price: '1000', size: '2', hasExits: true, exitBasis: 'pnl', takeProfit: '50' },
    'normalTpsl: buy 2 @1000 Gtc, sell 2 @1025 tp 1025 market reduces',
  ],
  ['exits without a price', { price: '1000', size: '2', hasExits: true }, 'lacks exits'],
])('a ticket with %s', (_, change, expected) => {
  expect(textOf(change)).toBe(expected);
});

test('in hedge mode, only closing orders are reduce-only', () => {
  const amounts = { price: '990', size: '1', side: 'sell' } as const;
  expect(textOf({ ...amounts, isClosing: true }, { isHedge: true })).toBe(
    'na: sell 1 @990 Gtc reduces',
  );
  expect(textOf({ ...amounts, isReduceOnly: true }, { isHedge: true })).toBe('na: sell 1 @990 Gtc');
});

test('a stop is a market order, regardless of prices entered for other types', () => {
  changeDraft({ type: 'scale', price: '990', lastPrice: '980', size: '1' });
  chooseType('stop');
  changeDraft({ triggerPrice: '1010' });
  expect(textOf({})).toBe('na: buy 1 @1010 sl 1010 market');
  changeDraft({ limitPrice: '1012' });
  expect(textOf({})).toBe('na: buy 1 @1012 sl 1010');
  chooseType('takeProfit');
  expect(textOf({})).toBe('na: buy 1 @1010 tp 1010 market');
  chooseType('limit');
  expect(textOf({})).toBe('na: buy 1 @990 Gtc');
});

test('a draft without a mark has no orders', () => {
  expect(textOf({ price: '990', size: '1' }, { hasMark: false })).toBe('lacks mark');
  expect(textOf({ type: 'market', size: '1' }, { markPx: undefined })).toBe('lacks mark');
  expect(textOf({ price: '990', size: '1' }, { markPx: undefined })).toBe('na: buy 1 @990 Gtc');
});
