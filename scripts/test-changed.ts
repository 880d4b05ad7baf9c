import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';

/**
 * Runs the tests that a change can affect, in about one minute (`npm run test:changed --
 * [branch]`). The working tree is compared with the merge base. Tests in the same package are found
 * by their imports. A table lists the tests for other packages and for whole programs, a sample of
 * each kind. `npm run test:all` runs all tests.
 */

const ROOT = join(import.meta.dirname, '..');

/** The tests that best cover the sources in a folder. The first matching row is used. */
const SEEN_BY: readonly (readonly [sources: string, tests: readonly string[]])[] = [
  ['packages/engine/src/outcome/', ['conformance/outcome-matching', 'conformance/outcome-orders']],
  ['packages/engine/src/triggers/', ['conformance/perp-triggers', 'conformance/perp-grouping']],
  ['packages/engine/src/liquidation/', ['conformance/perp-liquidation']],
  ['packages/engine/', ['conformance/model', 'conformance/orders', 'conformance/perp-fill-check']],
  ['packages/units/', ['conformance/positions-and-money']],
  ['packages/protocol/', ['conformance/signing', 'conformance/bad-requests', 'conformance/info']],
  ['packages/contracts/', ['conformance/deposits']],
  ['packages/devchain/', ['chain/viem', 'chain/blocks']],
  ['packages/custody/', ['operations/validators']],
  ['packages/relay/', ['relay/relay']],
  ['packages/api/src/ws/', ['conformance/stream', 'conformance/rtds']],
  ['packages/api/src/', ['conformance/envelopes-and-http', 'conformance/info']],
  ['packages/history/src/reserves/', ['conformance/reserves']],
  ['packages/history/src/', ['conformance/history']],
  ['packages/hyperliquid/', ['hyperliquid/']],
  ['packages/settlement/src/', ['conformance/deposits', 'conformance/withdrawals']],
  ['packages/translate/', ['conformance/info', 'conformance/orders']],
  ['packages/venue/src/exhibition/', ['conformance/exhibition']],
  ['packages/venue/src/oracle/', ['conformance/simulated-oracle', 'operations/monitoring']],
  ['packages/replica/src/log/', ['conformance/perp-restart', 'operations/history-database']],
  ['packages/replica/src/codec/', ['conformance/perp-restart', 'crash/replay']],
  [
    'packages/replica/src/',
    ['conformance/perp-restart', 'cluster/replicas', 'chaos/', 'crash/replay'],
  ],
  ['packages/cluster/src/', ['cluster/', 'chaos/']],
  ['packages/venue/src/supervise/', ['operations/monitoring', 'operations/full-disk']],
  [
    'packages/venue/',
    ['conformance/orders', 'conformance/venue-status', 'conformance/perp-restart'],
  ],
  ['packages/host/', ['conformance/envelopes-and-http', 'operations/monitoring']],
  [
    'packages/audit/',
    ['operations/compromised-venue', 'operations/verify-folder', 'cli/verify-venue'],
  ],
  ['packages/sdk/', ['e2e/']],
  ['packages/ccxt/', ['clients/ccxt/']],
  ['packages/testkit/', ['testkit/']],
  ['packages/cli/', ['cli/']],
  ['packages/web/', ['web/markets', 'web/perps.test']],
  ['packages/site/', ['docs-site', 'site/']],
  ['examples/', ['examples/', 'cli/dev-liquidity']],
  ['docs/', ['docs']],
  ['tests/web/support/', ['web/markets']],
  ['tests/support/', ['conformance/orders', 'conformance/stream-control', 'e2e/guide']],
];

/** These tests import many files and take minutes, so each runs in full or not at all. */
const LONG = /^tests\/(simulation|crash|free-money|fuzz|year|fixtures|packaging|web)\//;

/** Returns the test filters that cover the changed files and the tests that import them. */
export function testsFor(changed: readonly string[], importing: readonly string[]): string[] {
  const places = new Set(changed.map(placeOf));
  const reached = importing.filter(
    (file) => changed.includes(file) || (places.has(placeOf(file)) && !LONG.test(file)),
  );
  const started = changed.flatMap((file) => {
    const seenBy = SEEN_BY.find(([sources]) => file.startsWith(sources))?.[1] ?? [];
    return seenBy.map((name) => `tests/${name}`);
  });
  return [...new Set([...reached, ...started])].sort();
}

/**
 * Returns the package or test folder that contains a file, such as `packages/engine` or
 * `tests/conformance`.
 */
const placeOf = (file: string): string => file.split('/').slice(0, 2).join('/');

function runTestsOfChange(branch: string): number {
  const base = git('merge-base', branch, 'HEAD')[0] ?? branch;
  const changed = [
    ...git('diff', '--name-only', base),
    ...git('ls-files', '--others', '--exclude-standard'),
  ];
  const tests = testsFor(changed, importingSince(base));
  if (tests.length === 0) {
    process.stdout.write('No changed file affects a test.\n');
    return 0;
  }
  // The tests that use published clients require packages that this command installs.
  const own = tests.filter((test) => !test.startsWith('tests/clients/'));
  const commands = [
    ...(own.length === 0 ? [] : [['vitest', 'run', ...own]]),
    ...(own.length === tests.length ? [] : [['npm', 'run', 'test:clients']]),
  ];
  const failed = commands.filter(([program = '', ...parameters]) => {
    return spawnSync(program, parameters, { cwd: ROOT, stdio: 'inherit' }).status !== 0;
  });
  return failed.length === 0 ? 0 : 1;
}

function git(...args: readonly string[]): string[] {
  const text = execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' });
  return text.split('\n').filter((line) => line !== '');
}

/** Returns the test files that import a file changed since the base. */
function importingSince(base: string): string[] {
  const args = ['list', '--filesOnly', '--changed', base];
  const text = execFileSync('vitest', args, { cwd: ROOT, encoding: 'utf8' });
  return text
    .split('\n')
    .flatMap((line) => /(?:tests|packages|scripts|bench)\/\S+\.test\.ts/.exec(line)?.[0] ?? []);
}

if (import.meta.main) process.exitCode = runTestsOfChange(process.argv[2] ?? 'main');
