import { expect, test } from 'vitest';
import { dump, restore, type StateDump } from '../dump/dump.ts';
import type { State } from '../state/state.ts';
import { alice, Scenario } from '@oddlot/testing/engine/scenario';

/**
 * Leaves field values from former orders in the next slots, because the pool does not clear them.
 */
function fillSlots({ pool }: State): void {
  const slots = [1, 2, 3].map((id) => pool.allocate(Number.MAX_SAFE_INTEGER - id));
  const { level, orderId, ownNext, ownPrev, ints, floats } = pool;
  const excluded: unknown[] = [level, orderId, ownNext, ownPrev, ints, floats];
  const fields = Object.values(pool).filter((field) => ArrayBuffer.isView(field));
  for (const field of fields as Float64Array[]) {
    if (!excluded.includes(field)) for (const slot of slots) field[slot] = 77;
  }
  for (const slot of slots) pool.release(slot);
}

test('a resting order has no data left over from the previous order in its slot', () => {
  const [clean, filled] = [Scenario.open(), Scenario.open()];
  fillSlots(filled.state);
  for (const scenario of [clean, filled]) {
    scenario.one(alice, { price: 1_000_000, size: 20 });
    scenario.one(alice, { price: 999_000, size: 30 });
  }
  const [text, other] = [clean, filled].map(({ state }) => JSON.stringify(dump(state)));
  expect(clean.state.pool.size).toBe(2);
  expect(other).toBe(text);
  expect(JSON.stringify(dump(restore(JSON.parse(text!) as StateDump)))).toBe(text);
});
