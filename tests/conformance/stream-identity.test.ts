import { beforeAll, describe, expect, test } from 'vitest';
import { aSharedVenue, type Actor } from '../support/actors.ts';
import { eventually, type Json } from '../support/client.ts';
import { Deployer, DEPLOYER } from '../support/deployer.ts';
import { onChannel } from '../support/frames.ts';
import { succeeded, OPERATED, Operator, perpOrder, type OwnPerp } from '../support/perps.ts';
import type { Socket } from '../support/socket.ts';

const world = aSharedVenue([...OPERATED, '--deployers', DEPLOYER]);
const operator = new Operator(world);
let alice: Actor;

beforeAll(async () => {
  alice = await world.resident('alice');
});

const unsubscribe = async (socket: Socket, subscription: object): Promise<Json> =>
  socket.ask(
    { method: 'unsubscribe', subscription },
    (frame) => frame.channel === 'subscriptionResponse' || frame.type === 'error',
  );

describe('the confirmation includes the subscription', () => {
  test.each([
    ['/ws', () => ({ type: 'l2Book', coin: world.btc.coin, nSigFigs: null, mantissa: null })],
    ['/ws', () => ({ tick: '', coin: `0${world.btc.coin}`, type: 'l2Book', x: { y: [1, null] } })],
    ['/ws', () => ({ type: 'orderUpdates', user: `0x${alice.address.slice(2).toUpperCase()}` })],
    ['/ws', () => ({ type: 'clearinghouseState', user: alice.address, accountType: 'Perps' })],
    ['/api-ws', () => ({ type: 'candle', coin: world.btc.coin, interval: '1H' })],
    ['/api-ws', () => ({ type: 'tickers', instrumentIds: [world.eth.id, world.btc.id] })],
  ] as const)(
    '%s %#: the returned subscription equals the request',
    async (path, subscriptionOf) => {
      const subscription = subscriptionOf();
      const socket = await world.socket(path);
      const answer = await socket.subscribe(subscription);
      expect(JSON.stringify(answer.subscription)).toBe(JSON.stringify(subscription));
      const goodbye = await unsubscribe(socket, subscription);
      expect(JSON.stringify(goodbye.data.subscription)).toBe(JSON.stringify(subscription));
      const resumed = await socket.ask(
        { method: 'subscribe', subscription, resumeFrom: { epoch: 'another', seq: 7 } },
        onChannel('resync'),
      );
      expect(JSON.stringify(resumed.data.subscription)).toBe(JSON.stringify(subscription));
    },
  );
});

describe('a subscription to a book survives a change to the price steps', () => {
  const levelsOf = (socket: Socket, sub: number): Json =>
    socket.of('l2Book').findLast((frame) => frame.sub === sub)?.data.levels[0];

  async function aPerpWithBids(): Promise<OwnPerp> {
    const perp = await operator.list({ priceTick: '0.01', bookTicks: ['0.01', '1'] });
    for (const price of ['95.01', '95.02']) {
      succeeded(await alice.place(perpOrder({ market: perp, side: 'buy', price, size: '1' })));
    }
    return perp;
  }

  test('unsubscribing with the original request ends only that subscription', async () => {
    const { coin, ...perp } = await aPerpWithBids();
    const socket = await world.socket();
    const finest = await socket.subscribe({ type: 'l2Book', coin });
    const coarse = await socket.subscribe({ type: 'l2Book', coin, tick: '1' });
    await eventually(() => expect(levelsOf(socket, finest.sub)).toHaveLength(2));
    await operator.set({ coin, ...perp }, { priceTick: '1', bookTicks: ['1', '10'] });
    // Both requests now resolve to the same price step, but they stay separate subscriptions.
    const unsubscribed = await unsubscribe(socket, { type: 'l2Book', coin });
    expect(unsubscribed.data).toMatchObject({ method: 'unsubscribe', sub: finest.sub });
    const other = await unsubscribe(socket, { type: 'l2Book', coin, tick: '1' });
    expect(other.data).toMatchObject({ method: 'unsubscribe', sub: coarse.sub });
    expect(await unsubscribe(socket, { type: 'l2Book', coin })).toMatchObject({
      code: 'NOT_SUBSCRIBED',
    });
  });

  test('a removed price step can be unsubscribed from but not subscribed to', async () => {
    const { coin, ...perp } = await aPerpWithBids();
    const socket = await world.socket();
    const subscription = { type: 'l2Book', coin, tick: '0.01' };
    const { sub } = await socket.subscribe(subscription);
    await operator.set({ coin, ...perp }, { priceTick: '1', bookTicks: ['1', '10'] });
    expect((await unsubscribe(socket, subscription)).data).toMatchObject({ sub });
    const again = await socket.ask({ method: 'subscribe', subscription }, () => true);
    expect(again).toMatchObject({
      code: 'INVALID_PARAMS',
      details: { field: 'tick', got: '0.01', allowed: ['1', '10'] },
    });
  });

  test('a subscription to the finest step always gets the finest step available at the time', async () => {
    const { coin, ...perp } = await aPerpWithBids();
    const socket = await world.socket();
    const old = await socket.subscribe({ type: 'l2Book', coin });
    await operator.set({ coin, ...perp }, { priceTick: '1', bookTicks: ['1', '10'] });
    const newcomer = await world.socket();
    const fresh = await newcomer.subscribe({ type: 'l2Book', coin });
    const grouped = [{ px: '95', sz: '2', n: 2 }];
    await eventually(() => expect(levelsOf(newcomer, fresh.sub)).toEqual(grouped));
    await eventually(() => expect(levelsOf(socket, old.sub)).toEqual(grouped));
  });
});

test('a subscription to a resolved market can be ended with its original request', async () => {
  const deployer = new Deployer(world);
  const [market, other] = [await deployer.list(), await deployer.list()];
  const { coin } = market;
  const socket = await world.socket();
  const subscriptions = [
    { type: 'l2Book', coin },
    { type: 'l2Book', coin, tick: '0.01' },
    { type: 'l2Diff', coin },
    { type: 'trades', coin },
    { type: 'activeAssetCtx', coin },
    { type: 'outcomeBbos', instrumentIds: [other.id, market.id], exchangeId: 1 },
    { type: 'outcomeTrades', instrumentIds: [other.id, market.id] },
  ];
  const subs: Json[] = [];
  for (const subscription of subscriptions) subs.push((await socket.subscribe(subscription)).sub);
  await deployer.resolve(market, '1');
  await eventually(async () => {
    const { settlement } = (
      await world.client.data({ type: 'outcomeMeta', eventSlug: market.eventSlug })
    ).markets[0];
    expect(settlement.resolution_status).toBe('resolved');
  });
  for (const [index, subscription] of subscriptions.entries()) {
    const { data } = await unsubscribe(socket, subscription);
    expect(data, JSON.stringify(subscription)).toMatchObject({ sub: subs[index] });
  }
});
