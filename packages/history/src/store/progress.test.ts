import { expect, test } from 'vitest';
import { counted, encodeProgress } from './history-store.ts';

test('the stored row counts do not depend on how blocks are grouped into batches', () => {
  const together = counted({}, { fills: 2, blocks: 3, candles: 1 });
  const apart = counted(counted({}, { candles: 1, blocks: 1 }), { blocks: 2, fills: 2 });
  expect(encodeProgress({ height: 3, rows: apart })).toEqual(
    encodeProgress({ height: 3, rows: together }),
  );
});

test('stored row counts never become negative', () => {
  expect(counted({ fills: 2 }, { fills: -3, orders: 0 })).toEqual({ fills: 0 });
});
