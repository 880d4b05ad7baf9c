import { globSync } from 'node:fs';
import { seedOfCommit } from './seed-of-commit.ts';

/**
 * Tests of whole programs take most of the time of all tests: venues that are killed, chains, relays, browsers, a
 * database server. Of these `npm test` runs a sixth for every commit, another one for the next. All of them run by
 * `npm run test:all`, and each for whoever names its file.
 */

const ROOT = `${import.meta.dirname}/..`;
const JOURNEYS = [
  'tests/{attack,chain,chaos,cli,cluster,crash,e2e,fixtures,fuzz,gapless,operations,relay,simulation,testkit,web}/**/*.test.ts',
  'tests/free-money/search.test.ts',
  'tests/conformance/{deposits,reserves,withdrawals}.test.ts',
  'packages/contracts/src/outputs.test.ts',
  'packages/custody/src/bridge/run-bridge.test.ts',
  'packages/venue/src/history/archivist/*.test.ts',
  'packages/venue/src/history/store/history-store.test.ts',
  'bench/bench.test.ts',
];
const SHARES = 6;
const ASKED = 'TEST_JOURNEYS';

/** The journeys that a run leaves out, by what its environment says of them; whoever asks later has the same answer. */
export function journeysLeftOut(environment: NodeJS.ProcessEnv): string[] {
  if (environment[ASKED] === 'drawn') {
    environment[ASKED] = String(1 + (seedOfCommit('journeys') % SHARES));
    process.stdout.write(
      `Journeys: share ${environment[ASKED]} of ${SHARES}; npm run test:all has all\n`,
    );
  }
  const share = environment[ASKED];
  return share === undefined ? [] : leftOutOf(globSync(JOURNEYS, { cwd: ROOT }), Number(share));
}

/** Neighbours in the tree are about the same, so the shares take them in turn. */
export function leftOutOf(files: readonly string[], share: number): string[] {
  if (!Number.isInteger(share) || share < 1 || share > SHARES)
    throw new Error(`${ASKED} is drawn, or a share from 1 to ${SHARES}`);
  return files.toSorted().filter((_, index) => index % SHARES !== share - 1);
}
