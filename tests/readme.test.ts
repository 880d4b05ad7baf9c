import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NODE, REPOSITORY, Venue } from './support/venue-process.ts';

/**
 * The README keeps its promises: every fenced block that follows a line `<!-- test: NAME -->` is run
 * as it stands, with `ODDLOT_URL` naming a venue that was started the way the README says.
 */

const README = join(REPOSITORY, 'README.md');
const MARKED = /<!-- test: (?<name>\S+) -->\s*```(?<language>\w+)[^\n]*\n(?<code>.*?)\n```/gs;
const RUN_MS_MAX = 30_000;

/** What the README says that a block prints. */
const PROMISED: Record<string, RegExp> = {
  'first-order': /"state":"filled"[^]*"szi":"0\.001"[^]*"state":"filled","filledSz":"10"/,
};

type Block = { readonly name: string; readonly language: string; readonly code: string };

const text = existsSync(README) ? readFileSync(README, 'utf8') : '';
const blocks = [...text.matchAll(MARKED)].map((match) => match.groups as unknown as Block);

describe('README.md', () => {
  let venue: Venue;

  beforeAll(async () => {
    venue = await Venue.start([]);
  }, 60_000);
  afterAll(async () => venue?.remove());

  test('marks its first order as tested', () => {
    expect(blocks.map((block) => block.name)).toContain('first-order');
    expect(text.match(/<!-- test: /g)).toHaveLength(blocks.length);
  });

  test.each(blocks)(
    '$name runs as it is written',
    async ({ name, language, code }) => {
      expect(['js', 'mjs', 'javascript']).toContain(language);
      const { exitCode, stdout, stderr } = await run(code, venue.url);
      expect(exitCode, `${stdout}\n${stderr}`).toBe(0);
      expect(stderr).toBe('');
      if (PROMISED[name]) expect(stdout).toMatch(PROMISED[name]);
    },
    RUN_MS_MAX,
  );
});

type Run = { exitCode: number | null; stdout: string; stderr: string };

/** Runs a module from standard input, so that its imports resolve from the repository. */
async function run(code: string, url: string): Promise<Run> {
  return new Promise((resolve, reject) => {
    const child = spawn(NODE, ['--input-type=module', '-'], {
      cwd: REPOSITORY,
      env: { ...process.env, ODDLOT_URL: url },
      timeout: RUN_MS_MAX - 5_000,
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (part: string) => (stdout += part));
    child.stderr.setEncoding('utf8').on('data', (part: string) => (stderr += part));
    child.once('error', reject);
    child.once('close', (exitCode) => resolve({ exitCode, stdout, stderr }));
    child.stdin.end(code);
  });
}
