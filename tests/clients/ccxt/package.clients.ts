import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packClientCopy } from '../../packaging/pack-client-copy.ts';
import { packageProblems, typesReport } from '../../packaging/registry-checks.ts';
import { runCommand } from '../../packaging/run-command.ts';
import { NODE, REPOSITORY, Venue } from '../../support/venue-process.ts';

/**
 * Goal: the tarball of the ccxt classes works in an empty folder. Method: the package is packed as
 * in a release and installed next to the published ccxt. The program from its guide runs there
 * against a venue process.
 */

/** Code of a TypeScript user who relies on the published ccxt's types. */
const CONSUMER = `
import type { Exchange, Order, PredictionExchange } from 'ccxt';
import { oddlot, oddlotPrediction } from '@oddlot/ccxt';
const exchange: Exchange = new oddlot({ url: 'http://127.0.0.1:8690', enableRateLimit: false });
const outcomes: PredictionExchange = new oddlotPrediction();
export async function go(perps: oddlot): Promise<Order> {
  // @ts-expect-error The network is a string.
  new oddlot({ network: 1 });
  await new oddlotPrediction().splitShares('A:YES', 1);
  await outcomes.fetchOrderBook('A:YES');
  const [balance] = [await exchange.fetchBalance()];
  return perps.createOrder('BTC/USDC:USDC', 'limit', 'buy', balance.total as never, 90000);
}`;

let folder: string;
let home: string;
let tarball: string;
let venue: Venue;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'oddlot-ccxt-'));
  home = join(folder, 'home');
  mkdirSync(home);
  writeFileSync(join(home, 'package.json'), '{"private":true,"type":"module"}');
  [tarball, venue] = await Promise.all([packClientCopy(folder, 'ccxt'), Venue.start([])]);
  const { dependencies } = JSON.parse(
    readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'),
  ) as { dependencies: { ccxt: string } };
  const flags = ['--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts'];
  const packages = [tarball, `ccxt@${dependencies.ccxt}`];
  await runCommand('npm', ['install', ...flags, ...packages], { cwd: home, timeoutMs: 120_000 });
}, 180_000);

afterAll(async () => {
  await venue?.remove();
  rmSync(folder, { recursive: true, force: true });
});

test('the tarball contains JavaScript, one declaration file, licence and readme', () => {
  const own = join(home, 'node_modules/@oddlot/ccxt');
  const files = readdirSync(own, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(own.length + 1));
  const types = files.filter((file) => file.endsWith('.d.ts'));
  expect(types).toEqual(['dist/npm/ccxt/index.d.ts']);
  expect(files.filter((file) => !file.startsWith('dist/npm/')).toSorted()).toEqual(
    ['LICENSE', 'NOTICE', 'README.md', 'package.json'].toSorted(),
  );
  const manifest = JSON.parse(readFileSync(join(own, 'package.json'), 'utf8'));
  expect(Object.keys(manifest.dependencies)).toEqual(['@noble/curves', '@noble/hashes']);
  expect(manifest.peerDependencies).toEqual({ ccxt: '^4.5.84' });
  expect(manifest).not.toHaveProperty('private');
});

test("a registry's checks find no problems in the tarball", async () => {
  expect(await packageProblems(tarball)).toEqual([]);
  const entryPoints = ['.', './package.json'];
  expect(await typesReport(tarball)).toEqual({ entryPoints, problems: [] });
});

test('the example program in the ccxt guide buys on a venue', async () => {
  const page = readFileSync(join(REPOSITORY, 'docs/build/ccxt.md'), 'utf8');
  const code = /<!-- test: ccxt -->\s*```js\n(.*?)\n```/s.exec(page)![1]!;
  writeFileSync(join(home, 'bot.js'), code.replaceAll('http://127.0.0.1:8690', venue.url));
  const printed = await runCommand(NODE, ['bot.js'], { cwd: home, timeoutMs: 60_000 });
  expect(printed).toMatch(/^closed: 0\.001 BTC at [0-9.]+$/m);
});

test("the classes have ccxt's types", () => {
  writeFileSync(join(home, 'consumer.ts'), CONSUMER);
  const tsc = join(REPOSITORY, 'node_modules/typescript/bin/tsc');
  const strict = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'ES2022'];
  const modules = ['--module', 'nodenext', '--moduleResolution', 'nodenext', '--types', 'node'];
  const roots = ['--typeRoots', join(REPOSITORY, 'node_modules/@types')];
  const all = [tsc, ...strict, ...modules, ...roots, 'consumer.ts'];
  expect(execFileSync(NODE, all, { cwd: home, encoding: 'utf8' })).toBe('');
});
