import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { journeysLeftOut, leftOutOf, LONGEST } from './journeys.ts';

const FILES = ['e', 'c', 'a', 'd', 'f', 'b', 'h', 'g'];
const SHARES = [1, 2, 3, 4, 5, 6];

describe('shares of the journeys', () => {
  test('six runs have every file once', () => {
    const run = SHARES.flatMap((share) => {
      const left = leftOutOf(FILES, share);
      return FILES.filter((file) => !left.includes(file));
    });
    expect(run.toSorted()).toEqual(FILES.toSorted());
  });

  test('neighbours are in different ones', () => {
    expect(leftOutOf(FILES, 1)).toEqual(['b', 'c', 'd', 'e', 'f', 'h']);
    expect(leftOutOf(FILES, 2)).toEqual(['a', 'c', 'd', 'e', 'f', 'g']);
  });

  test('the longest are spread: as many in each, and who has the first of one round has the last of the next', () => {
    expect(LONGEST.filter((file) => !existsSync(join(import.meta.dirname, '..', file)))).toEqual(
      [],
    );
    const own = SHARES.map((share) => {
      const left = leftOutOf([...LONGEST, ...FILES], share);
      return LONGEST.filter((file) => !left.includes(file)).map((file) => LONGEST.indexOf(file));
    });
    expect(own).toEqual([
      [0, 11, 12],
      [1, 10, 13],
      [2, 9, 14],
      [3, 8, 15],
      [4, 7, 16],
      [5, 6, 17],
    ]);
  });

  test('whoever asks for none runs all', () => {
    expect(journeysLeftOut({})).toEqual([]);
  });

  test('what was drawn stays so for a run', () => {
    const environment = { TEST_JOURNEYS: 'drawn' };
    const first = journeysLeftOut(environment);
    expect(environment.TEST_JOURNEYS).toMatch(/^[1-6]$/);
    expect(journeysLeftOut(environment)).toEqual(first);
  });

  test('what is asked for is there: browsers, kills, chains', () => {
    const left = SHARES.map((share) => journeysLeftOut({ TEST_JOURNEYS: String(share) }));
    for (const folder of ['web', 'crash', 'relay', 'operations']) {
      for (const files of left) expect(files.join('\n')).toContain(`tests/${folder}/`);
    }
  });

  test.each(['0', '7', 'all', '1.5', ''])('%j is no share', (asked) => {
    expect(() => journeysLeftOut({ TEST_JOURNEYS: asked })).toThrow(
      'Invalid TEST_JOURNEYS. Use drawn, or a shard from 1 to 6',
    );
  });
});
