import { globSync } from 'node:fs';
import { seedOfCommit } from './seed-of-commit.ts';

/**
 * Tests of whole programs take most of the time of all tests: venues that are killed, chains, relays, browsers. Of
 * these `npm test` runs a third for every commit, another one for the next; `npm run test:all` runs all of them, and
 * so does whoever names a file.
 */

const ROOT = `${import.meta.dirname}/..`;
const JOURNEYS = [
  'tests/{attack,chain,crash,e2e,fixtures,fuzz,gapless,operations,relay,simulation,web}/**/*.test.ts',
  'tests/conformance/{deposits,reserves,withdrawals}.test.ts',
  'packages/contracts/src/outputs.test.ts',
  'bench/bench.test.ts',
];
const SHARES = 3;

/** The journeys that a run leaves out, by what its environment says of them. */
export function journeysLeftOut(asked: string | undefined): string[] {
  if (asked === undefined) return [];
  const share = asked === 'drawn' ? 1 + (seedOfCommit('journeys') % SHARES) : Number(asked);
  const left = leftOutOf(globSync(JOURNEYS, { cwd: ROOT }), share);
  process.stdout.write(`Journeys: share ${share} of ${SHARES}; npm run test:all has all\n`);
  return left;
}

/** Neighbours in the tree are about the same, so the shares take them in turn. */
export function leftOutOf(files: readonly string[], share: number): string[] {
  if (!Number.isInteger(share) || share < 1 || share > SHARES)
    throw new Error(`TEST_JOURNEYS is drawn, or a share from 1 to ${SHARES}`);
  return files.toSorted().filter((_, index) => index % SHARES !== share - 1);
}
