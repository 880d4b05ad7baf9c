import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual, promisify } from 'node:util';
import { randomPrivateKey } from '@oddlot/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { entriesOf, type Entry } from '../../packages/site/src/reference.ts';
import { readSources } from '../../packages/site/src/sources.ts';
import { samplesOf } from '../../packages/site/src/samples-of.ts';
import type { Json } from '../support/client.ts';
import { FIXED_PRICE_FLAGS, HOLDING, NODE, REPOSITORY, Venue } from '../support/venue-process.ts';
import { recordingProxy, type Recorded } from './recording-proxy.ts';

/**
 * Goal: the site's TypeScript samples compile, and send exactly the recorded requests, which a
 * venue accepts or rejects only because of its state. The Python samples have the same test in
 * `python/tests/test_samples.py`.
 */

const SOURCES = readSources(REPOSITORY);
const ENTRIES = entriesOf(SOURCES);

type Sample = { readonly name: string; readonly kind: Entry['kind']; readonly code: string };

const SAMPLES = ENTRIES.flatMap(({ kind, name, text }): Sample[] =>
  [...text.matchAll(/^TypeScript:\n\n```ts\n([^]*?)^```$/gm)].map(([, code = ''], index) => ({
    name: `${kind}-${name}-${index}`,
    kind,
    code,
  })),
);

/** The reference's recorded requests: the bodies of queries, actions and subscriptions. */
const RECORDED = [...SOURCES.pages]
  .filter(([path]) => /^docs\/reference\/(?:exchange|info-\w+|streams)\.md$/.test(path))
  .flatMap(([, page]) => [...samplesOf(page).values()].flat())
  .filter(({ label }) => /^(?:Request|Subscribe)/.test(label))
  .map(({ value }) => value as Json);

/** Errors caused by a request itself rather than by the venue's state. */
const WRONG_REQUEST = ['BAD_REQUEST', 'NOT_ALLOWED', 'MISMATCH', 'BAD_NONCE', 'VERSION'];

let folder: string;
let venue: Venue;
let proxy: Awaited<ReturnType<typeof recordingProxy>>;

beforeAll(async () => {
  // The folder is inside the repository, so that the samples find the repository's packages.
  const parent = join(REPOSITORY, 'dist');
  await mkdir(parent, { recursive: true });
  folder = await mkdtemp(join(parent, 'samples-'));
  venue = await Venue.start([...FIXED_PRICE_FLAGS, ...HOLDING, '--no-web']);
  proxy = await recordingProxy(venue);
  for (const { code, name } of SAMPLES) {
    const module = code.includes('import ') ? code : `${code}\nexport {};\n`;
    await writeFile(
      join(folder, `${name}.ts`),
      module.replaceAll('http://127.0.0.1:8690', proxy.url),
    );
  }
});
afterAll(async () => {
  proxy?.close();
  await venue?.remove();
  await rm(folder, { recursive: true, force: true });
});

test('all TypeScript samples compile', async () => {
  expect(SAMPLES.length).toBeGreaterThan(ENTRIES.length);
  const settings = {
    extends: join(REPOSITORY, 'tsconfig.base.json'),
    compilerOptions: {
      noEmit: true,
      composite: false,
      incremental: false,
      noUnusedLocals: false,
      lib: ['ES2024', 'DOM'],
      types: ['node'],
    },
    include: ['*.ts'],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(settings));
  const tsc = join(REPOSITORY, 'node_modules/.bin/tsc');
  const checked = promisify(execFile)(tsc, ['-p', folder], { cwd: folder });
  expect(
    await checked.then(
      () => '',
      ({ stdout }: { stdout: string }) => stdout,
    ),
  ).toBe('');
});

describe('the samples send the recorded requests', () => {
  test('the samples send every recorded request, and the venue reports none of them as invalid', async () => {
    await runSamples();
    const missing = RECORDED.filter(
      (request) => !proxy.records.some((each) => isSame(each, request)),
    );
    expect(missing).toEqual([]);
    const wrong = proxy.records.filter(({ answer }) => WRONG_REQUEST.includes(answer?.name));
    expect(wrong).toEqual([]);
  });
});

/** Runs the actions one after another, because they share a signer, and then all other samples. */
async function runSamples(): Promise<void> {
  const files = (kind: Entry['kind']): string[] =>
    SAMPLES.filter((each) => each.kind === kind).map(({ name }) => `./${name}.ts`);
  const program = `
    for (const file of ${JSON.stringify(files('action'))}) await import(file).catch(() => undefined);
    await Promise.allSettled(${JSON.stringify(files('query'))}.map((file) => import(file)));
    for (const file of ${JSON.stringify(files('channel'))}) void import(file).catch(() => undefined);
    process.stdout.write('sent');
  `;
  await writeFile(join(folder, 'run.ts'), program);
  const [ODDLOT_KEY, ODDLOT_KEY_2] = [randomPrivateKey(), randomPrivateKey()];
  const env = { ...process.env, ODDLOT_KEY, ODDLOT_KEY_2 };
  const child = spawn(NODE, [join(folder, 'run.ts')], { cwd: folder, env, stdio: 'ignore' });
  try {
    const channels = SAMPLES.filter(({ kind }) => kind === 'channel').length;
    const subscribed = () => proxy.records.filter(({ sent }) => sent.method === 'subscribe');
    await expect
      .poll(() => subscribed().length, { timeout: 100_000 })
      .toBeGreaterThanOrEqual(channels);
  } finally {
    child.kill();
  }
}

/** Signatures, nonces, expiries and a wrapper's signers differ in each run. */
function isSame({ sent }: Recorded, recorded: Json): boolean {
  if (recorded.action === undefined) return isDeepStrictEqual(sent, recorded);
  if (sent.action === undefined || sent.confirm !== recorded.confirm) return false;
  return isDeepStrictEqual(comparable(sent.action), comparable(recorded.action));
}

function comparable({ nonce: _, ...action }: Json): Json {
  if (action.type !== 'multiSig') return action;
  const { payload, signatures, type } = action;
  const { outerSigner: _sender, ...rest } = payload;
  return { type, signatures: signatures.length, payload: rest };
}
