import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { build, type Rolldown } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sampledCases } from '../support/sampled-cases.ts';
import { freshSeed } from '../support/fresh-seed.ts';
import { seededRandom } from '../support/seeded.ts';
import { NODE, REPOSITORY, Venue } from '../support/venue-process.ts';
import { nodeOf } from './node-releases.ts';
import { packClientCopy } from './pack-client-copy.ts';
import { packageProblems, typesReport } from './registry-checks.ts';
import { runCommand } from './run-command.ts';

/**
 * Goal: the SDK's tarball is usable without this repository. Method: pack the SDK as for a release,
 * install it in an empty folder, and use it there with a real venue.
 */

const random = seededRandom(freshSeed('PACK_SEED'));
/** Supported Node versions. Each run tests one of them, and `npm run test:long` tests all. */
const MAJORS = sampledCases([20, 22, 24], 1, random);

/** Code written by a TypeScript user. */
const CONSUMER = `
import { ApiError, createClient, privateKeyWallet, type OrderUpdate } from '@oddlot/sdk';
import { cancelAll, createSender } from '@oddlot/sdk/actions';
const wallet = privateKeyWallet('0x11');
const client = createClient({ url: 'https://venue', network: 'example.org-3fa9c1d2', wallet });
const t = { limit: { tif: 'Gtc' } } as const;
export async function go(): Promise<string> {
  const { universe } = await client.info.perpMeta();
  const order = { a: universe[0]!.index, b: true, p: '1', s: '1', r: false, t };
  const reply = await client.exchange.order({ orders: [order] }, { confirm: 'executed' });
  if (reply.status === 'executed') return reply.orders[0]!.state;
  // @ts-expect-error a price is a string
  await client.exchange.order({ orders: [{ ...order, p: 1 }] });
  for await (const event of client.streams.orderUpdates({ user: '0x' })) {
    if (event.type === 'data') event.data satisfies OrderUpdate[];
  }
  await cancelAll(createSender({ url: 'https://venue', network: 'testnet', wallet }));
  return new ApiError({ code: 1, message: '', httpStatus: 200, response: {} }).name;
}`;

type Vector = { readonly name: string; readonly txHash: string };

let folder: string;
/** An external user's folder with the installed tarball. */
let home: string;
let tarball: string;
let venue: Venue;
let vector: Vector;
const nodes = new Map<number, string>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'oddlot-pack-'));
  home = join(folder, 'home');
  const vectors = await readFile(join(REPOSITORY, 'tests/vectors/signing.json'), 'utf8');
  vector = (JSON.parse(vectors) as { cases: Vector[] }).cases.find(
    ({ name }) => name === 'order-gtc',
  )!;
  const find = async (major: number) => nodes.set(major, await nodeOf(major));
  await Promise.all([
    Venue.start().then((started) => (venue = started)),
    packClientCopy(folder, 'sdk').then(installAtHome),
    ...MAJORS.map(find),
  ]);
});

afterAll(async () => {
  await venue?.remove();
  await rm(folder, { recursive: true, force: true });
});

async function installAtHome(packed: string): Promise<void> {
  tarball = packed;
  await mkdir(home);
  await writeFile(join(home, 'package.json'), '{"private":true,"type":"module"}');
  const flags = ['--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts'];
  await runCommand('npm', ['install', ...flags, tarball], { cwd: home });
  await copyFile(join(import.meta.dirname, 'scenario.mjs'), join(home, 'scenario.mjs'));
  await writeFile(join(home, 'consumer.ts'), CONSUMER);
}

test('the tarball contains JavaScript, declarations, licence and readme, and no workspace files', async () => {
  const own = join(home, 'node_modules', '@oddlot');
  const entries = await readdir(own, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const built = paths.filter((path) => /\/sdk\/dist\/npm\/.*\.(?:js|d\.ts)$/.test(path));
  const others = paths.filter((path) => !built.includes(path));
  expect(others.map((path) => relative(own, path)).sort()).toEqual([
    'sdk/LICENSE',
    'sdk/NOTICE',
    'sdk/README.md',
    'sdk/no-ws.js',
    'sdk/package.json',
  ]);
  expect(built.filter((path) => /\.test\.|\/testing\//.test(path))).toEqual([]);
  for (const path of built) {
    expect(await readFile(path, 'utf8'), path).not.toMatch(/(?:from|import\()\s*['"]@oddlot\//);
  }
  const manifest = JSON.parse(await readFile(join(own, 'sdk', 'package.json'), 'utf8'));
  const names = Object.keys(manifest.dependencies as object);
  expect(names).toEqual(['@noble/curves', '@noble/hashes', 'ws', 'zod']);
  expect(manifest).not.toHaveProperty('private');
  expect(manifest).not.toHaveProperty('scripts');
});

test("a registry's checks find no problems in the tarball", async () => {
  expect(await packageProblems(tarball)).toEqual([]);
});

test('every kind of project that can import the SDK can resolve its types', async () => {
  const entryPoints = ['.', './actions', './package.json'];
  expect(await typesReport(tarball)).toEqual({ entryPoints, problems: [] });
});

test('the SDK does not include code that only the venue needs', async () => {
  const files = await readdir(join(home, 'node_modules/@oddlot/sdk'), { recursive: true });
  for (const name of files.filter((file) => file.endsWith('.js'))) {
    const text = await readFile(join(home, 'node_modules/@oddlot/sdk', name), 'utf8');
    expect(text, name).not.toMatch(/from ["']zod["']/);
  }
});

test.each(MAJORS)('the SDK trades and subscribes on Node %i', async (major) => {
  const program = `import { run } from './scenario.mjs';
    console.log(JSON.stringify(await run(JSON.parse(process.argv[1]))));`;
  const given = JSON.stringify({ url: venue.url, vector });
  const node = nodes.get(major)!;
  expect(await runCommand(node, ['-v'], { cwd: home })).toMatch(new RegExp(`^v${major}\\.`));
  const flags = ['--input-type=module', '--eval', program, given];
  const answer = JSON.parse(await runCommand(node, flags, { cwd: home, timeoutMs: 30_000 }));
  expect(answer).toEqual({
    txHash: vector.txHash,
    name: 'ETH-USDC',
    state: 'open',
    isReceived: true,
    // Node 20 has no WebSocket, so the SDK uses `ws` there.
    hasOwnSocket: major > 20,
  });
});

const CONSUMERS: readonly (readonly [string, readonly string[]])[] = [
  ['a page', ['--lib', 'ES2022,DOM', '--types', '', '--module', 'esnext', '--moduleResolution']],
  [
    'a program',
    ['--lib', 'ES2022', '--types', 'node', '--module', 'nodenext', '--moduleResolution'],
  ],
];

test.concurrent.each(sampledCases(CONSUMERS, 1, random))(
  "the SDK's types are complete in %s",
  async (kind, flags) => {
    const resolution = kind === 'a page' ? 'bundler' : 'nodenext';
    const tsc = join(REPOSITORY, 'node_modules/typescript/bin/tsc');
    const strict = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--target', 'ES2022'];
    const roots = ['--typeRoots', join(REPOSITORY, 'node_modules/@types')];
    const all = [tsc, ...strict, ...roots, ...flags, resolution, 'consumer.ts'];
    expect(await runCommand(NODE, all, { cwd: home })).toBe('');
  },
);

test('a browser bundle of the SDK needs no Node modules', async () => {
  await writeFile(
    join(home, 'page.js'),
    `import { run } from './scenario.mjs';\nglobalThis.answer = run(JSON.parse(globalThis.given)).then(JSON.stringify);\n`,
  );
  const code = await bundled(join(home, 'page.js'));
  expect(code).not.toMatch(/["'`]node:|\brequire\s*\(\s*["'`]/);
  // The sandbox has only the globals that every browser has: no process, no Buffer, no module
  // loader.
  const page = {
    given: JSON.stringify({ url: venue.url, vector }),
    answer: undefined as Promise<string> | undefined,
    fetch,
    WebSocket,
    URL,
    TextEncoder,
    TextDecoder,
    AbortController,
    crypto,
    setTimeout,
    clearTimeout,
    queueMicrotask,
    performance,
  };
  runInContext(code, createContext(page));
  const answer = JSON.parse((await page.answer)!);
  expect(answer).toMatchObject({ txHash: vector.txHash, state: 'open', isReceived: true });
});

async function bundled(entry: string): Promise<string> {
  const lib = { entry, formats: ['iife' as const], name: 'page' };
  const options = { write: false, minify: false, target: 'es2022', lib };
  const built = await build({ root: home, configFile: false, logLevel: 'error', build: options });
  const outputs = [built].flat() as Rolldown.RolldownOutput[];
  const chunks = outputs.flatMap(({ output }) => output);
  expect(chunks.length).toBe(1);
  return chunks[0]!.type === 'chunk' ? chunks[0]!.code : '';
}
