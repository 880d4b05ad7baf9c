import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ProposalOrder } from './proposal-order.ts';

const HOUR_MS = 3_600_000;

describe('ordering the blocks of each proposer', () => {
  test("a proposer's blocks count once and in order, even if some arrive repeatedly or out of order", () => {
    const arrival = fc.record({
      name: fc.constantFrom('a', 'b', 'c'),
      number: fc.integer({ min: 1, max: 9 }),
    });
    fc.assert(
      fc.property(fc.array(arrival, { maxLength: 200 }), (arrivals) => {
        const order = new ProposalOrder();
        const counted = new Map<string, number[]>();
        for (const { name, number } of arrivals) {
          const seen = counted.get(name) ?? [];
          const verdict = order.take(`${name}:${number}`, 1);
          const expected =
            number <= seen.length ? 'repeated' : number === seen.length + 1 ? 'next' : 'early';
          expect(verdict).toBe(expected);
          if (verdict === 'next') counted.set(name, [...seen, number]);
        }
      }),
      { numRuns: Math.max(100, Number(process.env['FUZZ_RUNS'] ?? 0)) },
    );
  });

  test('the verdict on a block does not change if a snapshot is restored between any two blocks', () => {
    const arrival = fc.record({
      name: fc.constantFrom('a', 'b'),
      number: fc.integer({ min: 1, max: 4 }),
      passedMs: fc.constantFrom(0, HOUR_MS, 24 * HOUR_MS, 25 * HOUR_MS),
      isSnapshot: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(arrival, { maxLength: 60 }), (arrivals) => {
        const lived = new ProposalOrder();
        let restored = new ProposalOrder();
        let timeMs = 0;
        for (const { isSnapshot, name, number, passedMs } of arrivals) {
          timeMs += passedMs;
          const proposal = `${name}:${number}`;
          expect(restored.take(proposal, timeMs)).toBe(lived.take(proposal, timeMs));
          if (!isSnapshot) continue;
          const data = JSON.parse(JSON.stringify(restored.dump() ?? [])) as unknown;
          restored = new ProposalOrder();
          restored.restore(data);
        }
      }),
      { numRuns: Math.max(100, Number(process.env['FUZZ_RUNS'] ?? 0)) },
    );
  });

  test('a proposer is forgotten after a day without blocks, and its numbering then starts again at 1', () => {
    const order = new ProposalOrder();
    expect(order.take('a:1', 0)).toBe('next');
    expect(order.take('a:2', 24 * HOUR_MS)).toBe('next');
    expect(order.take('a:3', 48 * HOUR_MS + 1)).toBe('early');
    expect(order.take('a:1', 48 * HOUR_MS + 2)).toBe('next');
  });
});
