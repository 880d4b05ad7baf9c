import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { createLogger } from '@oddlot/host/log';
import { afterEach, describe, expect, test } from 'vitest';
import { originsOf, pagePolicy, SCREENS, WebPage } from './web-page.ts';

const HTML = { accept: 'text/html' };
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function aFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'oddlot-page-'));
  ends.push(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'assets'));
  await writeFile(join(folder, 'index.html'), '<meta name="style-nonce" content="" /><p>page</p>');
  await writeFile(join(folder, 'assets', 'a-1.js'), 'alert(1)');
  await writeFile(join(folder, 'assets', 'a-1.js.gz'), gzipSync('alert(1)'));
  await writeFile(join(folder, 'favicon.svg'), '<svg/>');
  await writeFile(join(folder, 'built-of.txt'), 'secret');
  return folder;
}

/** Starts a server with a page whose build finishes only when the test allows it. */
async function aPage({ isStarted = true } = {}) {
  const { promise, reject, resolve } = Promise.withResolvers<string>();
  let isStopped = false;
  const page = new WebPage({
    log: createLogger({ level: 'silent' }),
    connectOrigins: ['http://127.0.0.1:8693'],
    build: () => ({ done: promise, stop: () => void (isStopped = true) }),
  });
  const server = createServer((request, response) => {
    const answer = page.answer(request, request.url ?? '/');
    response.writeHead(answer?.status ?? 404, answer?.headers ?? {}).end(answer?.body);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  ends.push(() => server.close());
  if (isStarted) page.start();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const reply = await fetch(url + path, { headers });
    return { status: reply.status, headers: reply.headers, text: await reply.text() };
  };
  return { get, page, built: resolve, failed: reject, isStopped: () => isStopped };
}

async function eventually(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe('a notice is shown while the page is being built', () => {
  test('during the build, a notice reloads until the page is ready, and page files are not found', async () => {
    const { get } = await aPage();
    const { headers, status, text } = await get('/trade/BTC-USDC', HTML);
    expect([status, headers.get('refresh')]).toEqual([503, '1']);
    expect(text).toContain('The page is being built');
    expect((await get('/assets/a-1.js')).status).toBe(404);
  });

  test('the first request builds the page if no port has been opened yet', async () => {
    const { built, get } = await aPage({ isStarted: false });
    expect((await get('/', HTML)).status).toBe(503);
    built(await aFolder());
    await eventually(async () => (await get('/', HTML)).status === 200);
  });

  test('stopping the page also stops its build', async () => {
    const { isStopped, page } = await aPage();
    page.stop();
    expect(isStopped()).toBe(true);
  });

  test('a failed build is reported on the page, which then stops reloading', async () => {
    const { failed, get } = await aPage();
    failed(new Error('no room'));
    await eventually(async () => (await get('/', HTML)).text.includes('could not be built'));
    const { headers, status } = await get('/', HTML);
    expect([status, headers.get('refresh')]).toEqual([503, null]);
  });
});

describe('the page is served once it is built', () => {
  test('screen paths serve the page, file paths serve files, and other paths get a 404', async () => {
    const { built, get } = await aPage();
    built(await aFolder());
    await eventually(async () => (await get('/', HTML)).status === 200);
    expect((await get('/portfolio?tab=fills', HTML)).text).toContain('<p>page</p>');
    const script = await get('/assets/a-1.js', { 'accept-encoding': 'gzip, br' });
    expect([script.text, script.headers.get('content-encoding')]).toEqual(['alert(1)', 'gzip']);
    expect(script.headers.get('cache-control')).toContain('immutable');
    const icon = await get('/favicon.svg');
    expect([icon.text, icon.headers.get('cache-control')]).toEqual(['<svg/>', 'no-cache']);
    for (const path of ['/built-of.txt', '/assets/a-1.js.gz', '/index.html', '/portfolio']) {
      expect([path, (await get(path)).status]).toEqual([path, 404]);
    }
  });
});

describe('files are sent in the best encoding the client accepts', () => {
  test.each([
    ['gzip, br', 'gzip'],
    ['gzip;q=0', null],
    ['gzip; q=0.000, *', null],
    ['*', 'gzip'],
    ['*;q=0', null],
    ['GZIP;q=0.1', 'gzip'],
    ['x-gzip-like', null],
    ['', null],
  ])(
    'the file is sent in the encoding for accept-encoding %j, which is %j',
    async (accepted, expected) => {
      const { built, get } = await aPage();
      built(await aFolder());
      await eventually(async () => (await get('/', HTML)).status === 200);
      const { headers, text } = await get('/assets/a-1.js', { 'accept-encoding': accepted });
      expect([headers.get('content-encoding'), headers.get('vary')]).toEqual([
        expected,
        'accept-encoding',
      ]);
      expect(text).toBe('alert(1)');
    },
  );
});

describe('unknown paths are reported as missing', () => {
  test('an unknown path gets a 404, and browsers still see the page', async () => {
    const { built, get } = await aPage();
    built(await aFolder());
    await eventually(async () => (await get('/', HTML)).status === 200);
    for (const path of ['/nope', '/api/v1/bridge', '/metrics', '/tradex/BTC']) {
      const { status, text } = await get(path, HTML);
      expect([path, status, text.includes('<p>page</p>')]).toEqual([path, 404, true]);
    }
  });

  test('an unknown file path does not return the page', async () => {
    const { built, get } = await aPage();
    built(await aFolder());
    await eventually(async () => (await get('/', HTML)).status === 200);
    const paths = ['/assets/nope.js', '/assets/', '/.env', '/.git/config', '/robots.txt', '/sw.js'];
    for (const path of [...paths, '/nope.json', '/%00', '/%zz', '/..%5c..%5cetc/passwd']) {
      const { status, text } = await get(path, HTML);
      expect([path, status, text]).toEqual([path, 404, '']);
    }
  });

  test('the root path returns the page unless the client accepts only other types', async () => {
    const { built, get } = await aPage();
    built(await aFolder());
    await eventually(async () => (await get('/', HTML)).status === 200);
    const { headers, status } = await get('/', { accept: '*/*' });
    expect([status, headers.get('vary')]).toEqual([200, 'accept']);
    expect((await get('/', { accept: 'application/json' })).status).toBe(404);
  });
});

test('every screen of the page has a known path prefix', () => {
  const list = new URL('../../../web/src/app/screens.ts', import.meta.url);
  const paths = [...readFileSync(list, 'utf8').matchAll(/path: '([^']*)'/g)].map(
    ([, path = '']) => path,
  );
  const begins = paths.filter((path) => path !== '/').map((path) => path.split('/')[1]);
  expect([...new Set(begins)].sort()).toEqual([...SCREENS]);
});

describe('the content security policy restricts the page', () => {
  test('the policy allows the venue and the configured origins, and nothing unsafe', () => {
    const policy = pagePolicy('abc', ['http://127.0.0.1:8693']);
    expect(policy).toContain("connect-src 'self' http://127.0.0.1:8693;");
    expect(policy).toContain("style-src 'self' 'nonce-abc'");
    expect(policy).not.toContain('unsafe');
  });

  test.each([
    [['http://127.0.0.1:8693/rpc', 'http://127.0.0.1:8693'], ['http://127.0.0.1:8693']],
    [['https://rpc.example.org/key?x=1'], ['https://rpc.example.org']],
    [[undefined, 'nonsense', 'data:text/plain,x'], []],
    [["https://a.example'; script-src *"], []],
  ])('the origins of %j are extracted, without invalid ones', (urls, expected) => {
    expect(originsOf(urls)).toEqual(expected);
  });
});
