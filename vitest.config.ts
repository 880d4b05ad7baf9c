import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { wordsPlugin } from './packages/web/build/words-plugin.ts';
import { threadsPlugin } from './scripts/threads-plugin.ts';

/**
 * Defines the test projects that the npm scripts select: `npm test` runs all projects except `e2e`
 * and `e2e-web`, `npm run test:e2e` those two and the smoke tests, and `npm run test:all` every
 * project.
 */

// The processes and threads of the tests load the same programs, so this cache compiles each
// program only once.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/venue');

/** Tests that start complete programs or replay long histories. */
const E2E = [
  'tests/{attack,chain,chaos,cli,cluster,crash,e2e,fixtures,fuzz,gapless,operations,relay,simulation,testkit}/**/*.test.ts',
  'tests/free-money/search.test.ts',
  'tests/conformance/{deposits,reserves,withdrawals}.test.ts',
  'packages/contracts/src/outputs.test.ts',
  'packages/custody/src/bridge/run-bridge.test.ts',
  'packages/history/src/indexer/*.test.ts',
  'packages/history/src/store/history-store.test.ts',
  'bench/bench.test.ts',
];
const E2E_WEB = ['tests/web/**/*.test.ts'];

/**
 * The end-to-end tests that `npm test` runs: short tests of the programs that most changes affect.
 */
const SMOKE = [
  'tests/cli/trading.test.ts',
  'tests/cluster/quorum.test.ts',
  'tests/conformance/deposits.test.ts',
  'tests/crash/crash.test.ts',
  'tests/e2e/guide.test.ts',
  'tests/e2e/trading.test.ts',
  'tests/operations/backup.test.ts',
  'tests/simulation/simulation.test.ts',
  'tests/testkit/guide.test.ts',
];
const SMOKE_WEB = ['tests/web/budget.test.ts', 'tests/web/perps-orders.test.ts'];
for (const file of [...SMOKE, ...SMOKE_WEB]) {
  if (!existsSync(join(import.meta.dirname, file))) throw new Error(`Missing smoke test ${file}`);
}

/** These tests replace modules, so they cannot share modules with other tests. */
const REPLACING = ['tests/free-money/planted.test.ts'];

/**
 * Only `npm run test:long` runs the files `*.long.test.ts`, and it runs other tests with more
 * cases.
 */
const isLong = process.env['TEST_LONG'] !== undefined;

const setupFiles = ['tests/support/fixed-seed.ts'];
const globalSetup = ['tests/support/memory-folder.ts', 'tests/support/setup.ts'];

/**
 * Returns a project for code that runs in its own process, which can start threads, and for tests
 * of other processes.
 */
const node = (name: string, include: string[], exclude: string[], more: string[] = []) => ({
  extends: true as const,
  plugins: [wordsPlugin(), threadsPlugin()],
  test: {
    name,
    setupFiles: [...setupFiles, ...more],
    globalSetup,
    include,
    exclude,
    isolate: false,
  },
});

/**
 * Returns a project for tests of the page in a browser. A worker uses one browser and one venue for
 * most of its files.
 */
const browser = (name: string, include: string[], exclude: string[]) => ({
  extends: true as const,
  plugins: [wordsPlugin()],
  test: {
    name,
    setupFiles,
    globalSetup: [
      ...globalSetup,
      'tests/web/support/build-once.ts',
      'tests/web/support/run-folder.ts',
    ],
    include,
    exclude,
    isolate: false,
    // Each poll of a page uses CPU time of the browser.
    expect: { poll: { timeout: 60_000, interval: 200 } },
  },
});

export default defineConfig({
  test: {
    exclude: [...configDefaults.exclude, ...(isLong ? [] : ['**/*.long.test.ts'])],
    // Most files spend much of their time waiting for a venue, so three workers fit on two cores.
    maxWorkers: 3,
    // The limits detect tests that hang; they leave time for a busy machine.
    testTimeout: isLong ? 3_600_000 : 120_000,
    hookTimeout: isLong ? 3_600_000 : 120_000,
    expect: { poll: { timeout: 60_000 } },
    projects: [
      {
        extends: true,
        plugins: [wordsPlugin()],
        test: {
          name: 'unit',
          setupFiles,
          include: ['packages/{units,engine,protocol,contracts,web}/src/**/*.test.ts'],
          exclude: E2E,
          // The modules under test have no module state, so files can share one evaluation of the
          // modules.
          isolate: false,
        },
      },
      node(
        'packages',
        [
          'packages/{host,devchain,custody,relay,replica,translate,history,cluster,settlement,api,hyperliquid,venue,audit,sdk,testkit,cli}/src/**/*.test.ts',
          'scripts/**/*.test.ts',
          'bench/**/*.test.ts',
        ],
        E2E,
      ),
      node('conformance', ['tests/conformance/**/*.test.ts'], E2E, [
        'tests/support/check-description.ts',
      ]),
      node(
        'repository',
        ['tests/**/*.test.ts'],
        ['tests/conformance/**', ...E2E, ...E2E_WEB, ...REPLACING],
      ),
      { extends: true, test: { name: 'replacing', setupFiles, include: REPLACING } },
      node('smoke', SMOKE, []),
      browser('smoke-web', SMOKE_WEB, []),
      node('e2e', E2E, SMOKE),
      browser('e2e-web', E2E_WEB, SMOKE_WEB),
    ],
  },
});
