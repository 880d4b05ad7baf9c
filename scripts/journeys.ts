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
  'packages/history/src/indexer/*.test.ts',
  'packages/history/src/store/history-store.test.ts',
  'bench/bench.test.ts',
];
const SHARES = 6;
/** Those that take half a minute or more, the longest first: no share should have many of them. */
export const LONGEST: readonly string[] = [
  'tests/cluster/admin.test.ts',
  'tests/chaos/chaos.test.ts',
  'tests/web/account-trouble.test.ts',
  'tests/web/perps-trouble.test.ts',
  'tests/web/perps.test.ts',
  'tests/operations/validators.test.ts',
  'tests/web/portfolio.test.ts',
  'tests/web/accessibility.test.ts',
  'tests/web/outcomes.test.ts',
  'tests/web/operate.test.ts',
  'tests/web/markets.test.ts',
  'tests/cluster/replicas.test.ts',
  'tests/chain/own-process.test.ts',
  'tests/web/outcomes-series.test.ts',
  'tests/web/languages.test.ts',
  'tests/web/account-box.test.ts',
  'tests/web/account-keys.test.ts',
  'tests/web/execution-report.test.ts',
];
const ASKED = 'TEST_JOURNEYS';

/** The journeys that a run leaves out, by what its environment says of them; whoever asks later has the same answer. */
export function journeysLeftOut(environment: NodeJS.ProcessEnv): string[] {
  if (environment[ASKED] === 'drawn') {
    environment[ASKED] = String(1 + (seedOfCommit('journeys') % SHARES));
    process.stdout.write(
      `End-to-end tests: shard ${environment[ASKED]} of ${SHARES}; npm run test:all runs all of them\n`,
    );
  }
  const share = environment[ASKED];
  return share === undefined ? [] : leftOutOf(globSync(JOURNEYS, { cwd: ROOT }), Number(share));
}

/**
 * Neighbours in the tree are about the same, so the shares take them in turn; of the longest the one that got most takes
 * last in the next round.
 */
export function leftOutOf(files: readonly string[], share: number): string[] {
  if (!Number.isInteger(share) || share < 1 || share > SHARES)
    throw new Error(`Invalid ${ASKED}. Use drawn, or a shard from 1 to ${SHARES}`);
  const sorted = files.toSorted();
  const longest = LONGEST.filter((file) => files.includes(file));
  const others = sorted.filter((file) => !LONGEST.includes(file));
  const own = new Set([
    ...longest.filter((_, index) => thereAndBack(index) === share),
    ...others.filter((_, index) => index % SHARES === share - 1),
  ]);
  return sorted.filter((file) => !own.has(file));
}

/** 1 to 6, then 6 to 1, and so on. */
function thereAndBack(index: number): number {
  const at = index % SHARES;
  return Math.floor(index / SHARES) % 2 === 0 ? 1 + at : SHARES - at;
}
