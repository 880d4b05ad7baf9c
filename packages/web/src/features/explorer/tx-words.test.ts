import { texts } from 'words:explorer';
import { describe, expect, test } from 'vitest';
import { addWords, words } from '../../lib/words.ts';
import { briefOf } from './txs-table.tsx';
import { sentencesOf } from './tx-words.ts';

addWords(texts);

const nameOf = (id: number): string => (id === 1 ? 'BTC-USDC' : `Market ${id}`);

function say(action: Record<string, unknown>): string[] {
  return sentencesOf(action, nameOf, words.t).map(({ text }) => text);
}

const order = (changes: object) => ({
  a: 1,
  b: true,
  p: '96926.5',
  s: '0.014',
  r: false,
  t: { limit: { tif: 'Gtc' } },
  ...changes,
});

test.each([
  [{}, 'Buy 0.014 BTC-USDC at 96,926.5, limit'],
  [{ b: false, r: true }, 'Sell 0.014 BTC-USDC at 96,926.5, reduce-only, limit'],
  [{ t: { limit: { tif: 'alo' } } }, 'Buy 0.014 BTC-USDC at 96,926.5, post-only'],
  [{ t: { limit: { tif: 'Ioc' } } }, 'Buy 0.014 BTC-USDC at market, 96,926.5 or better'],
  [
    { b: false, t: { trigger: { isMarket: true, triggerPx: '95000', tpsl: 'sl' } } },
    'Sell 0.014 BTC-USDC at market, when the mark price reaches 95,000, stop loss',
  ],
  [{ a: 100_000, p: '0.44', s: '5' }, 'Buy 5 Market 100000 Yes at 44.0¢, limit'],
  [{ a: 100_000, b: false, p: '0.44', s: '5' }, 'Buy 5 Market 100000 No at 44.0¢, limit'],
  [
    { a: 100_000, b: false, r: true, p: '0.44', s: '5' },
    'Sell 5 Market 100000 Yes at 44.0¢, limit',
  ],
  [{ a: 100_000, r: true, p: '0.44', s: '5' }, 'Sell 5 Market 100000 No at 44.0¢, limit'],
])('the explorer describes the order %j', (changes, sentence) => {
  expect(say({ type: 'order', orders: [order(changes)] })).toEqual([sentence]);
});

test('the explorer describes each entry of a request in a sentence', () => {
  const cancels = [
    { a: 1, o: 7 },
    { a: 2, o: 8 },
  ];
  expect(say({ type: 'cancel', cancels })).toEqual([
    'Cancel order 7 in BTC-USDC',
    'Cancel order 8 in Market 2',
  ]);
});

test('the explorer shows user texts unchanged', () => {
  const agentName = '<img src=x onerror=alert(1)> {{rate}} $t(app.name)';
  expect(say({ type: 'approveAgent', agentAddress: '0xab', agentName })).toEqual([
    `Approve agent 0xab named “${agentName}”`,
  ]);
});

test('the explorer skips values that cannot be parsed', () => {
  expect(say({ type: 'order', orders: 'none' })).toEqual([]);
  expect(say({ type: 'somethingElse' })).toEqual([]);
});

describe('a row summarises a request', () => {
  const listed = (action: { type: string }, entries: number | null) =>
    briefOf(
      { hash: '0x1', time: 1, user: '0xab', block: 1, error: null, action, entries },
      nameOf,
      words.t,
    );

  test('a row shows the first order and the number of further orders', () => {
    expect(listed({ type: 'order', orders: [order({})] } as never, 20)).toMatchObject({
      text: 'Buy 0.014 BTC-USDC at 96,926.5, limit',
      side: 'buy',
      more: 19,
    });
  });

  test('a row keeps the price visible after a long market name', () => {
    const long = () => '“Does the evening ferry arrive on time, whatever the tide does?”';
    const action = { type: 'order', orders: [order({ a: 100_000, p: '0.44', s: '5' })] };
    const tx = { hash: '0x1', time: 1, user: '0xab', block: 1, error: null, action, entries: 1 };
    expect(briefOf(tx, long, words.t).text).toBe(
      'Buy 5 “Does the evening ferry arri…” Yes at 44.0¢, limit',
    );
  });

  test('a row counts orders that are cancelled together', () => {
    const cancels = [{ a: 1, o: 7 }];
    expect(listed({ type: 'cancel', cancels } as never, 3).text).toBe('Cancel 3 orders');
    expect(listed({ type: 'cancel', cancels } as never, 1).text).toBe('Cancel order 7 in BTC-USDC');
  });

  test('a row shortens addresses, and shows only the kind of a hidden request', () => {
    const destination = `0x${'ab'.repeat(20)}`;
    const send = { type: 'withdraw3', amount: '25', destination };
    expect(listed(send, 1).text).toBe('Withdraw 25 USDC to 0xabab…abab');
    expect(listed({ type: 'order' }, null)).toEqual({ text: 'Order', more: 0 });
  });
});
