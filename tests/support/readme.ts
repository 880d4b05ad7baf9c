import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NODE, REPOSITORY } from './venue-process.ts';

/** Runs the programs in the README and in the guide that does not use the SDK. */

const MARKED = /<!-- test: (?<name>\S+) -->\s*```(?<language>\w+)[^\n]*\n(?<code>.*?)\n```/gs;
const PAGES = ['README.md', 'docs/get-started/without-the-sdk.md'];

/** The default address of a venue in the documentation. */
export const DEFAULT_URL = 'http://127.0.0.1:8690';

export const RUN_MS_MAX = 60_000;
export const MARKERS = textOf(PAGES).match(/<!-- test: /g)?.length ?? 0;

export type ReadmeBlock = {
  readonly name: string;
  readonly language: string;
  readonly code: string;
};

/** Returns the programs that can run in the repository. The README test executes them. */
export function readmeBlocks(): ReadmeBlock[] {
  return blocksOf(PAGES);
}

/** Returns each fenced block on these pages that is preceded by a line `<!-- test: NAME -->`. */
export function blocksOf(pages: readonly string[]): ReadmeBlock[] {
  return [...textOf(pages).matchAll(MARKED)].map((match) => match.groups as unknown as ReadmeBlock);
}

function textOf(pages: readonly string[]): string {
  return pages.map((path) => readFileSync(join(REPOSITORY, path), 'utf8')).join('\n');
}

export type BlockRun = { exitCode: number | null; stdout: string; stderr: string };

/** Runs a module from standard input, so that its imports resolve within the repository. */
export async function runBlock(code: string, url: string): Promise<BlockRun> {
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
    child.stdin.end(code.replaceAll(DEFAULT_URL, url));
  });
}
