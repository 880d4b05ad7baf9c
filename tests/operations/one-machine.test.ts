import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { NODE, REPOSITORY } from '../support/venue-process.ts';

/** Prints the URL of each module that the venue's program loads before it reads its settings. */
const PRINT_LOADED = `
  import { registerHooks } from 'node:module';
  const loaded = [];
  registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
  await import('./packages/venue/src/venue.ts');
  console.log(JSON.stringify(loaded));
`;

test('a single-machine venue does not load the code that connects to a cluster', () => {
  const output = execFileSync(NODE, ['--input-type=module', '--eval', PRINT_LOADED], {
    cwd: REPOSITORY,
    encoding: 'utf8',
  });
  const loaded = JSON.parse(output) as readonly string[];
  const cluster = loaded.filter((url) => url.includes('/packages/cluster/'));
  const files = cluster.map((url) => url.split('/').at(-1));
  expect(files.toSorted()).toEqual([
    'cluster-settings.ts',
    'followed-stream.ts',
    'stream-error.ts',
  ]);
  expect(loaded.filter((url) => url.includes('@nats-io'))).toEqual([]);
  expect(loaded.length).toBeGreaterThan(100);
});
