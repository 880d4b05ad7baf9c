import type { ExchangeClient } from '@nktkas/hyperliquid';
import { testKey } from '@oddlot/testing/venue/http/client';
import { hyperliquidBody } from '@oddlot/testing/venue/http/hyperliquid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HttpLog } from '../../packages/audit/src/follow/http-log.ts';
import { verifyFolder } from '../../packages/audit/src/verify/verify-folder.ts';
import { verifyLog } from '../../packages/audit/src/verify/verify-log.ts';
import { Client } from '../support/client.ts';
import { FIXED_PRICE_FLAGS, removeTemporaryData, Venue } from '../support/venue-process.ts';

/**
 * Goal: requests from Hyperliquid clients execute exactly once, and their commands can be derived
 * from the log. Method: send an unmodified client library's bodies to a venue that is killed and
 * restarted, and send them again. Then verify the log and the data folder.
 */

const key = testKey(0x42);
const FLAGS = [...FIXED_PRICE_FLAGS, '--no-bots', '--chain', 'none', '--faucet', '--serve-log'];
const CLOID = `0x${'ab'.repeat(16)}` as const;
const now = () => Date.now();

let venue: Venue;
let nonce = 0;
beforeAll(async () => {
  venue = await Venue.start([...FLAGS, '--hyperliquid', '0']);
  // A nonce from before the first block is rejected (R-nonce).
  nonce = Date.now();
  await post(JSON.stringify({ user: key.address }), '/faucet');
});
afterAll(async () => {
  await venue.remove();
  await removeTemporaryData();
});

type Call = (client: ExchangeClient) => Promise<unknown>;

const bodyOf = (call: Call) => hyperliquidBody({ key, nonce: ++nonce }, call);

async function post(body: string, path = '/exchange') {
  const url = /Hyperliquid API (http:[^\s,)]+)/.exec(venue.stdout)?.[1] ?? '';
  const headers = { 'content-type': 'application/json' };
  return (await fetch(url + path, { method: 'POST', headers, body })).json();
}

/** Returns the body of a buy order below the venue's price, so that it rests. */
async function resting(p: string, c = CLOID): Promise<string> {
  const t = { limit: { tif: 'Alo' } } as const;
  const orders = [{ a: 1, b: true, p, s: '0.01', r: false, t, c }];
  return bodyOf((client) => client.order({ orders, grouping: 'na' }));
}

async function openOids(): Promise<number[]> {
  const query = { type: 'frontendOpenOrders', user: key.address };
  const rows: { oid: number }[] = await new Client(venue.url).data(query);
  return rows.map(({ oid }) => oid).sort((a, b) => a - b);
}

test('a Hyperliquid request executes once, even if the venue is killed and the client sends it again', async () => {
  const body = await resting('60000');
  const first = await post(body);
  expect(first).toMatchObject({ status: 'ok' });
  const [{ resting: order }] = first.response.data.statuses;
  expect(await openOids()).toEqual([order.oid]);
  await venue.kill();
  await venue.startAgain();
  expect(await openOids()).toEqual([order.oid]);
  expect(await post(body)).toEqual(first);
  expect(await openOids()).toEqual([order.oid]);
  nonce -= 1;
  const other = await post(await resting('61000', `0x${'cd'.repeat(16)}`));
  expect(other).toMatchObject({ status: 'err', response: expect.stringContaining('nonce') });
  expect(await openOids()).toEqual([order.oid]);
});

test('the commands in the log follow from the Hyperliquid requests, but only on a network with test funds', async () => {
  const [oid = 0] = await openOids();
  const t = { limit: { tif: 'Gtc' } } as const;
  const order = { a: 1, b: true, p: '59000', s: '0.02', r: false, t };
  for (const call of [
    (client) => client.order({ orders: [{ ...order, p: '59000.001' }, order], grouping: 'na' }),
    (client) => client.modify({ oid, order }),
    (client) => client.cancelByCloid({ cancels: [{ asset: 1, cloid: CLOID }] }),
    (client) => client.updateLeverage({ asset: 2, isCross: false, leverage: 5 }),
    (client) => client.approveAgent({ agentAddress: testKey(0x43).address, agentName: 'bot' }),
    (client) => client.usdSend({ destination: testKey(0x44).address, amount: '5' }),
  ] satisfies Call[]) {
    expect(await post(await bodyOf(call))).toMatchObject({ status: 'ok' });
  }
  const source = () => new HttpLog(`${venue.operations}`);
  const report = await verifyLog({ source: source(), now });
  expect(report.finding).toBeUndefined();
  expect(report.counts.signersRecovered).toBeGreaterThanOrEqual(5);
  const elsewhere = await verifyLog({
    source: source(),
    serviceNetwork: 'example.org-3fa9c1d2',
    now,
  });
  expect(elsewhere.finding?.what).toContain('the request cannot be read');
  await venue.stop();
  const folder = await verifyFolder({ data: venue.data, now });
  expect(folder).toMatchObject({ findings: [], harmless: [] });
});

test('the Hyperliquid port does not open on a folder that has its own network name', async () => {
  const flags = [...FLAGS, '--service-network', 'example.org', '--hyperliquid', '0'];
  await expect(Venue.start(flags)).rejects.toThrow(
    'hyperliquid: not allowed with the network name',
  );
});
