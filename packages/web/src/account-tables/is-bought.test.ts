import { expect, test } from 'vitest';
import { isBought } from './cells.tsx';

test('a bid buys a perp or YES, or sells NO, because both outcomes share one book', () => {
  const rows = (['B', 'A'] as const).flatMap((side) =>
    ([undefined, null, 'Yes', 'No'] as const).map((outcome) => isBought({ side, outcome })),
  );
  expect(rows).toEqual([true, true, true, false, false, false, false, true]);
});
