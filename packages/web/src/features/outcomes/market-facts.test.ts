import type { OutcomeMarketMeta } from '@oddlot/sdk';
import { expect, test } from 'vitest';
import { subtract } from '../../lib/decimal.ts';
import type { AccountState } from '../../market/account.ts';
import { isMarketPrice } from '../../market/streams.ts';
import { costOf, holdingsOf, inOrder, worthAt } from './market-facts.ts';

const record = (szi: string, entryPx: string, cumFee: string, asset = '7') => ({
  position: { asset, szi, entryPx, cumFee, positionValue: '4', unrealizedPnl: '-1' },
});

test('the cost of shares includes fees, and a worthless holding loses its whole cost', () => {
  const assetPositions = [
    record('100', '0.0887', '-0.56'),
    record('-10', '0.5', '0'),
    record('5', '0.9', '-1', '8'),
  ];
  const holdings = holdingsOf({ assetPositions } as unknown as AccountState['state'], 7);
  expect(holdings).toMatchObject([
    { leg: 'Yes', shares: '100', fees: '0.56', profit: '-1.56' },
    { leg: 'No', shares: '10', fees: '0', profit: '-1' },
  ]);
  // The cost is 100 × 0.0887 + 0.56 plus 10 × 0.5.
  expect(costOf(holdings)).toBe('14.43');
  expect(subtract(worthAt(holdings, '0'), costOf(holdings))).toBe('-4.43');
  expect(subtract(worthAt(holdings, '1'), costOf(holdings))).toBe('85.57');
});

const priced = (
  yes: string,
  bid: string | null,
  ask: string | null,
  last: string | null = null,
): OutcomeMarketMeta => {
  const pricing = { yes_price: yes, best_bid: bid, best_ask: ask, last_price: last };
  return { pricing } as unknown as OutcomeMarketMeta;
};

test.each([
  ['without quotes or trades', priced('0.5', null, null), false],
  ['with a bid only', priced('0.5', '0.3', null), false],
  ['with quotes too far apart for a mark', priced('0.5', '0.1', '0.8'), false],
  ['with 0.5 as the mid of its quotes', priced('0.5', '0.49', '0.51'), true],
  ['that traded at 0.5', priced('0.5', null, null, '0.5'), true],
  ['at any other price', priced('0.45', '0.44', '0.46'), true],
])('a mark of 0.5 counts only if it is traded or quoted: a market %s', (_, market, expected) => {
  expect(isMarketPrice(market.pricing.yes_price, market)).toBe(expected);
});

test('the most likely market is listed first, and markets without a price are listed last', () => {
  const [none, low, high] = [
    priced('0.5', null, null),
    priced('0.05', '0.04', '0.06'),
    priced('0.9', '0.89', '0.91'),
  ];
  expect(inOrder([none, low, high])).toEqual([high, low, none]);
});
