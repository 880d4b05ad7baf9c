import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testsFor } from './test-changed.ts';

const ROOT = join(import.meta.dirname, '..');

test('a change is covered by the tests that import it and by a sample of the programs that run it', () => {
  const near = 'packages/history/src/receipts.test.ts';
  expect(testsFor(['packages/history/src/receipts.ts'], [near])).toEqual([
    near,
    'tests/conformance/history',
  ]);
});

test('the first matching row of the table is used, and each test runs once', () => {
  const changed = ['packages/engine/src/liquidation/a.ts', 'packages/engine/src/liquidation/b.ts'];
  expect(testsFor(changed, [])).toEqual(['tests/conformance/perp-liquidation']);
});

test('tests of other packages come from the table, regardless of imports', () => {
  const far = 'packages/api/src/http/edge-over-http.test.ts';
  expect(testsFor(['packages/units/src/quantity.ts'], [far])).toEqual([
    'tests/conformance/positions-and-money',
  ]);
  expect(testsFor(['tests/support/client.ts'], ['tests/conformance/agents.test.ts'])).toEqual([
    'tests/conformance/orders',
    'tests/conformance/stream-control',
    'tests/e2e/guide',
  ]);
});

test('slow tests run only if they themselves have changed', () => {
  const long = 'tests/simulation/simulation.test.ts';
  expect(testsFor(['packages/units/src/a.ts'], [long])).not.toContain(long);
  expect(testsFor([long], [long])).toEqual([long]);
});

test.each(['packages/replica/src/a.ts', 'packages/cluster/src/a.ts'])(
  'consensus code is tested by the cluster and chaos tests: %s',
  (changed) => {
    const tests = testsFor([changed], []);
    expect(tests.filter((name) => name.startsWith('tests/cluster/'))).not.toEqual([]);
    expect(tests).toContain('tests/chaos/');
  },
);

test('the table covers every package folder, and all tests in it exist', () => {
  const files = readdirSync(join(ROOT, 'tests'), { recursive: true, encoding: 'utf8' });
  const packages = readdirSync(join(ROOT, 'packages'))
    .map((name) => join('packages', name))
    .filter((folder) => existsSync(join(ROOT, folder, 'package.json')));
  const folders = packages.flatMap((folder) => {
    const inside = readdirSync(join(ROOT, folder, 'src'), { withFileTypes: true });
    const rooms = inside.filter((each) => each.isDirectory()).map(({ name }) => name);
    return ['', ...rooms].map((room) => join(folder, 'src', room));
  });
  for (const folder of folders) {
    const tests = testsFor([join(folder, 'a.ts')], []);
    expect(tests, folder).not.toEqual([]);
    for (const each of tests) {
      expect(
        files.some((file) => join('tests', file).startsWith(each)),
        each,
      ).toBe(true);
    }
  }
});
