import { expect, test } from 'vitest';
import { NEW_PERP, NEW_TIER, perpOf } from './perps.tsx';

const second = { maxSize: '200000', maxLeverage: '10', mmr: '0.045' };

test('names, book steps and tier limits of a perp are derived from the input', () => {
  const perp = perpOf({ ...NEW_PERP, base: ' doge ', tiers: [...NEW_PERP.tiers, second] });
  expect(perp).toMatchObject({
    name: 'DOGE-USDC',
    baseCurrency: 'DOGE',
    bookTicks: ['0.01', '0.1', '1'],
    marginTable: {
      tiers: [
        { tier: 1, minSize: '0', maxSize: '100000' },
        { tier: 2, minSize: '100000', maxSize: '200000', maxLeverage: 10 },
      ],
    },
  });
});

test.each([
  { base: '' },
  { base: 'DOGE', priceTick: '1.' },
  { base: 'DOGE', szDecimals: 'two' },
  { base: 'DOGE', tiers: [NEW_TIER] },
])('an incomplete perp draft is not sent: %j', (changes) => {
  expect(perpOf({ ...NEW_PERP, ...changes })).toBeUndefined();
});
