import { afterEach, describe, expect, test, vi } from 'vitest';
import { createClient, type Client, type ClientOptions } from '../client.ts';
import { ApiError, HttpError, SigningError, ValidationError } from '../errors.ts';
import { NonceSource } from '../nonce.ts';
import { FakeVenue, type Answer } from '@oddlot/testing/sdk/fake-venue';
import { eip1193Wallet, privateKeyWallet, type Wallet } from '../wallet.ts';

const KEY = `0x${'11'.repeat(32)}` as const;
const OK = {
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

const running: FakeVenue[] = [];
afterEach(async () => {
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
    wallet: privateKeyWallet(KEY),
    nonces: new NonceSource(() => 1_800_000_000_000),
    backoff: { baseMs: 4, maxMs: 20, random: () => 0.5 },
    ...options,
  });
}

const bodies = (venue: FakeVenue) => venue.received.map(({ text }) => text);
const nonces = (venue: FakeVenue) => bodies(venue).map((text) => JSON.parse(text).nonce as number);

describe('an action is delivered until there is a response', () => {
  test('onRateLimited reports the delay before a rate-limited action is sent again', async () => {
    const venue = await aVenue(LIMITED, { ...LIMITED, headers: { 'retry-after': '1' } }, OK);
    const waits: number[] = [];
    const onRateLimited = (waitMs: number): void => void waits.push(waitMs);
    await clientOf(venue, { onRateLimited }).exchange.order(ORDERS);
    expect(waits.length).toBe(2);
    expect(waits[0]).toBeLessThan(100);
    expect(waits[1]).toBeGreaterThanOrEqual(1000);
  });

  test('after a lost response, an action is sent again with the same bytes', async () => {
    const venue = await aVenue('cut', 'cut', OK);
    const reply = await clientOf(venue).exchange.order(ORDERS);
    expect(reply.status).toBe('accepted');
    expect(venue.received.length).toBe(3);
    expect(new Set(bodies(venue)).size).toBe(1);
  });

  test('after a timeout, an action is sent again with the same bytes', async () => {
    const venue = await aVenue('silence', OK);
    await clientOf(venue, { timeoutMs: 100 }).exchange.order(ORDERS);
    expect(new Set(bodies(venue)).size).toBe(1);
  });

  test('after a gateway error, an action is sent again with the same bytes', async () => {
    const venue = await aVenue({ status: 502, body: '<html>' }, { status: 503, body: '{}' }, OK);
    await clientOf(venue).exchange.order(ORDERS);
    expect(venue.received.length).toBe(3);
    expect(new Set(bodies(venue)).size).toBe(1);
  });

  test('a rate-limited action is signed again with a new nonce', async () => {
    const venue = await aVenue(LIMITED, LIMITED, OK);
    const reply = await clientOf(venue).exchange.order(ORDERS);
    const start = 1_800_000_000_000;
    expect(nonces(venue)).toEqual([start, start + 1, start + 2]);
    expect(new Set(bodies(venue).map((text) => JSON.parse(text).signature.r)).size).toBe(3);
    expect(reply.nonce).toBe(start + 2);
  });

  test('an action that may have been executed is never signed again, even if it is rate-limited later', async () => {
    const venue = await aVenue('cut', LIMITED, OK);
    await clientOf(venue).exchange.order(ORDERS);
    expect(venue.received.length).toBe(3);
    expect(new Set(bodies(venue)).size).toBe(1);
  });

  test('a user who has signed an action is not asked to sign it again', async () => {
    const signer = privateKeyWallet(KEY);
    let asked = 0;
    const wallet: Wallet = {
      ...signer,
      isInteractive: true,
      sign: (request) => {
        asked += 1;
        return signer.sign(request);
      },
    };
    const venue = await aVenue(LIMITED, OK);
    await clientOf(venue, { wallet }).exchange.order(ORDERS);
    expect(venue.received.length).toBe(2);
    expect(asked).toBe(1);
  });

  test('an action that gets no response is reported with its hash', async () => {
    const venue = await aVenue('cut');
    const failed = clientOf(venue, { retriesMax: 2 }).exchange.order(ORDERS);
    await expect(failed).rejects.toThrow(HttpError);
    await expect(failed).rejects.toMatchObject({
      txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    });
    expect(venue.received.length).toBe(3);
  });

  test('a rejected action is not sent again', async () => {
    const body = {
      status: 'err',
      code: 10000,
      name: 'INVALID',
      message: 'Price precision does not match the tick size: 0.5',
      details: { field: 'orders[0].p', nearest: ['100', '100.5'] },
    };
    const venue = await aVenue({ body });
    const failed = clientOf(venue).exchange.order(ORDERS);
    await expect(failed).rejects.toThrow(ApiError);
    await expect(failed).rejects.toMatchObject({
      code: 10000,
      name: 'INVALID',
      details: { nearest: ['100', '100.5'] },
      httpStatus: 200,
      response: body,
    });
    expect(venue.received.length).toBe(1);
  });

  test('an aborted action is not sent again', async () => {
    const venue = await aVenue('silence');
    const controller = new AbortController();
    const failed = clientOf(venue).exchange.order(ORDERS, { signal: controller.signal });
    await vi.waitFor(() => expect(venue.received.length).toBe(1), { timeout: 60_000 });
    controller.abort();
    await expect(failed).rejects.toThrow('aborted');
    expect(venue.received.length).toBe(1);
  });

  test('the options of an action are sent in the envelope', async () => {
    const venue = await aVenue({ status: 202, body: { status: 'pending', txHash: '0x00' } });
    const vaultAddress = `0x${'AB'.repeat(20)}`;
    const options = { confirm: 'executed', expiresAfter: 1_900_000_000_000, vaultAddress } as const;
    const reply = await clientOf(venue).exchange.order(ORDERS, options);
    expect(reply.status).toBe('pending');
    const envelope = JSON.parse(bodies(venue)[0]!);
    expect(envelope).toMatchObject({ ...options, vaultAddress: vaultAddress.toLowerCase() });
    expect(envelope.action).toEqual({ type: 'order', grouping: 'na', orders: ORDERS.orders });
    expect(venue.received[0]!.headers).toMatchObject({ 'x-api-version': '2026-08-16' });
  });

  test('an action requires a wallet', async () => {
    const venue = await aVenue(OK);
    const failed = clientOf(venue, { wallet: undefined }).exchange.order(ORDERS);
    await expect(failed).rejects.toThrow(SigningError);
  });
});

describe('an action whose result is unknown is not reported as rejected', () => {
  test('an action is not reported as rejected if the response to an earlier attempt was lost before the rate limit', async () => {
    const venue = await aVenue('cut', LIMITED);
    const failed = clientOf(venue, { retriesMax: 2 }).exchange.order(ORDERS);
    await expect(failed).rejects.toThrow(HttpError);
    await expect(failed).rejects.toMatchObject({
      status: 429,
      txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    });
  });

  test('an action is not reported as rejected after a server error', async () => {
    const body = { status: 'err', code: 10500, name: 'INTERNAL', message: 'Internal error' };
    const venue = await aVenue({ status: 500, body });
    const failed = clientOf(venue).exchange.order(ORDERS);
    await expect(failed).rejects.toThrow(HttpError);
    await expect(failed).rejects.toMatchObject({ status: 500, txHash: expect.any(String) });
  });

  test('an action is reported as rejected if every attempt was rate-limited', async () => {
    const venue = await aVenue(LIMITED);
    const failed = clientOf(venue, { retriesMax: 2 }).exchange.order(ORDERS);
    await expect(failed).rejects.toMatchObject({ name: 'RATE_LIMITED', httpStatus: 429 });
    expect(venue.received.length).toBe(3);
  });
});

test('aborting the wait for a receipt throws an HttpError', async () => {
  const venue = await aVenue({ body: { success: true, code: 0, data: { status: 'pending' } } });
  const controller = new AbortController();
  const options = { intervalMs: 10_000, signal: controller.signal };
  const failed = clientOf(venue).exchange.waitForAction(`0x${'ab'.repeat(32)}`, options);
  await vi.waitFor(() => expect(venue.received.length).toBe(1), { timeout: 60_000 });
  setTimeout(() => controller.abort(), 20);
  await expect(failed).rejects.toThrow(HttpError);
});

test('a request does not leave a listener on the signal of its caller', async () => {
  const venue = await aVenue({ body: { success: true, code: 0, data: { universe: [] } } });
  const { signal } = new AbortController();
  const added = vi.spyOn(signal, 'addEventListener');
  const removed = vi.spyOn(signal, 'removeEventListener');
  await clientOf(venue).info.perpMeta({}, { signal });
  expect(added.mock.calls.length).toBe(1);
  expect(removed.mock.calls[0]?.[1]).toBe(added.mock.calls[0]?.[1]);
});

describe('the reply to an action includes its results', () => {
  const executed = (status: unknown, orders?: object[]): Answer => ({
    body: {
      status: 'ok',
      code: 0,
      confirm: 'executed',
      txHash: '0x00',
      height: 7,
      data: { type: 'X', data: { statuses: [status], ...(orders ? { orders } : {}) } },
    },
  });
  const failure = { error: 'orders[1]: Insufficient margin', code: 10010, name: 'MARGIN' };

  test('a confirmed reply includes the result of each entry and does not throw if one failed', async () => {
    const orders = [
      { i: 0, oid: 5, state: 'open' },
      { i: 1, oid: null, state: 'rejected' },
    ];
    const venue = await aVenue(executed(failure, orders));
    const reply = await clientOf(venue).exchange.order(ORDERS, { confirm: 'executed' });
    expect(reply).toMatchObject({ status: 'executed', height: 7, orders, failure });
  });

  test('an action without entries throws if it failed', async () => {
    const status = { error: 'Agent address is already used', code: 10008, name: 'AGENT' };
    const venue = await aVenue(executed(status));
    const agentAddress = `0x${'22'.repeat(20)}`;
    const failed = clientOf(venue).exchange.approveAgent({ agentAddress }, { confirm: 'executed' });
    await expect(failed).rejects.toMatchObject({ name: 'AGENT', code: 10008 });
  });

  test('the reply to an outcome order includes its trace id', async () => {
    const traceId = '2af35491-d06c-4576-8cb8-ec69d3ff3b69';
    const venue = await aVenue({ body: { status: 'ok', traceId } });
    expect(await clientOf(venue).exchange.order(ORDERS)).toMatchObject({
      status: 'queued',
      traceId,
    });
  });
});

describe('a direct action names the chain for which it is signed', () => {
  const agentAddress = `0x${'22'.repeat(20)}`;

  test('a direct action names the chain that a browser wallet requires', async () => {
    const signer = privateKeyWallet(KEY);
    const wallet: Wallet = { ...signer, chainId: async () => 42161 };
    const venue = await aVenue(OK);
    await clientOf(venue, { wallet }).exchange.approveAgent({ agentAddress });
    const { action, nonce, signatureChainId } = JSON.parse(bodies(venue)[0]!);
    expect(signatureChainId).toBe(42161);
    expect(action).toEqual({
      type: 'approveAgent',
      serviceNetwork: 'Oddlot-Testnet',
      chainId: 2511,
      apiVersion: 1,
      agentAddress,
      nonce,
    });
  });

  test("a direct action omits the chain if the wallet is on the venue's chain", async () => {
    const provider = { request: async () => '0x9cf' };
    const wallet = eip1193Wallet(provider, privateKeyWallet(KEY).address);
    const venue = await aVenue(OK);
    const signing = { ...wallet, sign: privateKeyWallet(KEY).sign };
    await clientOf(venue, { wallet: signing }).exchange.approveAgent({ agentAddress });
    expect(JSON.parse(bodies(venue)[0]!)).not.toHaveProperty('signatureChainId');
  });
});

describe('a query is retried after transient failures', () => {
  const found = { body: { success: true, code: 0, data: { universe: [] } } };

  test('after a 429 response, a query is retried at the time the venue requests', async () => {
    const body = {
      success: false,
      code: 10000,
      name: 'RATE_LIMITED',
      message: 'rate limit exceeded',
    };
    const venue = await aVenue({ status: 429, headers: { 'retry-after': '1' }, body }, found);
    const startMs = performance.now();
    expect(await clientOf(venue).info.perpMeta()).toEqual({ universe: [] });
    expect(performance.now() - startMs).toBeGreaterThan(1000);
  });

  test('a query throws instead of waiting for a long Retry-After', async () => {
    const body = { success: false, code: 10000, message: 'rate limit exceeded' };
    const venue = await aVenue({ status: 429, headers: { 'retry-after': '3600' }, body });
    const failed = clientOf(venue).info.perpMeta();
    await expect(failed).rejects.toMatchObject({ httpStatus: 429, retryAfterMs: 3_600_000 });
    expect(venue.received.length).toBe(1);
  });

  test('a malformed query is not sent', async () => {
    const venue = await aVenue(found);
    const failed = clientOf(venue).info.l2Book({ coin: 'BTC-USDC' });
    await expect(failed).rejects.toThrow(ValidationError);
    await expect(failed).rejects.toThrow('coin');
    expect(venue.received.length).toBe(0);
  });

  test('warnings in a response are passed to onWarning', async () => {
    const warning = { code: 'AGENT_ADDRESS', message: 'an agent' };
    const venue = await aVenue({ body: { ...found.body, warnings: [warning] } });
    const warnings: unknown[] = [];
    await clientOf(venue, { onWarning: (given) => warnings.push(given) }).info.perpMeta();
    expect(warnings).toEqual([warning]);
  });

  test('the error for a non-JSON response includes its text', async () => {
    const venue = await aVenue({ status: 404, body: '<html>nothing here</html>' });
    const failed = clientOf(venue).info.perpMeta();
    await expect(failed).rejects.toMatchObject({ status: 404, body: '<html>nothing here</html>' });
  });
});

test('a faucet request is sent only once, because a retry would be rate-limited', async () => {
  const venue = await aVenue('cut');
  const failed = clientOf(venue).faucet({ user: `0x${'11'.repeat(20)}` });
  await expect(failed).rejects.toThrow(HttpError);
  expect(venue.received.length).toBe(1);
});

test('waitForAction polls the receipt until the action is final or the timeout expires', async () => {
  const receipt = (status: string): Answer => ({
    body: { success: true, code: 0, data: { status } },
  });
  const venue = await aVenue(receipt('pending'), receipt('pending'), receipt('executed'));
  const txHash = `0x${'ab'.repeat(32)}`;
  const { exchange } = clientOf(venue);
  expect(await exchange.waitForAction(txHash, { intervalMs: 5 })).toEqual({ status: 'executed' });
  const open = await aVenue(receipt('pending'));
  const failed = clientOf(open).exchange.waitForAction(txHash, { intervalMs: 5, timeoutMs: 20 });
  await expect(failed).rejects.toThrow('Still pending');
});
