import { expect, test } from 'vitest';
import { isBought } from './cells.tsx';

test('a bid buys, of a perp and of YES, and sells NO: on one book who buys NO offers YES', () => {
  const rows = (['B', 'A'] as const).flatMap((side) =>
    ([undefined, null, 'Yes', 'No'] as const).map((outcome) => isBought({ side, outcome })),
  );
  expect(rows).toEqual([true, true, true, false, false, false, false, true]);
});
