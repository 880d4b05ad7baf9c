import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { wordsPlugin } from './packages/web/build/words-plugin.ts';
import { journeysLeftOut } from './scripts/journeys.ts';
import { threadsPlugin } from './scripts/threads-plugin.ts';

// Hundreds of processes and threads of the tests load the same program: it is compiled once.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/venue');

const setupFiles = ['tests/support/fixed-seed.ts'];
const globalSetup = ['tests/support/memory-folder.ts', 'tests/support/setup.ts'];

/** What takes minutes is in files `*.long.test.ts`: `npm run test:long` has them, and larger sizes of others. */
const isLong = process.env['TEST_LONG'] !== undefined;
const exclude = [...(isLong ? [] : ['**/*.long.test.ts']), ...journeysLeftOut(process.env)];

/** They replace modules, so nobody may share theirs. */
const REPLACING = ['tests/free-money/planted.test.ts'];

export default defineConfig({
  test: {
    exclude: [...configDefaults.exclude, ...exclude],
    // Most files wait for a venue of their own much of the time, so three of them share two cores well.
    maxWorkers: 3,
    // For what hangs: a test that only waits for its turn on a busy machine is given the time.
    testTimeout: isLong ? 3_600_000 : 120_000,
    hookTimeout: isLong ? 3_600_000 : 120_000,
    expect: { poll: { timeout: 60_000 } },
    projects: [
      {
        extends: true,
        plugins: [wordsPlugin()],
        test: {
          name: 'pure',
          setupFiles,
          include: ['packages/{units,engine,protocol,contracts,web}/src/**/*.test.ts'],
          // Functions of their arguments: files may share one evaluation of the modules.
          isolate: false,
        },
      },
      {
        extends: true,
        plugins: [threadsPlugin()],
        test: {
          name: 'parts',
          setupFiles,
          globalSetup,
          include: [
            'packages/{host,devchain,custody,relay,replica,translate,history,cluster,settlement,api,venue,audit,sdk,testkit,cli}/src/**/*.test.ts',
            'scripts/**/*.test.ts',
            'bench/**/*.test.ts',
          ],
          // Parts are made anew by each test and leave nothing behind: most of the time would else go into loading them.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'conformance',
          setupFiles,
          globalSetup,
          include: ['tests/conformance/**/*.test.ts'],
          // All that is tested is in another process.
          isolate: false,
        },
      },
      {
        extends: true,
        plugins: [wordsPlugin(), threadsPlugin()],
        test: {
          name: 'process',
          setupFiles,
          globalSetup,
          include: ['tests/**/*.test.ts'],
          exclude: ['tests/conformance/**', 'tests/web/**', ...REPLACING, ...exclude],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'replacing',
          setupFiles,
          include: REPLACING,
        },
      },
      {
        extends: true,
        plugins: [wordsPlugin()],
        test: {
          name: 'web',
          setupFiles,
          globalSetup: [
            ...globalSetup,
            'tests/web/support/build-once.ts',
            'tests/web/support/run-folder.ts',
          ],
          include: ['tests/web/**/*.test.ts'],
          // All that is tested is in a browser and a venue: a worker has one of each for most of its files.
          isolate: false,
          // Each look at a page is work for it.
          expect: { poll: { timeout: 60_000, interval: 200 } },
        },
      },
    ],
  },
});
