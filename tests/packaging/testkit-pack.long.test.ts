import { existsSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { NODE, REPOSITORY } from '../support/venue-process.ts';
import { packClientCopy } from './pack-client-copy.ts';
import { packageProblems, typesReport } from './registry-checks.ts';
import { runCommand } from './run-command.ts';

/**
 * Goal: the testkit's tarball is usable without this repository. Method: build and pack the
 * package, install it in an empty folder without running scripts, and use it there in a `node:test`
 * test and with the compiler.
 */

/**
 * An external user's test. With threads and a settlement chain, it loads all of the package's
 * files.
 */
const USE = `
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startVenue } from '@oddlot/testkit';

for (const threads of ['here', 'own']) {
  test('an order fills with threads: ' + threads, async () => {
    const chain = threads === 'own';
    await using venue = await startVenue({ threads, chain, ports: true, page: true });
    const [alice] = venue.accounts;
    await venue.fillBook('BTC-USDC');
    const order = { a: 1, b: true, p: '98000', s: '0.5', r: false, t: { limit: { tif: 'Ioc' } } };
    const reply = await alice.client.exchange.order({ orders: [order] }, { confirm: 'executed' });
    assert.equal(reply.orders[0].state, 'filled');
    await venue.settled();
    const fills = await alice.client.info.userFills({ user: alice.address });
    assert.equal(fills.length, 1);
    assert.equal(fills[0].sz, '0.5');
    for (const path of ['/', '/docs/errors.md']) {
      const status = async () => (await fetch(venue.url + path)).status;
      while ((await status()) === 503) await new Promise((wake) => setTimeout(wake, 20));
      assert.equal(await status(), 200);
    }
    assert.match(await (await fetch(venue.url + '/docs/errors.md')).text(), /# Errors/);
    if (chain) await venue.deposit(alice, '500');
  });
}`;

/** A program that imports the installed package. It is compiled but not run. */
const CONSUMER = `
import { replayMarket, startVenue, type Bot, type TestVenue } from '@oddlot/testkit';
export async function go(bot: Bot): Promise<string> {
  await using venue: TestVenue = await startVenue({ seed: 'one', threads: 'here' });
  const alice = await venue.account('alice', { perp: '10000' });
  const order = { a: 1, b: true, p: '1', s: '1', r: false, t: { limit: { tif: 'Ioc' } } } as const;
  const reply = await alice.client.exchange.order({ orders: [order] }, { confirm: 'executed' });
  // @ts-expect-error a price is a string
  await venue.setPrice('BTC', 1);
  venue.faults.loseAnswer({ count: 2 });
  const hash: \`0x\${string}\` = await venue.chain.transferToBridge(alice, '1');
  const report = await replayMarket({ bot, recording: 'recording.jsonl', every: '1m' });
  return reply.status === 'executed' ? reply.orders[0]!.state : hash + report.endUsdc;
}`;

/** Code by a user who tests a bot written with the SDK. */
const BOT = `
import { createClient, privateKeyWallet } from '@oddlot/sdk';
import { startVenue } from '@oddlot/testkit';
const venue = await startVenue();
const wallet = privateKeyWallet(venue.accounts[0]!.privateKey);
const client = createClient({ ...venue.connection, wallet });
await venue.fillBook('BTC-USDC');
const order = { a: 1, b: true, p: '98000', s: '0.5', r: false, t: { limit: { tif: 'Ioc' } } } as const;
const reply = await client.exchange.order({ orders: [order] }, { confirm: 'executed' });
console.log(reply.status === 'executed' ? reply.orders[0]!.state : reply.status);
client.close();
await venue.stop();`;

const INSTALL = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];

let folder: string;
/** An external user's folder with the installed tarball. */
let home: string;
let tarball: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'oddlot-testkit-pack-'));
  home = join(folder, 'home');
  for (const script of ['packages/web/build/build-web.ts', 'scripts/build-testkit.ts']) {
    await runCommand(NODE, [script, '--if-stale'], { cwd: REPOSITORY, timeoutMs: 300_000 });
  }
  const built = join(REPOSITORY, 'packages/testkit/dist/npm');
  await runCommand('npm', ['pack', built, '--pack-destination', folder], { cwd: folder });
  tarball = join(
    folder,
    readdirSync(folder).find((name) => name.endsWith('.tgz'))!,
  );
  await mkdir(home);
  await writeFile(join(home, 'package.json'), '{"private":true,"type":"module"}');
  await runCommand('npm', [...INSTALL, tarball], { cwd: home });
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test('the package contains JavaScript, declarations, licence and readme, and no workspace', async () => {
  const own = join(home, 'node_modules/@oddlot');
  expect(readdirSync(own)).toEqual(['testkit']);
  const names = readdirSync(join(own, 'testkit'));
  expect(names).toEqual(['LICENSE', 'NOTICE', 'README.md', 'dist', 'package.json', 'types']);
  const files = readdirSync(own, { recursive: true, encoding: 'utf8' });
  expect(files.filter((name) => /(?<!\.d)\.ts$/.test(name))).toEqual([]);
  for (const name of files.filter((each) => each.endsWith('.d.ts'))) {
    const text = await readFile(join(own, name), 'utf8');
    expect(text, name).not.toMatch(/(?:from|import\()\s*['"](?!\.|zod['"])/);
  }
  const manifest = JSON.parse(await readFile(join(own, 'testkit/package.json'), 'utf8'));
  expect(manifest.scripts).toBe(undefined);
  expect(Object.keys(manifest.dependencies)).toEqual(['hash-wasm', 'pino', 'zod']);
  expect(existsSync(join(home, 'node_modules/secp256k1'))).toBe(false);
  const code = await readFile(join(own, 'testkit/dist/testkit.js'), 'utf8');
  expect(code).not.toContain(REPOSITORY);
});

test("a registry's checks find no problems in the tarball", async () => {
  expect(await packageProblems(tarball)).toEqual([]);
  const entryPoints = ['.', './package.json'];
  expect(await typesReport(tarball)).toEqual({ entryPoints, problems: [] });
});

test('a test using node:test starts venues with and without threads, and orders fill', async () => {
  await writeFile(join(home, 'use.test.mjs'), USE);
  const printed = await runCommand(NODE, ['--test', 'use.test.mjs'], { cwd: home });
  expect(printed).toMatch(/pass 2\b/);
});

test.each(['nodenext', 'bundler'])('the types are complete with %s', async (resolution) => {
  await writeFile(join(home, 'consumer.ts'), CONSUMER);
  expect(await compile('consumer.ts', resolution)).toBe('');
});

test("a bot written with the SDK trades over a venue's connection", async () => {
  await runCommand('npm', [...INSTALL, await packClientCopy(folder, 'sdk')], { cwd: home });
  await writeFile(join(home, 'bot.ts'), BOT);
  expect(await compile('bot.ts', 'nodenext')).toBe('');
  expect(await runCommand(NODE, ['bot.ts'], { cwd: home })).toBe('filled\n');
});

/** Compiles a file with all checks, including those on declarations, and returns the errors. */
function compile(file: string, resolution: string): Promise<string> {
  const module = resolution === 'bundler' ? 'esnext' : 'nodenext';
  const roots = ['--typeRoots', join(REPOSITORY, 'node_modules/@types'), '--types', 'node'];
  const strict = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--target', 'ES2024'];
  const flags = ['--lib', 'ES2024,ESNext.Disposable', '--module', module];
  const tsc = join(REPOSITORY, 'node_modules/typescript/bin/tsc');
  const all = [tsc, ...strict, ...roots, ...flags, '--moduleResolution', resolution, file];
  return runCommand(NODE, all, { cwd: home });
}
