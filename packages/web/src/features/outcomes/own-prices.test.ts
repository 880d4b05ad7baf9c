import { expect, test } from 'vitest';
import { ownPrices } from './event-panels.tsx';

const order = (outcome: 'Yes' | 'No', limitPx: string, reduceOnly = false) => ({
  instrumentId: 1,
  outcome,
  limitPx,
  reduceOnly,
});

test('R-one-book: own orders appear on the side of the displayed leg', () => {
  const orders = [
    order('Yes', '0.4'),
    order('No', '0.55'),
    order('Yes', '0.6', true),
    order('No', '0.7', true),
    { ...order('Yes', '0.1'), instrumentId: 2 },
  ];
  const market = { instrument_id: 1 };
  expect(ownPrices(orders, market, 'Yes')).toEqual({ bid: ['0.4', '0.3'], ask: ['0.45', '0.6'] });
  expect(ownPrices(orders, market, 'No')).toEqual({ bid: ['0.55', '0.4'], ask: ['0.6', '0.7'] });
});
