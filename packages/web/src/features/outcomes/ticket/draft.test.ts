import { describe, expect, test } from 'vitest';
import { draftOf, MARKET_REST_MS, type DraftFacts, type Ticket } from './draft.ts';

const level = (px: string, sz: string) => ({ px, sz, n: 1 });
const FACTS: DraftFacts = {
  asset: 100_001,
  grid: { tick: '0.01', sizeDecimals: 2, takerFeeRate: '0' },
  minSize: '5',
  ladder: { bids: [level('0.44', '100')], asks: [level('0.46', '100')] },
  freeShares: '3',
};
const BUY: Ticket = {
  intent: 'buy',
  leg: 'Yes',
  kind: 'market',
  unit: 'money',
  amount: '23',
  cents: '',
  life: 'gtc',
  untilMs: undefined,
  isPostOnly: false,
};
const LIMIT: Ticket = { ...BUY, kind: 'limit', cents: '40', amount: '8' };

const entryOf = (ticket: Ticket) => draftOf(ticket, FACTS).entry?.(1_000);
const faultOf = (ticket: Ticket) => draftOf(ticket, FACTS).fault;

describe('a market order for shares is drafted as a limit order', () => {
  test('a market order is a limit order beyond the required level, and its remainder is cancelled', () => {
    expect(entryOf(BUY)).toEqual({
      a: 100_001,
      b: true,
      p: '0.48',
      s: '47.91',
      r: false,
      t: { limit: { tif: 'Gtd', expireTime: 1_000 + MARKET_REST_MS } },
    });
  });

  test('a market order for NO is on the other side of the book at the NO price', () => {
    expect(entryOf({ ...BUY, leg: 'No' })).toMatchObject({ b: false, r: false, p: '0.48' });
    expect(entryOf({ ...BUY, intent: 'sell', unit: 'shares', amount: '20' })).toMatchObject({
      b: false,
      r: true,
      p: '0.42',
    });
  });

  test('a market order requires a counterparty', () => {
    const empty = { ...FACTS, ladder: { bids: [], asks: [] } };
    expect(draftOf(BUY, empty)).toMatchObject({ fault: 'emptyBook', entry: undefined });
  });
});

describe('a limit order for shares is drafted from the input', () => {
  test.each([
    [{}, { tif: 'Gtc' }],
    [{ isPostOnly: true }, { tif: 'Alo' }],
    [{ life: '1h' }, { tif: 'Gtd', expireTime: 3_601_000 }],
    [
      { life: 'date', untilMs: 7_000_000 },
      { tif: 'Gtd', expireTime: 7_000_000 },
    ],
  ] as const)('a limit order with %o has the lifetime %o', (part, limit) => {
    const entry = entryOf({ ...LIMIT, ...part });
    expect(entry).toMatchObject({ p: '0.4', s: '20', t: { limit } });
  });

  test('R-reserve: the amount to spend is the maximum cost, including the taker fee', () => {
    // A share costs 0.4 + 0.07 × 0.4 × 0.6 = 0.4168, so 19.2 shares would cost 8.00256.
    const facts = { ...FACTS, grid: { ...FACTS.grid, takerFeeRate: '0.07' } };
    expect(draftOf(LIMIT, facts)).toMatchObject({ shares: '19.19', reserve: '7.998392' });
  });

  test('for a price between two ticks, the nearest tick is suggested', () => {
    const draft = draftOf({ ...LIMIT, cents: '40.4' }, FACTS);
    expect(draft).toMatchObject({ fault: 'offTick', nearestCents: '40', entry: undefined });
  });
});

test.each([
  ['amount', { amount: '' }],
  ['amount', { amount: '0' }],
  ['price', { cents: '' }],
  ['price', { cents: '100' }],
  ['small', { amount: '1' }],
  ['date', { life: 'date' }],
] as const)('the ticket reports a missing %s for the input %o', (fault, part) => {
  expect(faultOf({ ...LIMIT, ...part })).toBe(fault);
});

test('R-sizes: only a sale of an entire holding can be below the minimum size', () => {
  const sale: Ticket = { ...LIMIT, intent: 'sell', unit: 'shares', amount: '3' };
  expect(faultOf(sale)).toBeUndefined();
  expect(faultOf({ ...sale, amount: '2' })).toBe('small');
});
