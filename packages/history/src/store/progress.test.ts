import { expect, test } from 'vitest';
import { counted, encodeProgress } from './history-store.ts';

test('the same rows are noted alike, in whatever batches they came', () => {
  const together = counted({}, { fills: 2, blocks: 3, candles: 1 });
  const apart = counted(counted({}, { candles: 1, blocks: 1 }), { blocks: 2, fills: 2 });
  expect(encodeProgress({ height: 3, rows: apart })).toEqual(
    encodeProgress({ height: 3, rows: together }),
  );
});

test('rows that went are counted down to none, and not below', () => {
  expect(counted({ fills: 2 }, { fills: -3, orders: 0 })).toEqual({ fills: 0 });
});
