import { expect, test } from 'vitest';
import { uncounted } from './uncounted.ts';

const MIB = 2 ** 20;

test('the collector of garbage does not count such room, as it would a buffer', () => {
  const before = process.memoryUsage().external;
  const kept: unknown[] = [Buffer.from(uncounted(100 * MIB))];
  expect(process.memoryUsage().external - before).toBeLessThan(10 * MIB);
  kept.push(Buffer.alloc(100 * MIB));
  expect(process.memoryUsage().external - before).toBeGreaterThan(90 * MIB);
  expect(kept).toHaveLength(2);
});
