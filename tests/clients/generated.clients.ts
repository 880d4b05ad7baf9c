import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createHasher, NETWORKS, privateKeyWallet, signAction } from '@oddlot/sdk';
import { startVenue, type TestVenue } from '@oddlot/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';

/**
 * Goal: clients that public generators create from /openapi.json are usable. Method: each client is
 * generated from the document that a venue serves. A program that uses its types is compiled,
 * places an order and reads it back.
 */

const bin = (name: string): string => join(import.meta.dirname, 'node_modules/.bin', name);

let venue: TestVenue;
let folder: string;
const key = `0x${'47'.repeat(32)}` as const;
const wallet = privateKeyWallet(key);
beforeAll(async () => {
  venue = await startVenue({ ports: true, time: Date.now() });
  await venue.fund(wallet.address, { perp: '10000' });
  folder = mkdtempSync(join(tmpdir(), 'oddlot-generated-'));
  symlinkSync(join(import.meta.dirname, 'node_modules'), join(folder, 'node_modules'));
  const document = await (await fetch(`${venue.url}/openapi.json`)).text();
  writeFileSync(join(folder, 'openapi.json'), document);
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
});
afterAll(async () => {
  await venue.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Returns a signed order that rests, as a request body for /exchange. */
async function signedOrder(price: string): Promise<string> {
  const order = {
    a: 1,
    b: true,
    p: price,
    s: '0.01',
    r: false,
    t: { limit: { tif: 'Gtc' as const } },
  };
  const action = { type: 'order', grouping: 'na', orders: [order] } as const;
  const signed = await signAction(
    action,
    { nonce: Date.now() + Number(price), confirm: 'executed' },
    { hasher: createHasher(NETWORKS.testnet), wallet },
  );
  return signed.body;
}

/** Compiles a program in strict mode and returns the function it exports. */
async function compiled(
  name: string,
  text: string,
): Promise<(url: string, body: string) => unknown> {
  writeFileSync(join(folder, `${name}.ts`), text);
  const options = ['--strict', '--target', 'es2022', '--module', 'nodenext', '--skipLibCheck'];
  const paths = ['--outDir', join(folder, `${name}-out`), join(folder, `${name}.ts`)];
  try {
    execFileSync(bin('tsc'), [...options, ...paths], { cwd: folder });
  } catch (error) {
    throw new Error(String((error as { stdout: Buffer }).stdout), { cause: error });
  }
  const module = await import(pathToFileURL(join(folder, `${name}-out`, `${name}.js`)).href);
  return module.run;
}

const RESULT = { state: 'open', resting: 1, bids: expect.any(Number) as number };

test(
  'openapi-typescript and openapi-fetch create a usable client',
  { timeout: 120_000 },
  async () => {
    execFileSync(bin('openapi-typescript'), ['openapi.json', '-o', 'schema.d.ts'], { cwd: folder });
    const run = await compiled(
      'fetching',
      `import createClient from 'openapi-fetch';
import type { components, paths } from './schema.js';

type Schemas = components['schemas'];

export async function run(url: string, text: string) {
  const client = createClient<paths>({ baseUrl: url });
  const body: Schemas['ExchangeRequest'] = JSON.parse(text);
  const { data: reply } = await client.POST('/exchange', { body });
  if (reply === undefined || !('data' in reply)) throw new Error(JSON.stringify(reply));
  const state = reply.data.data.orders?.[0]?.state;
  const query: Schemas['FrontendOpenOrdersQuery'] = { type: 'frontendOpenOrders', user: '${wallet.address}' };
  const orders = (await client.POST('/info', { body: query })).data as Schemas['FrontendOpenOrdersResponse'];
  const book = (await client.POST('/info', { body: { type: 'l2Book', coin: '1' } })).data as Schemas['L2BookResponse'];
  const wrong: Schemas['Action'] = {
    type: 'order',
    // @ts-expect-error This grouping does not exist.
    grouping: 'none',
    orders: [],
  };
  void wrong;
  return { state, resting: orders.data.length, bids: book.data.levels[0].length };
}
`,
    );
    expect(await run(venue.url, await signedOrder('90000'))).toEqual(RESULT);
  },
);

test('@hey-api/openapi-ts creates a usable client', { timeout: 120_000 }, async () => {
  // Node requires file extensions in imports.
  const output = { path: 'heyapi', importFileExtension: '.js' };
  const config = `export default ${JSON.stringify({ input: 'openapi.json', output })};`;
  writeFileSync(join(folder, 'openapi-ts.config.js'), config);
  execFileSync(bin('openapi-ts'), ['--silent'], { cwd: folder });
  const run = await compiled(
    'generated',
    `import { createClient, createConfig } from './heyapi/client/index.js';
import { exchange, info } from './heyapi/sdk.gen.js';
import type { ExchangeRequest, FrontendOpenOrdersResponse, L2BookResponse } from './heyapi/types.gen.js';

export async function run(url: string, text: string) {
  const client = createClient(createConfig({ baseUrl: url as '/' }));
  const body: ExchangeRequest = JSON.parse(text);
  const { data: reply } = await exchange({ client, body });
  if (reply === undefined || !('data' in reply)) throw new Error(JSON.stringify(reply));
  const state = reply.data.data.orders?.[0]?.state;
  const orders = (await info({ client, body: { type: 'frontendOpenOrders', user: '${wallet.address}' } }))
    .data as FrontendOpenOrdersResponse;
  const book = (await info({ client, body: { type: 'l2Book', coin: '1' } })).data as L2BookResponse;
  return { state, resting: orders.data.length, bids: book.data.levels[0].length };
}
`,
  );
  await venue.client(wallet).exchange.cancelAll({}, { confirm: 'executed' });
  expect(await run(venue.url, await signedOrder('90001'))).toEqual(RESULT);
});
