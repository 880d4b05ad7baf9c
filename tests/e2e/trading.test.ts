import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  ApiError,
  createClient,
  privateKeyWallet,
  randomPrivateKey,
  type OrderResult,
  type OrderUpdate,
  type ReplyOf,
  type StreamEvent,
} from '@oddlot/sdk';
import type { Market } from '../support/market.ts';
import { Venue } from '../support/venue-process.ts';
import { aMarket, clientOf, closeClients, limit, trader, type Person } from './test-accounts.ts';

/**
 * Goal: the guide is correct for a real venue. Method: Alice and Bob trade as the guide describes.
 */

let venue: Venue;
let alice: Person;
let bob: Person;
let market: Market;

beforeAll(async () => {
  venue = await Venue.start();
  alice = await trader(venue, 'alice');
  bob = await trader(venue, 'bob');
  market = await aMarket(venue, alice);
});

afterAll(async () => {
  closeClients();
  const faults = venue?.faults();
  await venue?.remove();
  expect(faults).toEqual([]);
});

const confirm = { confirm: 'executed' } as const;

/** Returns an executed action's entries. Throws for any other reply. */
async function executed(sent: Promise<ReplyOf<'executed'>>): Promise<readonly OrderResult[]> {
  const reply = await sent;
  if (reply.status !== 'executed') throw new Error(`Not executed: ${JSON.stringify(reply)}`);
  return reply.orders;
}

function collect<Data>(events: readonly StreamEvent<Data>[]): Data[] {
  return events.flatMap((event) => (event.type === 'data' ? [event.data] : []));
}

test("the venue's network name is the one the client signs for", async () => {
  const { client } = alice;
  const settings = await client.info.settings();
  expect(await client.network()).toEqual({
    serviceNetwork: settings.service_network,
    chainId: settings.chain_id,
    apiVersion: settings.api_version,
  });
  expect(await client.accountStatus({ user: alice.address })).toMatchObject({ eligible: true });
  const outsider = clientOf(venue, 'stranger');
  expect(await client.accountStatus({ user: outsider.address })).toMatchObject({ exists: false });
});

describe('an agent trades for its account', () => {
  test('an agent trades for the account that approved it, until it is revoked', async () => {
    const agent = privateKeyWallet(randomPrivateKey());
    const { exchange, info } = alice.client;
    const approved = await exchange.approveAgent(
      { agentAddress: agent.address, agentName: 'bot' },
      confirm,
    );
    expect(approved.status).toBe('executed');
    const [row] = await info.approvedAgents({ user: alice.address });
    expect(row).toMatchObject({ agentAddress: agent.address, agentName: 'bot' });
    expect(await info.agentOwner({ agent: agent.address })).toMatchObject({ owner: alice.address });

    const bot = createClient({ url: venue.url, wallet: agent });
    const resting = limit(market, { side: 'buy', price: market.at(-500), size: market.worth(20) });
    const [placed] = await executed(bot.exchange.order({ orders: [resting] }, confirm));
    expect(placed).toMatchObject({ state: 'open' });
    const open = await info.frontendOpenOrders({ user: alice.address });
    expect(open.map(({ oid }) => oid)).toEqual([placed?.oid]);
    const cancels = [{ a: market.id, o: placed?.oid ?? 0 }];
    expect(await executed(bot.exchange.cancel({ cancels }, confirm))).toMatchObject([
      { state: 'cancelled' },
    ]);

    const nobody = `0x${'0'.repeat(40)}`;
    await exchange.approveAgent({ agentAddress: nobody, agentName: 'bot' }, confirm);
    const refused = bot.exchange.order({ orders: [resting] }, confirm);
    await expect(refused).rejects.toMatchObject({ name: 'UNAUTHORIZED' });
  });

  test('a browser wallet on another chain can approve an agent', async () => {
    const agentAddress = privateKeyWallet(randomPrivateKey()).address;
    const options = { ...confirm, signatureChainId: 42161 };
    const reply = await bob.client.exchange.approveAgent({ agentAddress }, options);
    expect(reply.status).toBe('executed');
    const agents = await bob.client.info.approvedAgents({ user: bob.address });
    expect(agents.map((agent) => agent.agentAddress)).toContain(agentAddress);
  });
});

describe('a fill is reported to both sides', () => {
  test('both sides see a fill in replies, streams and queries', async () => {
    const updates = {
      alice: [] as StreamEvent<OrderUpdate[]>[],
      bob: [] as StreamEvent<OrderUpdate[]>[],
    };
    const trades: { tid: number; sz: string; side: string }[] = [];
    const states: { szi: string | undefined }[] = [];
    const subscriptions = [
      alice.client.streams.orderUpdates({ user: alice.address }, (event) =>
        updates.alice.push(event),
      ),
      bob.client.streams.orderUpdates({ user: bob.address }, (event) => updates.bob.push(event)),
      bob.client.streams.trades({ coin: market.coin }, (event) => {
        if (event.type === 'data') trades.push(...event.data);
      }),
      alice.client.streams.clearinghouseState({ user: alice.address }, (event) => {
        if (event.type !== 'data') return;
        const [held] = event.data.clearinghouseState.assetPositions;
        states.push({ szi: held?.position.szi });
      }),
    ];
    const books = bob.client.streams.l2Book({ coin: market.coin });
    const context = bob.client.streams.activeAssetCtx({ coin: market.coin });
    await Promise.all([...subscriptions, books].map(({ ready }) => ready));
    expect((await context.next()).value).toMatchObject({ data: { instrumentId: market.id } });

    const size = market.worth(100);
    const price = market.at(0);
    const cloid = `0x${'a1'.repeat(16)}`;
    const sell = limit(market, { side: 'sell', price, size, cloid });
    const [resting] = await executed(alice.client.exchange.order({ orders: [sell] }, confirm));
    expect(resting).toMatchObject({ state: 'open', cloid });
    for await (const event of books) {
      if (event.type === 'data' && event.data.levels[1].length > 0) {
        expect(event.data.levels[1][0]).toMatchObject({ px: price, sz: size, n: 1 });
        break;
      }
    }
    const buy = limit(market, { side: 'buy', price, size, tif: 'Ioc' });
    const [taken] = await executed(bob.client.exchange.order({ orders: [buy] }, confirm));
    expect(taken).toMatchObject({ state: 'filled', filledSz: size, avgPx: price });

    await vi.waitFor(() => {
      expect(collect(updates.alice).flat()).toMatchObject([
        { status: 'open', order: { cloid, sz: size } },
        { status: 'filled', order: { cloid, filledSz: size } },
      ]);
      expect(collect(updates.bob).flat()).toMatchObject([{ status: 'filled' }]);
      expect(trades).toMatchObject([{ sz: size, side: 'B' }]);
      expect(states.at(-1)).toEqual({ szi: `-${size}` });
    }, 60_000);
    const read = await alice.client.info.clearinghouseState({ user: alice.address });
    expect(read.assetPositions[0]?.position.szi).toBe(`-${size}`);
    const { positionValue } = (await bob.client.info.perpClearinghouseState({ user: bob.address }))
      .assetPositions[0]!.position;
    expect(Number(positionValue)).toBeGreaterThan(0);
    context.close();
    for (const subscription of subscriptions) subscription.close();
  });
});

describe('orders can be placed and cancelled', () => {
  test('an order can be cancelled by its client order id', async () => {
    const cloid = `0x${'b2'.repeat(16)}`;
    const { exchange } = alice.client;
    const order = limit(market, {
      side: 'buy',
      price: market.at(-300),
      size: market.worth(20),
      tif: 'Alo',
      cloid,
    });
    const accepted = await exchange.order({ orders: [order] });
    expect(accepted.status).toBe('accepted');
    const receipt = await exchange.waitForAction(accepted.txHash);
    expect(receipt).toMatchObject({ status: 'executed', user: alice.address });
    const cancels = [{ asset: market.id, cloid }];
    expect(await executed(exchange.cancelByCloid({ cancels }, confirm))).toMatchObject([
      { state: 'cancelled', cloid },
    ]);
    const again = await exchange.cancelByCloid({ cancels }, confirm);
    expect(again).toMatchObject({ failure: { error: expect.stringContaining('never placed') } });
  });

  test('an order off the tick is rejected, and the nearest prices are given', async () => {
    const price = `${market.at(-300)}${market.at(-300).includes('.') ? '' : '.'}0000001`;
    const order = limit(market, { side: 'buy', price, size: market.worth(20) });
    const refused = alice.client.exchange.order({ orders: [order] });
    await expect(refused).rejects.toThrow(ApiError);
    await expect(refused).rejects.toMatchObject({
      name: 'INVALID',
      details: { field: 'orders[0].p', nearest: [expect.any(String), expect.any(String)] },
    });
  });

  test('an order that arrives after its expiry is rejected', async () => {
    const order = limit(market, { side: 'buy', price: market.at(-300), size: market.worth(20) });
    const options = { expiresAfter: Date.now() - 60_000 };
    const refused = alice.client.exchange.order({ orders: [order] }, options);
    await expect(refused).rejects.toMatchObject({ name: 'EXPIRED' });
  });

  test('many orders can be sent at once, each with its own nonce', async () => {
    const { exchange, info } = bob.client;
    const replies = await Promise.all(
      Array.from({ length: 40 }, (_, index) => {
        const price = market.ticks(market.at(-1000), index);
        const order = limit(market, { side: 'buy', price, size: market.worth(15) });
        return exchange.order({ orders: [order] }, confirm);
      }),
    );
    expect(new Set(replies.map(({ nonce }) => nonce)).size).toBe(40);
    expect(replies.map(({ status }) => status)).toEqual(Array(40).fill('executed'));
    const open = await info.frontendOpenOrders({ user: bob.address });
    expect(open.length).toBe(40);
    const cancels = open.map(({ instrumentId, oid }) => ({ a: instrumentId, o: oid }));
    const reply = await exchange.cancel({ cancels }, confirm);
    expect(reply).toMatchObject({ status: 'executed', failure: undefined });
  });
});

test("every query's response has its documented shape", async () => {
  const { info } = alice.client;
  const user = alice.address;
  const { universe } = await info.perpMeta();
  expect(universe.map(({ name }) => name)).toContain('ETH-USDC');
  expect(await info.perpMetaDetail({ assetName: 'ETH' })).toMatchObject({ asset: { name: 'ETH' } });
  expect(await info.l2Book({ coin: market.coin })).toMatchObject({ coin: 'ETH-USDC' });
  expect(await info.activeAssetData({ user, coin: market.coin })).toMatchObject({ user });
  expect(await info.triggerOrders({ user })).toEqual([]);
  expect((await info.feeTierInfo()).tiers.length).toBeGreaterThan(0);
  expect(await info.rateLimit()).toMatchObject({ ip: expect.any(String) });
  expect((await info.stateHash()).stateHash).toMatch(/^0x[0-9a-f]{64}$/);
  const txHash = `0x${'ee'.repeat(32)}`;
  expect(await info.actionStatus({ txHash })).toMatchObject({ status: 'unknown' });
  await expect(info.l2Book({ coin: '99999' })).rejects.toMatchObject({ name: 'NOT_FOUND' });
});

test('a channel with an unknown instrument is rejected', async () => {
  const subscription = alice.client.streams.trades({ coin: '99999' });
  await expect(subscription.ready).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
});
