import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { NODE, REPOSITORY, Venue } from '../support/venue-process.ts';

/** Goal: the guide's snippets run as they stand. Method: they are put into one program and run. */

let venue: Venue;

beforeAll(async () => {
  venue = await Venue.start();
}, 60_000);

afterAll(async () => {
  await venue?.remove();
});

test('the snippets of the guide run one after the other', async () => {
  const guide = readFileSync(join(REPOSITORY, 'docs', 'guides', 'sdk.md'), 'utf8');
  const snippets = [...guide.matchAll(/^```ts\n(.*?)^```$/gms)].map((match) => match[1]!);
  expect(snippets.length).toBeGreaterThan(5);
  const program = snippets.join('\n').replaceAll('http://127.0.0.1:8690', venue.url);
  const { stdout } = await promisify(execFile)(
    NODE,
    ['--input-type=module-typescript', '--eval', program],
    { cwd: REPOSITORY, timeout: 20_000 },
  );
  expect(stdout).toContain('ETH-USDC');
  expect(stdout).toMatch(/^\d+ open null$/m);
  expect(stdout).toContain('INVALID Price precision does not match the tick size');
}, 30_000);
