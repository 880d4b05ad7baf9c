import { expect, test } from 'vitest';
import { triggerKind } from './history-table.tsx';

test('a trigger is for a profit or against a loss by its side and the way that the mark comes', () => {
  const kinds = (['A', 'B'] as const).flatMap((side) =>
    ['Price above 97500', 'Price below 97500', 'N/A'].map((triggerCondition) =>
      triggerKind({ side, triggerCondition }),
    ),
  );
  expect(kinds).toEqual(['takeProfit', 'stopLoss', undefined, 'stopLoss', 'takeProfit', undefined]);
});
