import { request } from 'node:http';
import { ApiError, createClient, limitOrder, type Client } from '@oddlot/sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startVenue } from '../start-venue.ts';
import type { TestVenue } from '../test-venue.ts';
import { type Controls, serveControls } from './serve-controls.ts';

const BTC = 1;
const HOUR_MS = 3_600_000;
/**
 * The test starts half an hour before a full hour, so that a premium is always sampled before the
 * next hour, whatever the time of day.
 */
const START_MS = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - HOUR_MS / 2;
let venue: TestVenue;
let controls: Controls;
let client: Client;
beforeAll(async () => {
  venue = await startVenue({ time: START_MS });
  controls = await serveControls(venue, { isHeld: true });
  const url = await venue.openPort();
  const wallet = venue.accounts[0]!.wallet;
  client = createClient({ url, network: 'testnet', wallet, orderLifeMs: Infinity });
  await ask('/snapshot');
});
beforeEach(async () => {
  await ask('/fault', { fault: 'clear' });
  await ask('/clock/hold');
  await ask('/revert', { id: 1 });
});
afterAll(async () => {
  client.close();
  await controls.stop();
  await venue.stop();
});

type Answer = {
  readonly code: number;
  readonly status: string;
  readonly message?: string;
  readonly now: number;
  readonly isHeld: boolean;
  readonly height: number;
  readonly data?: unknown;
};

async function ask(path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(controls.url + path, {
    method: 'POST',
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { code: response.status, ...((await response.json()) as Omit<Answer, 'code'>) };
}

const buy = () => {
  const order = limitOrder({ asset: BTC, side: 'buy', price: '99000', size: '0.1', tif: 'Ioc' });
  return client.exchange.order({ orders: [order] }, { confirm: 'executed' });
};
const sizeHeld = async () => {
  const state = await client.info.clearinghouseState({ user: client.wallet!.address });
  return state.assetPositions[0]?.position.szi;
};

describe('the controls set the clock', () => {
  test('a held clock does not advance, jumps on request, and otherwise follows the machine', async () => {
    const { now } = await ask('/clock/hold');
    expect(await ask('/clock/advance', { by: '8h' })).toMatchObject({
      status: 'ok',
      now: now + 28_800_000,
      isHeld: true,
    });
    await ask('/clock/run');
    await expect
      .poll(async () => (await ask('/prices', { ETH: '3000' })).now, { timeout: 30_000 })
      .toBeGreaterThan(now + 28_800_000);
    const held = await ask('/clock/hold');
    expect((await ask('/prices', { ETH: '3000' })).now).toBe(held.now);
  });

  test('no funding is paid while the clock is held, and a jump pays all of it', async () => {
    await ask('/book', { instrument: 'BTC-USDC' });
    await buy();
    await ask('/clock/advance', { by: '3h' });
    const { data } = await client.info.userFundings({ user: client.wallet!.address });
    expect(data).toHaveLength(3);
  });
});

test('prices can be set, and follow a script as time passes', async () => {
  const oracle = () => venue.price('BTC');
  await ask('/prices', { BTC: '65000' });
  expect(oracle()).toBe('65000');
  const steps = [
    { at: 60_000, BTC: '64000' },
    { at: 30_000, BTC: '66000' },
  ];
  await ask('/prices/script', { steps });
  await ask('/clock/advance', { by: '30s' });
  expect(oracle()).toBe('66000');
  await ask('/clock/advance', { by: '30s' });
  expect(oracle()).toBe('64000');
  await ask('/prices/script', { steps: [] });
});

test('the controls fund accounts, fill books, and list and resolve outcome markets', async () => {
  const user = '0x00000000000000000000000000000000000000aa';
  await ask('/fund', { address: user, perp: '12.5' });
  expect((await client.info.clearinghouseState({ user })).withdrawable).toBe('12.5');
  const { data: market } = await ask('/market', { question: 'Will it rain?' });
  expect(await ask('/book', { instrument: market, levels: 2, middle: '0.3' })).toMatchObject({
    status: 'ok',
  });
  const { id } = market as { readonly id: number };
  const { levels } = await client.info.l2Book({ coin: String(id) });
  expect(levels[0].map(({ px }) => px)).toEqual(['0.29', '0.28']);
  expect(await ask('/market/resolve', { market, settlementFraction: '1' })).toMatchObject({
    status: 'ok',
  });
});

test('the controls can revert to a snapshot and kill the venue', async () => {
  await ask('/book', { instrument: 'BTC' });
  const { data } = await ask('/snapshot');
  await buy();
  expect(await sizeHeld()).toBe('0.1');
  expect(await ask('/restart', { isKilled: true })).toMatchObject({ status: 'ok' });
  expect(await sizeHeld()).toBe('0.1');
  await ask('/revert', { id: (data as { id: number }).id });
  expect(await sizeHeld()).toBeUndefined();
});

describe('the controls plan faults', () => {
  test.each(['loseAnswer', 'loseRequest', 'executeThen503', 'duplicate'])(
    'the fault %s causes exactly one execution by the SDK',
    async (fault) => {
      await ask('/book', { instrument: 'BTC' });
      expect(await ask('/fault', { fault, count: 1, path: '/exchange' })).toMatchObject({
        status: 'ok',
      });
      expect(await buy()).toMatchObject({ status: 'executed' });
      expect(await sizeHeld()).toBe('0.1');
    },
  );

  test('a 429 answer says when to retry', async () => {
    await ask('/fault', { fault: 'rateLimit', path: '/info', retryAfterSeconds: 7 });
    const response = await fetch(`${await venue.openPort()}/info`, { method: 'POST', body: '{}' });
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '7']);
    await response.arrayBuffer();
  });

  test('frozen streams deliver all messages later, and streams that were cut are resumed', async () => {
    await ask('/book', { instrument: 'BTC' });
    const fills: string[] = [];
    const user = client.wallet!.address;
    const subscription = client.streams.userFills({ user }, (event) => {
      if (event.type === 'data') fills.push(JSON.stringify(event.data));
    });
    await subscription.ready;
    await ask('/fault', { fault: 'freezeStreams' });
    await buy();
    await client.info.userFills({ user });
    const frozen = fills.filter((text) => text.includes('"px"')).length;
    await ask('/fault', { fault: 'thawStreams' });
    await expect
      .poll(() => fills.filter((text) => text.includes('"px"')).length, { timeout: 30_000 })
      .toBeGreaterThan(frozen);
    await ask('/fault', { fault: 'cutStreams' });
    const before = fills.length;
    await buy();
    await expect.poll(() => fills.length, { timeout: 30_000 }).toBeGreaterThan(before);
    await subscription.close();
  });

  test('a silenced oracle becomes stale', async () => {
    await ask('/book', { instrument: 'BTC' });
    await ask('/fault', { fault: 'silenceOracle', symbol: 'BTC' });
    await ask('/clock/advance', { by: '1m' });
    await expect(buy()).rejects.toThrow(ApiError);
    await ask('/fault', { fault: 'resumeOracle', symbol: 'BTC' });
    await ask('/clock/advance', { by: '5s' });
    expect(await buy()).toMatchObject({ status: 'executed' });
  });
});

describe('an invalid call of the controls is rejected', () => {
  test.each([
    ['/clock/advance', {}, 'Missing "by"'],
    ['/clock/advance', { by: 'soon' }, 'Invalid duration "soon"'],
    ['/clock/advance', { by: '1h', fast: true }, 'Unknown field "fast"; use by, step'],
    ['/clock/hold', { now: 1 }, 'Unknown field "now"; this call takes no fields'],
    ['/prices', {}, 'the request contains no price'],
    ['/prices', { BTC: 65000 }, 'Invalid price 65000 of BTC. Use a decimal text above zero'],
    ['/prices', { BTC: '0' }, 'Invalid price "0" of BTC. Use a decimal text above zero'],
    ['/prices', { btc: '1' }, 'Unknown symbol "btc". Use one of BTC, ETH, SOL'],
    ['/prices', { 'BTC-USDC': '1' }, 'Unknown symbol "BTC-USDC". Use one of BTC, ETH, SOL'],
    ['/prices', { ETH: '1', DOGE: '1' }, 'Unknown symbol "DOGE". Use one of BTC, ETH, SOL'],
    ['/prices', { toString: '1' }, 'Unknown symbol "toString"'],
    ['/prices/script', { steps: [{ BTC: '1' }] }, 'steps[0].at must be milliseconds from now'],
    ['/prices/script', { steps: [{ at: 1, NOPE: '1' }] }, 'steps[0]: Unknown symbol "NOPE"'],
    ['/fund', { address: '0x1', perp: '1' }, '"address" must be an address'],
    ['/fund', { address: `0x${'1'.repeat(40)}` }, 'Missing amount'],
    ['/fund', { address: `0x${'1'.repeat(40)}`, perp: 'much' }, 'Invalid amount of USDC: "much"'],
    ['/book', { instrument: 'DOGE' }, 'Unknown perp "DOGE"'],
    ['/book', {}, '"instrument" must be the name of a perp'],
    ['/revert', { id: 77 }, 'Unknown snapshot 77; there are 1'],
    ['/fault', { fault: 'skewClock' }, 'Unknown fault "skewClock". Use one of loseAnswer'],
    ['/fault', { fault: 'constructor' }, 'Unknown fault "constructor". Use one of loseAnswer'],
    ['/fault', { fault: 'toString' }, 'Unknown fault "toString". Use one of loseAnswer'],
    ['/fault', { fault: ['clear'] }, 'Unknown fault ["clear"]'],
    ['/fault', { fault: 'freezeStreams', count: 1 }, 'Unknown field "count"'],
    ['/fault', { fault: 'silenceOracle', symbol: 'NOPE' }, 'Unknown symbol "NOPE"'],
    ['/fault', { fault: 'resumeOracle', symbol: 'NOPE' }, 'Unknown symbol "NOPE"'],
    ['/restart', { isKilled: 'yes' }, '"isKilled" must be true or false'],
    ['/book', { instrument: 'BTC', levels: 0 }, 'levels must be a whole number above zero'],
    ['/fault', { fault: 'loseAnswer', count: 0 }, 'count must be a whole number above zero'],
    ['/market/resolve', { market: 7 }, '"market" must be the value returned by /market'],
  ])('the call %s with %j is rejected: %s', async (path, body, sentence) => {
    const { height } = venue.head;
    const answer = await ask(path, body);
    expect(answer).toMatchObject({ code: 400, status: 'err' });
    expect(answer.message).toContain(sentence);
    expect(venue.head.height).toBe(height);
  });

  test('a call with an unknown path, another method, invalid JSON or a long body is rejected', async () => {
    expect(await ask('/clock')).toMatchObject({
      code: 404,
      message: expect.stringContaining('/clock/advance'),
    });
    expect((await fetch(`${controls.url}/fund`)).status).toBe(405);
    const text = await fetch(`${controls.url}/fund`, { method: 'POST', body: 'money!' });
    expect(text.status).toBe(400);
    const long = await fetch(`${controls.url}/fund`, {
      method: 'POST',
      body: `"${'x'.repeat(1_100_000)}"`,
    });
    expect(await long.json()).toMatchObject({
      message: 'the body must have at most 1048576 bytes',
    });
  });

  test('a call from a browser page or for a foreign host is rejected', async () => {
    const page = await fetch(`${controls.url}/clock/hold`, {
      method: 'POST',
      headers: { origin: 'https://example.org' },
    });
    expect(page.status).toBe(403);
    const status = await new Promise((resolve) => {
      const sent = request(controls.url, { headers: { host: 'example.org' } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.end();
    });
    expect(status).toBe(403);
  });

  test('a test venue cannot be started on mainnet', async () => {
    const flags = ['--network', 'mainnet', '--service-network', 'example.org'];
    await expect(startVenue({ flags })).rejects.toThrow(/mainnet/);
  });
});
