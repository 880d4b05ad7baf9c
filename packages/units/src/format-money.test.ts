import { expect, test } from 'vitest';
import { formatMoney } from './format-money.ts';

test('money is formatted exactly, even beyond the safe-integer range', () => {
  expect(formatMoney(-1_500_000n)).toBe('-1.5');
  expect(formatMoney(90_071_992_547_409_931n)).toBe('90071992547.409931');
});
