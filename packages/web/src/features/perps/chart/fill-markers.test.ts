import type { Fill } from '@oddlot/sdk';
import { expect, test } from 'vitest';
import { fillMarkers } from './fill-markers.ts';

function fill(fields: Partial<Fill>): Fill {
  return { instrumentId: 1, oid: 7, side: 'B', time: 60_000, hash: '0x', ...fields } as Fill;
}

test('the fills of an order share one marker, at the candle of the first fill', () => {
  const fills = [fill({ time: 125_000 }), fill({ time: 65_000 }), fill({ time: 66_000 })];
  expect(fillMarkers(fills, 1, '1m')).toEqual([{ timeMs: 60_000, isBuy: true, orders: 1 }]);
});

test('orders on the same side in a candle share a marker, and orders in other markets have none', () => {
  const fills = [
    fill({ oid: 9, time: 121_000, side: 'A' }),
    fill({ oid: 8, time: 62_000 }),
    fill({}),
    fill({ oid: 5, instrumentId: 2 }),
  ];
  expect(fillMarkers(fills, 1, '1m')).toEqual([
    { timeMs: 60_000, isBuy: true, orders: 2 },
    { timeMs: 120_000, isBuy: false, orders: 1 },
  ]);
});

test('fills that belong to no order have separate markers', () => {
  const fills = [fill({ oid: 0, hash: '0x1' }), fill({ oid: 0, hash: '0x2' })];
  expect(fillMarkers(fills, 1, '1m')).toEqual([{ timeMs: 60_000, isBuy: true, orders: 2 }]);
});
