import type { Chance } from './seeded.ts';

/**
 * Some of the cases of a test that starts a process for each: others in every run, by its seed, and all of them in
 * `npm run test:long`.
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
