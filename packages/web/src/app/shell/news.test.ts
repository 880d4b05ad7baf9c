import type { Fill, LedgerUpdate, PerpMeta } from '@oddlot/sdk';
import { beforeAll, describe, expect, test } from 'vitest';
import { chooseLocale } from '../../lib/languages.ts';
import { words } from '../../lib/words.ts';
import { fillNews, ledgerNews } from './news.ts';

beforeAll(() => chooseLocale('en-US'));

function fill(part: Partial<Fill>): Fill {
  const some = { symbol: 'BTC-USDC', side: 'B', px: '100', sz: '1', oid: 1, crossed: true };
  return { ...some, ...part } as Fill;
}

const textsOf = (news: ReturnType<typeof fillNews>): string[] =>
  news.map(({ text, title, tone }) => [title, text, tone].filter(Boolean).join(' | '));

const markets = new Map([[7, { name: '“Rain?”', outcomes: ['Wet', 'Dry'] as const }]]);

describe('a notice describes a fill', () => {
  test.each([
    ['of a buy', [fill({})], ['Bought 1 BTC-USDC | at 100 | buy']],
    ['of a sell', [fill({ side: 'A', sz: '0.5' })], ['Sold 0.5 BTC-USDC | at 100 | sell']],
    [
      'fills of one order are one notice with their average price',
      [fill({ sz: '1', px: '100' }), fill({ sz: '3', px: '104' })],
      ['Bought 4 BTC-USDC | at 103 | buy'],
    ],
    [
      'two orders have two notices',
      [fill({ oid: 1 }), fill({ oid: 2, side: 'A' })],
      ['Bought 1 BTC-USDC | at 100 | buy', 'Sold 1 BTC-USDC | at 100 | sell'],
    ],
    ['settlements are reported by the ledger instead', [fill({ crossed: null })], []],
    [
      'of an outcome market has the title as text and the price in cents',
      [fill({ title: '<b>Rain</b>', outcome: 'Yes', dir: 'Buy Yes', px: '0.069', sz: '12' })],
      ['Bought 12 Yes | <b>Rain</b> at 6.9¢ | buy'],
    ],
    [
      'that buys NO is a purchase on either side of the book',
      [fill({ instrumentId: 7, outcome: 'No', dir: 'Buy No', side: 'A', px: '0.4', sz: '5' })],
      ['Bought 5 Dry | “Rain?” at 40¢ | buy'],
    ],
    [
      'several fills of shares are one notice with their average price',
      [
        fill({ instrumentId: 7, outcome: 'Yes', dir: 'Sell Yes', px: '0.5', sz: '1' }),
        fill({ instrumentId: 7, outcome: 'Yes', dir: 'Sell Yes', px: '0.51', sz: '1' }),
      ],
      ['Sold 2 Wet | “Rain?” at 50.5¢ | sell'],
    ],
  ])('the notice summarises the fills: %s', (_, fills, expected) => {
    expect(textsOf(fillNews(fills, words.t, [], markets))).toEqual(expected);
  });

  test('a notice shows prices with the number of decimals used by the market', () => {
    const eth = { index: 2, priceTick: '0.01', szDecimals: 4 } as PerpMeta;
    const fills = [fill({ instrumentId: 2, symbol: 'ETH-USDC', px: '3410.2', sz: '0.2' })];
    const expected = ['Bought 0.2000 ETH-USDC | at 3,410.20 | buy'];
    expect(textsOf(fillNews(fills, words.t, [eth]))).toEqual(expected);
  });
});

describe('a notice describes a ledger update', () => {
  const row = (delta: object): LedgerUpdate => ({ time: 1, hash: '0x', delta }) as LedgerUpdate;
  test.each([
    [
      { type: 'liquidation', liquidatedPositions: [{ coin: 'BTC', szi: '1' }], markPx: '91204' },
      ['Position liquidated | BTC at mark price 91,204 | warning'],
    ],
    [{ type: 'withdraw', amount: '10', status: 'pending' }, []],
    [
      { type: 'withdraw', amount: '125.5', fee: '0.1', status: 'completed' },
      ['Withdrawal completed: 125.40 USDC | 125.50 minus a fee of 0.10'],
    ],
    [
      { type: 'withdraw', amount: '10', fee: '0', status: 'completed' },
      ['Withdrawal completed: 10.00 USDC'],
    ],
    [
      { type: 'withdraw', amount: '10', status: 'failed' },
      ['Withdrawal of 10.00 USDC failed and was refunded | warning'],
    ],
    [{ type: 'deposit', amount: '5.5' }, ['Deposit received: 5.50 USDC']],
    [
      {
        type: 'outcomeSettlement',
        instrumentId: 7,
        amount: '12',
        sz: '12',
        outcome: 'Yes',
        settlementFraction: '1',
      },
      ['“Rain?” paid you 12.00 USDC | 12 Wet at 100¢ | buy'],
    ],
    [
      {
        type: 'outcomeSettlement',
        instrumentId: 7,
        amount: '0',
        sz: '12',
        outcome: 'No',
        settlementFraction: '1',
      },
      ['“Rain?” resolved to Wet | Your 12 Dry shares pay nothing | sell'],
    ],
    [{ type: 'faucet', amount: '1000' }, []],
  ])('the notice describes the update %j', (delta, expected) => {
    expect(textsOf(ledgerNews([row(delta)], words.t, [], markets))).toEqual(expected);
  });

  test('a notice shows perp prices with the number of decimals used by their market', () => {
    const btc = { name: 'BTC-USDC', priceTick: '0.1' } as PerpMeta;
    const taken = {
      type: 'liquidation',
      liquidatedPositions: [{ coin: 'BTC-USDC', szi: '1' }],
      markPx: '91204.0512',
    };
    const closed = { type: 'adl', coin: 'BTC-USDC', sz: '2', px: '91200' };
    const news = ledgerNews([row(taken), row(closed)], words.t, [btc]);
    expect(news.map(({ text }) => text)).toEqual([
      'BTC-USDC at mark price 91,204.1',
      'at 91,200.0',
    ]);
  });

  test("a notice reports a settlement even if the market's name is unknown", () => {
    const delta = { type: 'outcomeSettlement', amount: '0', sz: '3', outcome: 'Yes' };
    const news = ledgerNews([row({ ...delta, settlementFraction: '0' })], words.t);
    expect(textsOf(news)).toEqual([
      'A market resolved to No | Your 3 Yes shares pay nothing | sell',
    ]);
  });
});
