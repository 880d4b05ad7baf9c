import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLogger } from '../operate/log.ts';
import { Metrics } from '../operate/metrics.ts';
import { HttpEdge } from './http-edge.ts';
import { RateLimiter } from './rate-limiter.ts';
import { infoRefusal } from './reply.ts';

const LARGE = Buffer.from(
  JSON.stringify({ rows: Array.from({ length: 2_000 }, (_, id) => ({ id })) }),
);
const SMALL = Buffer.from('{"rows":[]}');
const ORIGIN = 'https://venue.example';

let edge: HttpEdge;
let port: number;

beforeAll(async () => {
  const limits = { info: 50, exchange: 10, explainSignature: 5, simulate: 10 };
  edge = new HttpEdge({
    endpoints: {
      '/info': {
        surface: 'info',
        refuse: infoRefusal,
        handle({ body }) {
          const bytes = body['type'] === 'large' ? LARGE : SMALL;
          return { status: 200, body: bytes.toString(), bytes };
        },
      },
    },
    limiter: new RateLimiter({ limits, now: () => performance.now(), enabled: false }),
    log: createLogger({ level: 'silent' }),
    metrics: new Metrics({ processMetrics: false }),
    clientIp: (peer) => peer ?? '',
    visitors: 'any',
  });
  port = await edge.listen(0, '127.0.0.1');
});
afterAll(() => edge.drain());

type Answer = { readonly encoding: string | undefined; readonly bytes: Buffer };

function ask(type: string, headers: Readonly<Record<string, string>>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { port, host: '127.0.0.1', path: '/info', method: 'POST', headers };
    const sent = request(options, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () =>
        resolve({ encoding: response.headers['content-encoding'], bytes: Buffer.concat(parts) }),
      );
    });
    sent.on('error', reject);
    sent.end(JSON.stringify({ type }));
  });
}

test('a large response to a web page is compressed', async () => {
  const headers = { origin: ORIGIN, 'accept-encoding': 'gzip, deflate, br' };
  const answers = await Promise.all([ask('large', headers), ask('large', headers)]);
  for (const { bytes, encoding } of answers) {
    expect(encoding).toBe('gzip');
    expect(bytes.length).toBeLessThan(LARGE.length / 3);
    expect(gunzipSync(bytes).equals(LARGE)).toBe(true);
  }
});

test.each<[string, string, Readonly<Record<string, string>>]>([
  ['for a program', 'large', { 'accept-encoding': 'gzip' }],
  ['for a page that accepts no gzip', 'large', { origin: ORIGIN }],
  ['for a page that excludes gzip', 'large', { origin: ORIGIN, 'accept-encoding': 'gzip;q=0, br' }],
  ['if it is short', 'small', { origin: ORIGIN, 'accept-encoding': 'gzip' }],
])('an answer is not compressed %s', async (_, type, headers) => {
  const { bytes, encoding } = await ask(type, headers);
  expect(encoding).toBeUndefined();
  expect(bytes.equals(type === 'large' ? LARGE : SMALL)).toBe(true);
});
