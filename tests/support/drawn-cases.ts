import type { Chance } from './seeded.ts';

/**
 * A sample of the cases of a test that starts one process per case: it depends on the run's seed,
 * and `npm run test:long` runs all cases.
 */
export function drawnCases<Case>(
  cases: readonly Case[],
  count: number,
  random: Chance,
): readonly Case[] {
  if (process.env['TEST_LONG'] !== undefined) return cases;
  const left = [...cases];
  while (left.length > count) left.splice(random.below(left.length), 1);
  return left;
}
