import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { VERSION } from '@oddlot/sdk';
import { sampledCases } from '../support/sampled-cases.ts';
import { freePorts } from '@oddlot/testing/host';
import { freshSeed } from '../support/fresh-seed.ts';
import { programFile } from '../support/program-file.ts';
import { seededRandom } from '../support/seeded.ts';
import {
  FIXED_PRICE_FLAGS,
  NODE,
  removeTemporaryData,
  REPOSITORY,
  START_MS_MAX,
  temporaryData,
} from '../support/venue-process.ts';

/**
 * Goal: an operator supervises a single process, and if it does not start, it reports why in one
 * line.
 */

const random = seededRandom(freshSeed('CRASH_SEED'));
const LEAN = [...FIXED_PRICE_FLAGS, '--chain', 'none', '--no-relay'];
const SECONDS_MAX = { timeout: 60_000, interval: 50 };
const started: { kill(signal: NodeJS.Signals): unknown }[] = [];

afterAll(async () => {
  for (const each of started) each.kill('SIGKILL');
  await removeTemporaryData();
});

type Run = {
  readonly kill: (signal: NodeJS.Signals) => unknown;
  readonly ended: Promise<number | null>;
  readonly stdout: () => string;
  readonly stderr: () => string;
};

function run(command: string, args: readonly string[]): Run {
  const child = spawn(command, args, { cwd: REPOSITORY, stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  // A venue that outlives npm can keep the streams open, so only npm's exit counts.
  const ended = new Promise<number | null>((resolve) => {
    child.once('exit', (code) => setTimeout(() => resolve(code), 50));
  });
  started.push(child);
  return {
    kill: (signal) => child.kill(signal),
    ended,
    stdout: () => stdout,
    stderr: () => stderr,
  };
}

/**
 * A package with this project's `npm start`, which starts the program bundled for this test run.
 */
let project: string;
beforeAll(async () => {
  project = await temporaryData();
  const { scripts } = JSON.parse(await readFile(join(REPOSITORY, 'package.json'), 'utf8'));
  const { start } = scripts as { readonly start: string };
  await writeFile(
    join(project, 'package.json'),
    JSON.stringify({ type: 'module', scripts: { start } }),
  );
  await symlink(join(REPOSITORY, 'node_modules'), join(project, 'node_modules'));
  const main = join(project, 'packages/venue/src/start.ts');
  await mkdir(dirname(main), { recursive: true });
  await writeFile(main, `import ${JSON.stringify(programFile('venue'))};\n`);
});

const npmStart = (...flags: readonly string[]): Run =>
  run('npm', ['start', '--silent', '--prefix', project, '--', '--no-web', ...flags]);
const main = (...flags: readonly string[]): Run =>
  run(NODE, [programFile('venue'), '--no-web', ...flags]);

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Resolves when the run has printed the text or has ended. */
async function untilPrinted(run: Run, text: string): Promise<void> {
  let code: number | null | undefined;
  void run.ended.then((is) => (code = is));
  await vi.waitUntil(() => run.stdout().includes(text) || code !== undefined, {
    timeout: START_MS_MAX,
  });
  expect(run.stdout(), `ended with ${code}: ${run.stderr()}`).toContain(text);
}

async function serving(): Promise<{ npm: Run; pid: number; data: string }> {
  const data = await temporaryData();
  const npm = npmStart('--port', '0', '--data', data, '--log-level', 'warn', ...LEAN);
  await untilPrinted(npm, 'is serving at');
  const pid = Number(await readFile(join(data, 'lock.pid'), 'utf8'));
  started.push({ kill: (signal) => isAlive(pid) && process.kill(pid, signal) });
  return { npm, pid, data };
}

describe('npm start supervises the venue', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)(
    'npm start forwards %s to the venue, which stops cleanly and ends with 0',
    async (signal) => {
      const { data, npm, pid } = await serving();
      npm.kill(signal);
      expect(await npm.ended).toBe(0);
      await vi.waitFor(() => expect(isAlive(pid)).toBe(false), SECONDS_MAX);
      // Only a clean stop writes a snapshot this early.
      expect(await readdir(join(data, 'snapshots'))).toHaveLength(1);
    },
  );

  test('the venue stops if npm itself is killed', async () => {
    const { npm, pid } = await serving();
    npm.kill('SIGKILL');
    await npm.ended;
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), SECONDS_MAX);
  });

  test("if the venue does not start, npm start reports why in one line and exits with the venue's code", async () => {
    const npm = npmStart('--oracle', 'moon');
    expect(await npm.ended).toBe(2);
    expect(npm.stderr()).toMatch(/^oracle: .*see --help\)\n$/);
  });
});

describe('a failed start reports its reason', () => {
  test('starting in an unusable folder is reported in one line with exit code 1', async () => {
    const file = join(await temporaryData(), 'file');
    await writeFile(file, '');
    const venue = main('--port', '0', '--data', join(file, 'data'));
    expect(await venue.ended).toBe(1);
    expect(venue.stderr()).toMatch(/^The data folder \S+ cannot be used: .* is a file \(.*\)\n$/);
  });

  const UNREAL: readonly (readonly [string, readonly string[], RegExp])[] = [
    ['simulated prices by default', [], /^oracle: simulated prices are not allowed/],
    ['constant prices', ['--oracle', 'still'], /^oracle: still prices are not allowed/],
    ['simulated traders', ['--oracle', 'exchanges', '--bots'], /^bots: not allowed on mainnet/],
    ['a faucet', ['--oracle', 'exchanges', '--faucet'], /^faucet: not allowed on mainnet/],
    [
      'no name',
      ['--oracle', 'exchanges'],
      /^serviceNetwork: .* needs its own network name.*\(see --help\)/,
    ],
  ];
  test.each(sampledCases(UNREAL, 1, random))(
    'starting on mainnet with %s fails',
    async (_, flags, text) => {
      const data = join(await temporaryData(), 'data');
      const venue = main('--port', '0', '--network', 'mainnet', '--data', data, ...flags);
      expect(await venue.ended).toBe(2);
      expect(venue.stderr()).toMatch(text);
      expect(existsSync(data)).toBe(false);
    },
  );
});

test('--version prints the version and ends', async () => {
  const venue = main('--version');
  expect(await venue.ended).toBe(0);
  expect(venue.stdout()).toMatch(/^Oddlot \S+ \(Node \d+\.\d+\.\d+\)\n$/);
  // The venue, the SDK and the page are released under the same version.
  expect(venue.stdout().split(' ')[1]).toBe(VERSION);
});

describe('the operations port is private', () => {
  /**
   * On Linux, all of 127/8 is loopback, so a server on all interfaces also responds at such an
   * address.
   */
  const elsewhere = (url: string): string => url.replace(/\/\/[0-9.]+:/, '//127.0.0.2:');

  test('the operations port is two above the main port and stays on loopback, like the local chain', async () => {
    const port = await freePorts(4);
    const place = ['--host', '0.0.0.0', '--port', String(port), '--data', await temporaryData()];
    const venue = main(...place, '--no-relay', ...FIXED_PRICE_FLAGS);
    const at = (offset: number): string => `http://127.0.0.1:${port + offset}`;
    const [url, operations, chain] = [at(0), at(2), at(3)];
    await untilPrinted(venue, `operations ${operations}, settlement chain ${chain}`);
    expect((await fetch(elsewhere(url))).status).toBe(404);
    expect((await fetch(`${operations}/healthz`)).status).toBe(200);
    await expect(fetch(`${elsewhere(operations)}/healthz`)).rejects.toThrow('fetch failed');
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] });
    const asks = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
    expect((await fetch(chain, asks)).status).toBe(200);
    await expect(fetch(elsewhere(chain), asks)).rejects.toThrow('fetch failed');
    venue.kill('SIGTERM');
    expect(await venue.ended).toBe(0);
  });
});
