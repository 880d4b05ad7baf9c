import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Place, Ranking } from './listed-event-index.ts';

const Change = fc.tuple(fc.nat(20), fc.option(fc.nat(5), { nil: undefined }));

test('a ranking’s pages equal those of a list sorted anew for every query', () => {
  const property = fc.property(
    fc.array(Change, { maxLength: 60 }),
    fc.array(Change, { maxLength: 10 }),
    fc.integer({ min: 1, max: 7 }),
    fc.boolean(),
    (before, after, limit, descending) => {
      const ranking = new Ranking<string>();
      const keys = new Map<number, number>();
      const change = ([id, key]: readonly [number, number | undefined]): void => {
        if (key === undefined) keys.delete(id);
        else keys.set(id, key);
      };
      for (const each of before) change(each);
      ranking.reset([...keys].map(([id, key]) => ({ id, key, item: String(id) })));
      for (const each of after) {
        change(each);
        ranking.place(each[0], each[1], String(each[0]));
      }
      const sorted = [...keys].sort(([a, x], [b, y]) => x - y || a - b).map(([id]) => String(id));
      const expected = descending ? sorted.reverse() : sorted;
      const walked: string[] = [];
      let place: Place | undefined;
      do {
        const page = ranking.page({ after: place, descending, limit });
        expect(page.items.length).toBeLessThanOrEqual(limit);
        walked.push(...page.items);
        place = page.next;
      } while (place !== undefined);
      expect(walked).toEqual(expected);
      expect(ranking.size).toBe(expected.length);
    },
  );
  fc.assert(property, { numRuns: Number(process.env['FUZZ_RUNS'] ?? 200) });
});
