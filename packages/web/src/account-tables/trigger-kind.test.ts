import { expect, test } from 'vitest';
import { triggerKind } from './history-table.tsx';

test('the side and direction of a trigger determine whether it is a take-profit or a stop-loss', () => {
  const kinds = (['A', 'B'] as const).flatMap((side) =>
    ['Price above 97500', 'Price below 97500', 'N/A'].map((triggerCondition) =>
      triggerKind({ side, triggerCondition }),
    ),
  );
  expect(kinds).toEqual(['takeProfit', 'stopLoss', undefined, 'stopLoss', 'takeProfit', undefined]);
});
