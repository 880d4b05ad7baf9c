import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aVenue } from '../support/actors.ts';
import { Client, type Json } from '../support/client.ts';
import { expectShape, address, exactly, hash, record, time } from '../support/shape.ts';
import { Venue } from '../support/venue-process.ts';

const HOUR_MS = 3_600_000;

/** The venue runs with production limits, including those of the faucet. */
const world = aVenue(['--oracle', 'still']);

async function statusOf(user: string, extra: object = {}): Promise<Json> {
  const body = { type: 'accountStatus', user, ...extra };
  const reply = await world.client.post('/account-status', body);
  expect(reply.json, reply.text).toMatchObject({ success: true, code: 0 });
  return reply.json.data;
}

describe('the account status states whether an address may trade', () => {
  test('an address that has never deposited has no account', async () => {
    const nobody = world.unfunded('nobody');
    expect(await statusOf(nobody.address)).toEqual({
      user: nobody.address,
      channel: 0,
      exists: false,
      checked: true,
      eligible: false,
      reason: 'No trading account found',
    });
  });

  test('a funded address exists and is eligible, with no reason given', async () => {
    const alice = await world.trader('alice');
    expect(await statusOf(alice.address)).toEqual({
      user: alice.address,
      channel: 0,
      exists: true,
      checked: true,
      eligible: true,
    });
  });

  test('the account status returns the address in lower case', async () => {
    const alice = await world.trader('alice');
    const shouted = `0x${alice.address.slice(2).toUpperCase()}`;
    expect((await statusOf(shouted)).user).toBe(alice.address);
  });

  test('the account status is unknown for a channel that does not exist', async () => {
    const alice = await world.trader('alice');
    expect(await statusOf(alice.address, { channel: 7 })).toMatchObject({
      channel: 7,
      eligible: false,
      reason: 'Unknown channel',
    });
  });

  test('/account gives the same answers as /account-status', async () => {
    const alice = await world.trader('alice');
    const body = { type: 'accountStatus', user: alice.address };
    const reply = await world.client.post('/account', body);
    expect(reply.json).toEqual({ success: true, code: 0, data: await statusOf(alice.address) });
  });

  test('an agent address has no account', async () => {
    const alice = await world.trader('alice');
    const agent = world.unfunded('agent');
    await alice.approveAgent(agent.address);
    expect(await statusOf(agent.address)).toMatchObject({ exists: false, eligible: false });
  });
});

describe('the faucet pays out test funds', () => {
  test('the faucet grants 1,000 USDC and creates an account', async () => {
    const alice = world.unfunded('alice');
    const sent = Date.now();
    const reply = await world.client.post('/request-fund', { user: alice.address });
    expect(reply.status, reply.text).toBe(200);
    expect(reply.json).toMatchObject({ success: true, code: 0 });
    expectShape(
      reply.json.data,
      record({
        user: address,
        amount: exactly('1000'),
        token: exactly('USDC'),
        txHash: hash,
        nextRequestTime: time,
      }),
    );
    expect(reply.json.data.user).toBe(alice.address);
    const { nextRequestTime } = reply.json.data;
    expect(Math.abs(nextRequestTime - sent - HOUR_MS)).toBeLessThan(10_000);
    expect(await alice.state()).toMatchObject({
      withdrawable: '1000',
      marginSummary: { accountValue: '1000', totalRawUsd: '1000' },
    });
  });

  test('the faucet pays each address once an hour, however its letters are capitalised', async () => {
    const alice = await world.trader('alice');
    const shouted = `0x${alice.address.slice(2).toUpperCase()}`;
    for (const user of [alice.address, shouted]) {
      const reply = await world.client.post('/request-fund', { user });
      expect(reply.status, reply.text).toBe(429);
      const retryAfter = Number(reply.headers.get('retry-after'));
      expect(Number.isInteger(retryAfter)).toBe(true);
      expect(retryAfter).toBeGreaterThan(3500);
      expect(retryAfter).toBeLessThanOrEqual(3600);
      expect(reply.json).toMatchObject({
        success: false,
        code: 10000,
        message: 'Faucet limit reached',
      });
    }
    expect((await alice.state()).withdrawable).toBe('1000');
  });

  test('two concurrent faucet requests are granted only once', async () => {
    const alice = world.unfunded('alice');
    const replies = await Promise.all(
      Array.from({ length: 5 }, () => world.client.post('/request-fund', { user: alice.address })),
    );
    const statuses = replies.map((reply) => reply.status).toSorted();
    expect(statuses).toEqual([200, 429, 429, 429, 429]);
    expect((await alice.state()).withdrawable).toBe('1000');
  });

  test('on-chain faucet funds are not credited to the venue account', async () => {
    const dora = world.unfunded('dora');
    const reply = await world.client.post('/request-fund', { user: dora.address, onChain: true });
    expect(reply.status, reply.text).toBe(400);
    expect(reply.json).toMatchObject({
      success: false,
      code: 10002,
      message: 'Invalid onChain: there is no local settlement chain',
      details: { field: 'onChain' },
    });
    expect(await statusOf(dora.address)).toMatchObject({ exists: false });
  });

  test('the faucet allows a loopback client to fund many addresses', async () => {
    for (let index = 0; index < 5; index++) await world.trader(`trader ${index}`);
  });

  test('the hourly limit and the granted funds survive a restart', async () => {
    const alice = await world.trader('alice');
    await world.venue.stop();
    await world.venue.startAgain();
    const reply = await world.client.post('/request-fund', { user: alice.address });
    expect([reply.status, reply.json.message]).toEqual([429, 'Faucet limit reached']);
    expect((await alice.state()).withdrawable).toBe('1000');
  });
});

describe('--no-faucet disables the faucet', () => {
  let closed: Venue;

  beforeAll(async () => {
    closed = await Venue.start(['--oracle', 'still', '--no-limits', '--no-faucet']);
  });
  afterAll(async () => closed?.remove());

  test("a venue with no faucet returns 404 for the faucet's path", async () => {
    const client = new Client(closed.url);
    const reply = await client.post('/request-fund', { user: `0x${'1'.repeat(40)}` });
    expect([reply.status, reply.json]).toEqual([404, { message: 'Not found' }]);
  });
});
