import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { NODE, REPOSITORY } from '../support/venue-process.ts';
import { nodeOf } from './node-releases.ts';
import { packageProblems, typesReport } from './registry-checks.ts';
import { runCommand } from './run-command.ts';

/**
 * Goal: the tarball `oddlot` provides a venue and its tools without needing this repository.
 * Method: build and pack the package, install it in an empty folder without running scripts, and
 * use it as in the guide.
 */

let folder: string;
let tarball: string;
let venue: ChildProcess | undefined;
let url: string;
const program = (): string => join(folder, 'node_modules/oddlot/bin/oddlot.mjs');

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'oddlot-cli-pack-'));
  const scripts = [
    'packages/web/build/build-web.ts',
    'packages/site/build/build-site.ts',
    'scripts/build-cli.ts',
  ];
  for (const script of scripts) {
    await runCommand(NODE, [script, '--if-stale'], { cwd: REPOSITORY, timeoutMs: 300_000 });
  }
  const packed = join(REPOSITORY, 'packages/cli/dist/oddlot');
  await runCommand('npm', ['pack', packed, '--pack-destination', folder], { cwd: folder });
  tarball = join(
    folder,
    readdirSync(folder).find((name) => name.endsWith('.tgz'))!,
  );
  await writeFile(join(folder, 'package.json'), '{"private":true}');
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
  await runCommand('npm', ['install', ...flags, tarball], { cwd: folder });
  url = await startDev();
});

afterAll(async () => {
  if (venue !== undefined && venue.exitCode === null) {
    venue.kill('SIGTERM');
    await once(venue, 'exit');
  }
  await rm(folder, { recursive: true, force: true });
});

async function startDev(): Promise<string> {
  venue = spawn(NODE, [program(), 'dev', '--port', '0', '--accounts', '2', '--json'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [printed] = await once(venue.stdout!, 'data');
  const details = JSON.parse(String(printed));
  expect(details.accounts).toHaveLength(2);
  return details.url;
}

async function oddlot(...args: string[]): Promise<string> {
  const env = { ODDLOT_HOME: join(folder, 'home'), ODDLOT_PASSWORD: 'correct horse' };
  const child = spawn(NODE, [program(), '--url', url, ...args], {
    cwd: folder,
    env: { PATH: `${dirname(NODE)}${delimiter}${process.env['PATH'] ?? ''}`, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  const [code] = await once(child, 'close');
  expect(code, `oddlot ${args.join(' ')}: ${printed}`).toBe(0);
  return printed;
}

test('the package contains no TypeScript, no workspace dependency and no install script', async () => {
  const home = join(folder, 'node_modules/oddlot');
  const files = readdirSync(home, { recursive: true, encoding: 'utf8' });
  expect(files.filter((name) => name.endsWith('.ts'))).toEqual([]);
  expect(existsSync(join(folder, 'node_modules/@oddlot'))).toBe(false);
  const manifest = JSON.parse(await readFile(join(home, 'package.json'), 'utf8'));
  expect(manifest.scripts).toBeUndefined();
  const cli = await readFile(join(home, 'dist/cli.js'), 'utf8');
  expect(cli).not.toContain(REPOSITORY);
});

test("a registry's checks find no problems in the tarball", async () => {
  expect(await packageProblems(tarball)).toEqual([]);
  // The package has only a command, so there are no types to check.
  expect(await typesReport(tarball)).toBe(undefined);
});

test('the installed commands take a user from a key to a position', async () => {
  expect(await oddlot('keys', 'new')).toMatch(/^main 0x/);
  expect(await oddlot('faucet')).toContain('Credited 100000 test USDC');
  await expect
    .poll(() => oddlot('order', 'buy', '0.01', 'BTC', '--slippage', '5'))
    .toMatch(/^filled: order \d+/);
  expect(await oddlot('positions')).toContain('BTC-USDC');
  expect(await oddlot('fills')).toContain('buy');
});

test("an installed test venue's clock can be controlled from outside", async () => {
  const flags = ['dev', '--controls', '0', '--port', '0', '--accounts', '1', '--json'];
  const inHand = spawn(NODE, [program(), ...flags], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [printed] = await once(inHand.stdout, 'data');
    const { controlsUrl, url: own } = JSON.parse(String(printed));
    const ask = async (address: string, body: unknown) => {
      const response = await fetch(address, { method: 'POST', body: JSON.stringify(body) });
      return (await response.json()) as { readonly now: number };
    };
    const before = await ask(`${controlsUrl}/clock/hold`, {});
    const after = await ask(`${controlsUrl}/clock/advance`, { by: '1h' });
    expect(after.now - before.now).toBe(3_600_000);
    await expect.poll(async () => (await fetch(`${own}/`)).status).toBe(200);
  } finally {
    inHand.kill('SIGTERM');
    await once(inHand, 'exit');
  }
});

test("a new account's order fills against the installed examples' quotes", async () => {
  const flags = ['dev', '--liquidity', 'examples', '--port', '0', '--accounts', '0', '--json'];
  const quoted = spawn(NODE, [program(), ...flags], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [printed] = await once(quoted.stdout, 'data');
    const { makers, url: own } = JSON.parse(String(printed));
    expect(await oddlot('--url', own, 'faucet')).toContain('Credited 100000 test USDC');
    const buy = ['order', 'buy', '0.001', 'BTC', '--slippage', '5'];
    // Between two of the maker's rounds, there may be no quotes.
    await expect.poll(() => oddlot('--url', own, ...buy)).toMatch(/^filled: order \d+/);
    expect(makers).toHaveLength(2);
  } finally {
    quoted.kill('SIGTERM');
    await once(quoted, 'exit');
  }
});

test('the package serves the page and the documentation', async () => {
  await expect.poll(async () => (await fetch(`${url}/`)).status).toBe(200);
  await expect.poll(async () => (await fetch(`${url}/docs/errors`)).status).toBe(200);
  expect(await (await fetch(`${url}/docs/errors.md`)).text()).toContain('# Errors');
  expect(await (await fetch(`${url}/openapi.json`)).json()).toMatchObject({ openapi: '3.1.0' });
});

test('an older Node prints an error that gives the required version', async () => {
  const old = await nodeOf(22);
  await expect(runCommand(old, [program(), 'status'], { cwd: folder })).rejects.toThrow(
    'oddlot requires Node 24 or newer, but this is 22.',
  );
});
