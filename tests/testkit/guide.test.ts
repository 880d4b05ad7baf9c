import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCommand } from '../packaging/run-command.ts';
import { NODE, REPOSITORY } from '../support/venue-process.ts';

/** Goal: what the guide of the testkit shows is what runs. `example.test.ts` is one of the tests beside this one. */

const HERE = import.meta.dirname;

test.each(['example-first.ts', 'example.test.ts', 'example-node-test.mjs'])(
  'the guide shows %s as it is',
  async (name) => {
    const guide = await readFile(join(REPOSITORY, 'docs/guides/testkit.md'), 'utf8');
    expect(guide).toContain(await readFile(join(HERE, name), 'utf8'));
  },
);

test('the first example pays funding eight times', async () => {
  const printed = await runCommand(NODE, [join(HERE, 'example-first.ts')], { cwd: REPOSITORY });
  expect(printed.match(/fundingRate/g)).toHaveLength(8);
});

test('the example for node:test passes there', async () => {
  const flags = ['--test', '--test-reporter=tap'];
  const file = join(HERE, 'example-node-test.mjs');
  const printed = await runCommand(NODE, [...flags, file], { cwd: REPOSITORY });
  expect(printed).toContain('# pass 1');
});
