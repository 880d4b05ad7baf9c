import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { relayOf } from '../support/relay.ts';
import { FIXED_PRICE_FLAGS, Venue } from '../support/venue-process.ts';

/**
 * Sends the requests that a page on another site could send from a browser with access to a venue's
 * ports.
 */

let venue: Venue;
const urls: Record<string, string> = {};
beforeAll(async () => {
  const names = ['--host-names', 'ops.example.internal', '--serve-log'];
  venue = await Venue.start([...FIXED_PRICE_FLAGS, '--chain', 'local', '--relay', ...names]);
  const { url: relay } = await relayOf(venue.url);
  const settings = await fetch(`${venue.url}/info`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"type":"settings"}',
  });
  const { data } = (await settings.json()) as { data: { settlement_rpc_url: string } };
  Object.assign(urls, {
    operations: venue.operations,
    relay,
    chain: data.settlement_rpc_url,
    public: venue.url,
  });
});
afterAll(async () => {
  await venue.remove();
});

type Asked = { readonly host?: string; readonly origin?: string };

/** The request uses node:http, because `fetch` cannot set the Host header. */
function status(port: string, [method, path]: readonly string[], headers: Asked): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = { method: method!, agent: false, headers: { ...headers } };
    const sent = request(new URL(path!, urls[port]), options, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode!));
    });
    sent.once('error', reject);
    sent.end(method === 'POST' ? '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}' : '');
  });
}

const REBOUND: Asked = { host: 'evil.example:8692' };
const REBOUND_POST: Asked = { ...REBOUND, origin: 'http://evil.example:8692' };

test.each([
  ['operations', 'GET', '/healthz', 200],
  ['operations', 'GET', '/readyz', 200],
  ['operations', 'GET', '/metrics', 200],
  ['operations', 'GET', '/settlement', 200],
  ['operations', 'GET', '/log?from=1', 200],
  ['operations', 'POST', '/snapshot', 200],
  ['operations', 'POST', '/pegs', 400],
  ['relay', 'GET', '/api/v1/bridge/chains', 200],
  ['chain', 'POST', '/', 200],
])(
  'the %s port answers %s %s, but answers 403 to pages of other sites',
  async (port, method, path, ok) => {
    const asked = [method, path];
    expect(await status(port, asked, {})).toBe(ok);
    expect(await status(port, asked, { host: 'localhost:1' })).toBe(ok);
    for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1:1']) {
      expect([origin, await status(port, asked, { origin })]).toEqual([origin, 403]);
    }
    expect(await status(port, asked, REBOUND_POST)).toBe(403);
    if (method === 'GET') expect(await status(port, asked, REBOUND)).toBe(403);
  },
);

test('a venue accepts the host names in `hostNames`', async () => {
  const asked = ['GET', '/metrics'];
  expect(await status('operations', asked, { host: 'ops.example.internal:8692' })).toBe(200);
  expect(await status('operations', asked, { host: 'other.example.internal:8692' })).toBe(403);
});

test('the public port accepts requests from pages on other sites', async () => {
  expect(await status('public', ['POST', '/info'], { ...REBOUND_POST })).toBe(400);
});
