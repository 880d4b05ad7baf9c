import type { AssetPosition, Fill } from '@oddlot/sdk';
import { beforeAll, describe, expect, test } from 'vitest';
import { chooseLocale } from '../../lib/languages.ts';
import { words } from '../../lib/words.ts';
import { cardOf, sharedFill, sharedPosition } from './share-button.tsx';

beforeAll(() => chooseLocale('en-US'));

const position = {
  position: {
    coin: 'BTC-USDC',
    entryPx: '97000',
    leverage: { type: 'Cross', value: 20 },
    markPx: '97500.5',
    returnOnEquity: '0.103',
    szi: '-0.5',
    unrealizedPnl: '-250.25',
  },
} as unknown as AssetPosition;

const plain = {
  hasAmounts: false,
  address: undefined,
  isTest: true,
  nowMs: 0,
  host: 'example.org',
};

describe('a shared position shows only what the user selects', () => {
  test('a shared position shows no amount, size or address by default', () => {
    const card = cardOf(sharedPosition(position), plain, words.t);
    expect(card).toMatchObject({
      market: 'BTC-USDC',
      about: 'Short · 20× · test funds',
      tone: 'sell',
      headline: '+10.30%',
      facts: [
        ['Entry', '97,000'],
        ['Mark', '97,500.5'],
      ],
    });
    expect(JSON.stringify(card)).not.toMatch(/250|"0\.5"|0x/);
  });

  test('a shared position shows prices with the number of decimals used by its market', () => {
    const { prices } = sharedPosition(position, 1);
    expect(prices.map(({ text }) => text)).toEqual(['97,000.0', '97,500.5']);
  });

  test('a shared position shows amounts and the address if they are selected', () => {
    const choice = { ...plain, hasAmounts: true, address: `0x${'ab'.repeat(20)}`, isTest: false };
    const card = cardOf(sharedPosition(position), choice, words.t);
    expect(card.facts).toEqual([
      ['Result', '−250.25 USDC'],
      ['Entry', '97,000'],
      ['Mark', '97,500.5'],
      ['Size', '0.5'],
    ]);
    expect(card.about).toBe('Short · 20×');
    expect(card.foot).toMatch(/example\.org · 0xabab…abab$/);
  });
});

describe('a shared trade shows only what the user selects', () => {
  const fill = {
    closedPnl: '12.5',
    px: '0.62',
    sz: '40',
    symbol: 'X',
    title: '<b>Rain?</b>',
    outcome: 'Yes',
  };
  test('a shared trade shows its title as text and its price in cents', () => {
    const shared = sharedFill(fill as Fill);
    expect(cardOf(shared, plain, words.t)).toMatchObject({
      market: '<b>Rain?</b>',
      headline: 'Profit',
      facts: [['Price', '62.0¢']],
      tone: 'buy',
    });
    expect(cardOf(shared, { ...plain, hasAmounts: true }, words.t).headline).toBe('+12.50 USDC');
  });
});
