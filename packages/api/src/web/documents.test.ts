import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createLogger } from '@oddlot/host/log';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startEdge, type TestEdge } from '@oddlot/testing/venue/http/test-edge';
import { openDocuments } from './documents.ts';

const BROWSER = { accept: 'text/html,application/xhtml+xml' };
const edges: TestEdge[] = [];
afterEach(() => Promise.all(edges.splice(0).map((edge) => edge.close())));

const SITE = new URL('../../../site/', import.meta.url);
const BUILT = fileURLToPath(new URL('dist/site', SITE));
const BUILD_MS_MAX = 300_000;

beforeAll(async () => {
  const command = fileURLToPath(new URL('build/build-site.ts', SITE));
  await promisify(execFile)(process.execPath, [command, '--if-stale']);
}, BUILD_MS_MAX);

const buildOf = (done: Promise<string>) => () => ({ done, stop: () => undefined });

/** Serves the documents of this repository. */
async function serve({ build = buildOf(Promise.resolve(BUILT)) } = {}) {
  const documents = await openDocuments({ log: createLogger({ level: 'silent' }), build });
  const edge = await startEdge({ edge: { documents } });
  edges.push(edge);
  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(`http://127.0.0.1:${edge.port}${path}`, { headers, method });
  return { documents, get };
}

async function serveBuilt() {
  const served = await serve();
  await expect.poll(async () => (await served.get('/docs')).status).toBe(200);
  return served;
}

describe('the documentation site is served under /docs', () => {
  test('a page is sent to browsers as HTML, and to clients that request it as Markdown', async () => {
    const { get } = await serveBuilt();
    for (const path of ['/docs/errors', '/docs/errors/']) {
      const page = await get(path, BROWSER);
      expect([page.status, page.headers.get('content-type')]).toEqual([
        200,
        'text/html; charset=utf-8',
      ]);
      expect(await page.text()).toContain('<h1>Errors</h1>');
    }
    const markdown = await (await get('/docs/errors.md')).text();
    expect(markdown).toMatch(/^# Errors\n/);
    const asked = await get('/docs/errors', { accept: 'text/markdown' });
    expect(asked.headers.get('vary')).toBe('accept, accept-encoding');
    expect(await asked.text()).toBe(markdown);
  });

  test('a page can run only its own files and cannot be framed', async () => {
    const { get } = await serveBuilt();
    const { headers } = await get('/docs', BROWSER);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-frame-options')).toBe('DENY');
  });

  test('an unknown address under /docs returns a page with status 404', async () => {
    const { get } = await serveBuilt();
    const missing = await get('/docs/no/such-page', BROWSER);
    expect([missing.status, await missing.text()]).toEqual([
      404,
      expect.stringContaining('Page not found'),
    ]);
    for (const path of ['/docs/no.md', '/docs/../package.json', '/docs/%2e%2e/package.json']) {
      expect([path, (await get(path, { accept: '*/*' })).status]).toEqual([path, 404]);
    }
    expect((await get('/docs', {}, 'POST')).status).toBe(404);
  });

  test('until the site is built, responses ask clients to try again', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const { get } = await serve({ build: buildOf(promise) });
    const early = await get('/docs/errors', BROWSER);
    expect([early.status, early.headers.get('retry-after')]).toEqual([503, '1']);
    // The API descriptions do not need a build.
    expect((await get('/openapi.json')).status).toBe(200);
    resolve(BUILT);
    await expect.poll(async () => (await get('/docs/errors', BROWSER)).status).toBe(200);
  });
});

describe('serving documents for programs', () => {
  test.each([
    ['/openapi.json', 'openapi', '3.1.0'],
    ['/asyncapi.json', 'asyncapi', '3.0.0'],
  ])('%s is JSON that pages of any origin can read', async (path, key, version) => {
    const { get } = await serve();
    const response = await get(path, { origin: 'https://tools.example' });
    expect(response.headers.get('content-type')).toContain('application/json');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(await response.json()).toMatchObject({ [key]: version });
  });

  test('every address that /llms.txt lists is served', async () => {
    const { get } = await serveBuilt();
    const response = await get('/llms.txt', { origin: 'https://tools.example' });
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    const links = [...(await response.text()).matchAll(/\]\((\/[^)]+)\)/g)].map(
      ([, path]) => path!,
    );
    expect(links.length).toBeGreaterThan(190);
    for (const path of links) expect([path, (await get(path)).status]).toEqual([path, 200]);
  });

  test.each(['/openapi.json', '/llms.txt', '/docs/errors'])(
    'a client that has the current text of %s gets a 304',
    async (path) => {
      const { get } = await serveBuilt();
      const first = await get(path);
      const tag = first.headers.get('etag')!;
      expect(tag).toMatch(/^".+"$/);
      const again = await get(path, { 'if-none-match': tag });
      expect([again.status, await again.text()]).toEqual([304, '']);
    },
  );
});
