import { afterEach, describe, expect, test, vi } from 'vitest';
import { createClient, type Client, type ClientOptions } from '../client.ts';
import { ExpiredError } from '../errors.ts';
import { FakeVenue, type Answer } from '@oddlot/testing/sdk/fake-venue';
import { privateKeyWallet } from '../wallet.ts';

const OK: Answer = {
  body: { status: 'ok', code: 0, data: { type: 'PlaceOrder', data: { statuses: ['success'] } } },
};
const LIMITED: Answer = {
  status: 429,
  headers: { 'retry-after': '0' },
  body: { status: 'err', code: 10029, name: 'RATE_LIMITED', response: 'rate limit exceeded' },
};
const ORDERS = {
  orders: [{ a: 0, b: true, p: '100', s: '1', r: false, t: { limit: { tif: 'Gtc' } } }],
} as const;
const HOUR_MS = 3_600_000;

const running: FakeVenue[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const venue of running.splice(0)) await venue.stop();
});

async function aVenue(...script: Answer[]): Promise<FakeVenue> {
  const venue = await FakeVenue.start(...script);
  running.push(venue);
  return venue;
}

function clientOf(venue: FakeVenue, options: Partial<ClientOptions> = {}): Client {
  return createClient({
    url: venue.url,
    network: 'testnet',
    wallet: privateKeyWallet(`0x${'11'.repeat(32)}`),
    backoff: { baseMs: 4, maxMs: 20, random: () => 0.5 },
    ...options,
  });
}

const envelopes = (venue: FakeVenue) =>
  venue.received.map(({ text }) => JSON.parse(text) as { nonce: number; expiresAfter?: number });

const expired = (expiresAfter: number, timeMs: number): Answer => ({
  body: {
    status: 'err',
    code: 10016,
    name: 'EXPIRED',
    message: `Action expired: expiresAfter ${expiresAfter}, consensus time ${timeMs}`,
  },
});

/**
 * Shifts the local clock by this amount for the rest of the test, and returns a function that reads
 * the real clock.
 */
function offBy(ms: number): () => number {
  const rightNow = Date.now.bind(Date);
  vi.spyOn(Date, 'now').mockImplementation(() => rightNow() + ms);
  return rightNow;
}

describe('trading actions have a default expiry (R-tx: the same bytes execute once)', () => {
  test('trading actions expire five seconds after the call, and every attempt has the same expiry', async () => {
    const venue = await aVenue('cut', 'cut', OK);
    const beforeMs = Date.now();
    await clientOf(venue).exchange.order(ORDERS);
    const [first] = envelopes(venue);
    expect(first!.expiresAfter).toBeGreaterThanOrEqual(beforeMs + 5000);
    expect(first!.expiresAfter).toBeLessThanOrEqual(Date.now() + 5000);
    expect(venue.received.length).toBe(3);
    expect(new Set(venue.received.map(({ text }) => text)).size).toBe(1);
  });

  test('amends, reversals, splits and merges also have a default expiry', async () => {
    const venue = await aVenue(OK);
    const { exchange } = clientOf(venue);
    await exchange.modify2({ a: 0, o: 5, p: '100', s: '1' });
    await exchange.reversePosition({ asset: 0 });
    await exchange.outcomeOperate({ split: [{ asset: 100_000, sz: '5' }] });
    expect(envelopes(venue).every(({ expiresAfter }) => expiresAfter !== undefined)).toBe(true);
  });

  test('cancels, settings and direct actions have no default expiry', async () => {
    const venue = await aVenue(OK);
    const { exchange } = clientOf(venue);
    await exchange.cancelAll();
    await exchange.updateLeverage({ asset: 0, leverage: 3 });
    await exchange.approveAgent({ agentAddress: `0x${'22'.repeat(20)}` });
    await exchange.transferBetween({ from: 'perp', to: 'outcome', amount: '1' });
    expect(venue.received.length).toBe(4);
    expect(envelopes(venue).some((envelope) => 'expiresAfter' in envelope)).toBe(false);
  });

  test('the expiry stays the same when a rate-limited order is signed again', async () => {
    const venue = await aVenue(LIMITED, LIMITED, OK);
    await clientOf(venue).exchange.order(ORDERS);
    const sent = envelopes(venue);
    expect(new Set(sent.map(({ nonce }) => nonce)).size).toBe(3);
    expect(sent[0]!.expiresAfter).toBeDefined();
    expect(new Set(sent.map(({ expiresAfter }) => expiresAfter)).size).toBe(1);
  });

  test('an order is not retried if the rate limit would delay it beyond its expiry', async () => {
    const limited = { ...LIMITED, headers: { 'retry-after': '6' } };
    const venue = await aVenue(limited, OK);
    const startMs = performance.now();
    const failed = clientOf(venue).exchange.order(ORDERS);
    await expect(failed).rejects.toMatchObject({ name: 'RATE_LIMITED', retryAfterMs: 6000 });
    expect(performance.now() - startMs).toBeLessThan(3000);
    expect(venue.received.length).toBe(1);
  });

  test('callers can set a longer expiry, no expiry or an explicit one', async () => {
    const venue = await aVenue(OK);
    const beforeMs = Date.now();
    await clientOf(venue, { orderLifeMs: 700_000 }).exchange.order(ORDERS);
    await clientOf(venue, { orderLifeMs: Infinity }).exchange.order(ORDERS);
    await clientOf(venue).exchange.order(ORDERS, { expiresAfter: null });
    await clientOf(venue).exchange.order(ORDERS, { expiresAfter: 1_900_000_000_000 });
    const [long, never, bare, explicit] = envelopes(venue);
    expect(long!.expiresAfter).toBeGreaterThanOrEqual(beforeMs + 700_000);
    expect(never).not.toHaveProperty('expiresAfter');
    expect(bare).not.toHaveProperty('expiresAfter');
    expect(explicit!.expiresAfter).toBe(1_900_000_000_000);
    expect(() => clientOf(venue, { orderLifeMs: 0 })).toThrow('orderLifeMs');
  });

  test('a wallet whose user confirms each signature gets a longer expiry', async () => {
    const venue = await aVenue(OK);
    const beforeMs = Date.now();
    const wallet = { ...privateKeyWallet(`0x${'11'.repeat(32)}`), isInteractive: true };
    await clientOf(venue, { wallet }).exchange.order(ORDERS);
    expect(envelopes(venue)[0]!.expiresAfter).toBeGreaterThanOrEqual(beforeMs + 60_000);
  });
});

describe('an order that arrives after its expiry is reported as not executed', () => {
  test('an expired order is reported by name and hash as not executed', async () => {
    const venue = await aVenue('silence', expired(1, Date.now() + 5000));
    const client = clientOf(venue, { orderLifeMs: 60, timeoutMs: 100 });
    const failed = client.exchange.order(ORDERS);
    await expect(failed).rejects.toThrow(ExpiredError);
    await expect(failed).rejects.toMatchObject({
      name: 'EXPIRED',
      code: 10016,
      message: expect.stringMatching(/^Not executed/),
      txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      expiresAfter: envelopes(venue)[0]!.expiresAfter,
    });
    expect(venue.received.length).toBe(2);
  });

  test('an order that gets no response is reported with its expiry', async () => {
    const venue = await aVenue('cut');
    const failed = clientOf(venue, { retriesMax: 1 }).exchange.order(ORDERS);
    await expect(failed).rejects.toMatchObject({ txHash: expect.any(String) });
    await expect(failed).rejects.toMatchObject({ expiresAfter: envelopes(venue)[0]!.expiresAfter });
  });
});

describe('a client adjusts to a local clock that differs from the venue’s', () => {
  test('the clock difference is learned from response dates', async () => {
    const venue = await aVenue({ body: { success: true, code: 0, data: { universe: [] } } }, OK);
    const rightNow = offBy(HOUR_MS);
    const client = clientOf(venue);
    await client.info.perpMeta();
    await client.exchange.order(ORDERS);
    const lifeMs = envelopes(venue)[1]!.expiresAfter! - rightNow();
    expect(lifeMs).toBeGreaterThan(3000);
    expect(lifeMs).toBeLessThan(8000);
  });

  test("after a refusal, the order is signed again according to the venue's clock", async () => {
    const rightNow = offBy(-HOUR_MS);
    const venue = await aVenue(expired(1, rightNow()), OK);
    const reply = await clientOf(venue).exchange.order(ORDERS);
    expect(reply.status).toBe('accepted');
    const [first, second] = envelopes(venue);
    expect(second!.expiresAfter! - first!.expiresAfter!).toBeGreaterThan(HOUR_MS - 2000);
    expect(second!.nonce).not.toBe(first!.nonce);
  });

  test('the difference is learned again after the local clock is corrected', async () => {
    const rightNow = offBy(-HOUR_MS);
    const venue = await aVenue(expired(1, rightNow()), OK);
    const client = clientOf(venue);
    await client.exchange.order(ORDERS);
    vi.restoreAllMocks();
    await client.exchange.order(ORDERS);
    const lifeMs = envelopes(venue)[2]!.expiresAfter! - Date.now();
    expect(lifeMs).toBeGreaterThan(3000);
    expect(lifeMs).toBeLessThan(8000);
  });

  test('the clock is corrected only once; a second refusal is thrown', async () => {
    const venue = await aVenue(expired(1, Date.now() + HOUR_MS));
    await expect(clientOf(venue).exchange.order(ORDERS)).rejects.toThrow(ExpiredError);
    expect(venue.received.length).toBe(2);
  });

  test('an explicit expiry is not corrected', async () => {
    const venue = await aVenue(expired(1, Date.now()), OK);
    const failed = clientOf(venue).exchange.order(ORDERS, { expiresAfter: 1 });
    await expect(failed).rejects.toThrow(ExpiredError);
    expect(venue.received.length).toBe(1);
  });
});
