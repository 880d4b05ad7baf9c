import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FIXED_PRICE_FLAGS, Venue } from '../support/venue-process.ts';
import { workerVenue } from './support/worker-venue.ts';

/** Checks how the venue serves its page, over plain HTTP and without a browser. */

type Icon = {
  readonly src: string;
  readonly sizes: string;
  readonly type: string;
  readonly purpose: string;
};

const HTML = { accept: 'text/html,application/xhtml+xml' };

let venue: Venue;
let bare: Venue;

beforeAll(async () => {
  [venue, bare] = await Promise.all([
    workerVenue(),
    Venue.start([...FIXED_PRICE_FLAGS, '--no-web']),
  ]);
});
afterAll(() => bare?.remove());

async function get(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const reply = await fetch(venue.url + path, { headers, method });
  return { status: reply.status, headers: reply.headers, text: await reply.text() };
}

/** Returns the path of the first script named in the page. */
async function scriptPath(): Promise<string> {
  const { text } = await get('/', HTML);
  return /src="(\/assets\/[^"]+\.js)"/.exec(text)![1]!;
}

describe('the venue serves its page', () => {
  test("the page is served at every screen's address and never from an old copy", async () => {
    for (const path of ['/', '/trade/BTC-USDC', '/events/some-event?tab=rules']) {
      const { headers, status, text } = await get(path, HTML);
      expect([path, status, headers.get('content-type')]).toEqual([
        path,
        200,
        'text/html; charset=utf-8',
      ]);
      expect(headers.get('cache-control')).toBe('no-cache');
      expect(text).toContain('<div id="root">');
    }
  });

  test('the page can run only its own files, connect only to its own venue, and must not be framed', async () => {
    const { headers, text } = await get('/', HTML);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'self'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(text.match(/<script(?![^>]*\bsrc=)/)).toBeNull();
    expect(text.match(/<style/)).toBeNull();
  });

  test('the nonce for styles differs for every request, and the page includes it', async () => {
    const nonces = await Promise.all(
      [0, 1].map(async () => {
        const { headers, text } = await get('/', HTML);
        const nonce = /'nonce-([^']+)'/.exec(headers.get('content-security-policy') ?? '')![1]!;
        expect(text).toContain(`name="style-nonce" content="${nonce}"`);
        return nonce;
      }),
    );
    expect(new Set(nonces).size).toBe(2);
  });

  test('files are named by their content, cached permanently, and compressed if the client accepts it', async () => {
    const path = await scriptPath();
    for (const encoding of ['br', 'gzip']) {
      const { headers, status } = await get(path, { 'accept-encoding': encoding });
      expect([status, headers.get('content-encoding')]).toEqual([200, encoding]);
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    }
    const plain = await get(path, { 'accept-encoding': 'identity' });
    expect(plain.headers.get('content-encoding')).toBeNull();
    const head = await get(path, { 'accept-encoding': 'identity' }, 'HEAD');
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(plain.text)));
  });

  test("the page names its screen's scripts, so that a browser requests them in parallel", async () => {
    const scriptsAt = async (path: string): Promise<readonly string[]> => {
      const { text } = await get(path, HTML);
      return [...text.matchAll(/rel="modulepreload" crossorigin href="([^"]+)"/g)].map(
        ([, script]) => script!,
      );
    };
    const [front, trade, unknown] = await Promise.all(
      ['/', '/trade/BTC-USDC', '/nope'].map(scriptsAt),
    );
    expect(front!.some((path) => path.startsWith('/assets/markets-screen-'))).toBe(true);
    expect(trade!.some((path) => path.startsWith('/assets/trade-screen-'))).toBe(true);
    expect(unknown!.some((path) => path.includes('-screen-'))).toBe(false);
    for (const path of new Set([...front!, ...trade!])) {
      expect([path, (await get(path)).status]).toEqual([path, 200]);
    }
  });

  test('a client with a current copy of the page or of a file is not sent it again', async () => {
    for (const path of ['/', '/trade/BTC-USDC', '/favicon.svg', '/manifest.webmanifest']) {
      const first = await get(path, HTML);
      const tag = first.headers.get('etag')!;
      expect(tag).toMatch(/^"[^"]+"$/);
      const again = await get(path, { ...HTML, 'if-none-match': `"other", W/${tag}` });
      expect([path, again.status, again.text]).toEqual([path, 304, '']);
      expect(again.headers.get('etag')).toBe(tag);
      expect(again.headers.get('vary')).toBe(first.headers.get('vary'));
      // The cached copy keeps its nonce.
      expect(again.headers.get('content-security-policy')).toBe(
        first.headers.get('content-security-policy'),
      );
      const other = await get(path, { ...HTML, 'if-none-match': '"other"' });
      expect([path, other.status]).toEqual([path, 200]);
    }
  });

  test('another encoding or another screen has different bytes and a different entity tag', async () => {
    const path = await scriptPath();
    const tags = await Promise.all(
      ['br', 'gzip', 'identity'].map(async (encoding) => {
        const { headers } = await get(path, { 'accept-encoding': encoding });
        return headers.get('etag');
      }),
    );
    expect(new Set(tags).size).toBe(3);
    const front = (await get('/', HTML)).headers.get('etag')!;
    expect((await get('/trade/BTC-USDC', { ...HTML, 'if-none-match': front })).status).toBe(200);
    const forged = front.replace(/\..*"$/, `.' *; script-src *"`);
    expect((await get('/', { ...HTML, 'if-none-match': forged })).status).toBe(200);
  });

  test('a range request gets the whole file, with a header saying that ranges are not supported', async () => {
    const { headers, status, text } = await get('/favicon.svg', { range: 'bytes=0-3' });
    expect([status, headers.get('accept-ranges')]).toEqual([200, 'none']);
    expect(headers.get('content-range')).toBeNull();
    expect(headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
  });

  test('the page can be installed as an app', async () => {
    const { headers, text } = await get('/manifest.webmanifest');
    expect(headers.get('content-type')).toBe('application/manifest+json');
    const { display, icons, id, name, scope, start_url } = JSON.parse(text);
    expect({ display, id, name, scope, start_url }).toEqual({
      display: 'standalone',
      id: '/',
      name: 'Oddlot',
      scope: '/',
      start_url: '/',
    });
    const offered = icons.map(({ purpose, sizes }: Icon) => `${sizes} ${purpose}`);
    expect(offered).toEqual(['any any', '192x192 any', '512x512 any', '512x512 maskable']);
    for (const { sizes, src, type } of icons as readonly Icon[]) {
      const reply = await fetch(venue.url + src);
      expect([src, reply.status, reply.headers.get('content-type')]).toEqual([src, 200, type]);
      if (type !== 'image/png') continue;
      // A PNG's width and height are in its first chunk.
      const bytes = Buffer.from(await reply.arrayBuffer());
      expect([src, `${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`]).toEqual([src, sizes]);
    }
    const page = await get('/', HTML);
    expect(page.text).toContain('rel="manifest" href="/manifest.webmanifest"');
    // The browser must notice a new worker, so it may not use a cached copy.
    const worker = await get('/worker.js');
    expect([worker.status, worker.headers.get('cache-control')]).toEqual([200, 'no-cache']);
    expect(worker.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect((await get(await scriptPath())).text).toContain('/worker.js');
  });
});

describe('the API and the page share a port', () => {
  test('requests for other content types do not get the page', async () => {
    for (const path of ['/nope', '/assets/nope.js', '/info/x']) {
      const { status, text } = await get(path);
      expect([path, status, text]).toEqual([path, 404, '{"message":"Not found"}']);
    }
    const posted = await get('/', HTML, 'POST');
    expect(posted.status).toBe(404);
    expect((await get('/info', HTML)).status).toBe(405);
    expect((await get('/ws', HTML)).status).toBe(426);
    // A browser that opens this path gets the screen. All other clients get the API endpoint.
    expect((await get('/account', HTML)).headers.get('content-type')).toContain('text/html');
    expect((await get('/account')).status).toBe(405);
    expect((await get('/openapi.json', HTML)).headers.get('content-type')).toContain('json');
    for (const path of ['/../package.json', '/assets/..%2f..%2fpackage.json', '/built-of.txt']) {
      expect((await get(path)).status).toBe(404);
    }
  });

  test('a venue with --no-web serves no web pages', async () => {
    const reply = await fetch(bare.url, { headers: HTML });
    expect([reply.status, await reply.text()]).toEqual([404, '{"message":"Not found"}']);
  });
});
