import type { EngineEvent } from '@oddlot/engine';
import { expect, test } from 'vitest';
import { foundScale } from './entries.ts';

test('a block’s events are scanned once, however many orders a command ended', () => {
  const events = Array.from({ length: 1000 }, (_, orderId) => ({
    type: 'orderUpdated',
    order: { orderId, instrumentId: orderId % 2 },
  })) as unknown as EngineEvent[];
  let walks = 0;
  const walked = Object.assign(events, {
    [Symbol.iterator]() {
      walks += 1;
      return Array.prototype[Symbol.iterator].call(events) as ArrayIterator<EngineEvent>;
    },
  });
  const instruments = (instrumentId: number) => ({
    instrumentId,
    name: '',
    szDecimals: instrumentId,
    priceTick: 1,
  });
  for (let orderId = 0; orderId < 1000; orderId++) {
    expect(foundScale(orderId, walked, instruments).szDecimals).toBe(orderId % 2);
  }
  expect(foundScale(undefined, walked, instruments).szDecimals).toBe(0);
  expect(walks).toBe(1);
});
