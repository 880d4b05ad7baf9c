import type { SeededRandom } from './seeded.ts';

/**
 * Returns a sample of the cases, because each case starts a process. The run's seed selects the
 * sample. `npm run test:long` runs all cases.
 */
export function sampledCases<Case>(
  cases: readonly Case[],
  count: number,
  random: SeededRandom,
): readonly Case[] {
  if (process.env['TEST_LONG'] !== undefined) return cases;
  const left = [...cases];
  while (left.length > count) left.splice(random.below(left.length), 1);
  return left;
}
