import { beforeAll, expect, test } from 'vitest';
import { aVenue, farBid, type Actor } from '../support/actors.ts';
import { eventually, type Json } from '../support/client.ts';
import { Deployer, DEPLOYED, shareTrader, type OutcomeMarket } from '../support/deployer.ts';
import { placed as placedBet } from '../support/outcomes.ts';
import { tokenSend } from '../support/keys.ts';
import { succeeded } from '../support/perps.ts';
import type { Socket } from '../support/socket.ts';

/**
 * `resumeFrom: { height }` resumes on another process of the venue, which here is its next run.
 * Event channels send the missed events, and state channels send the current state.
 */

const world = aVenue(DEPLOYED);
let market: OutcomeMarket;
beforeAll(async () => {
  market = await new Deployer(world).list();
});

const shown = ({ channel, data, height }: Json) => ({ channel, data, height });

/** Returns a subscription's frames after a height, without the initial snapshot. */
const behind = (socket: Socket, sub: number, height: number): Json[] =>
  socket.frames.filter((frame) => frame.sub === sub && frame.height > height);

async function follow(
  endpoints: Readonly<Record<string, Socket>>,
  [path, subscription]: readonly [string, object],
  height?: number,
): Promise<Json> {
  const resumeFrom = height === undefined ? undefined : { height };
  return endpoints[path]!.subscribe(subscription, resumeFrom);
}

const sockets = async (): Promise<Record<string, Socket>> => ({
  '/ws': await world.socket(),
  '/api-ws': await world.socket('/api-ws'),
});

test.each(['stop', 'kill'] as const)(
  'after a %s every channel resumes after a block, without gaps or duplicates',
  async (how) => {
    const { btc } = world;
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const [yes, no] = [await shareTrader(world, 'yes'), await shareTrader(world, 'no')];
    const trade = async (): Promise<void> => {
      const terms = { market: btc, price: btc.at(0), size: btc.worth(20) };
      await bob.placed({ ...terms, side: 'sell' });
      await alice.placed({ ...terms, side: 'buy' });
      // A live order is sent with all its changes rather than just its last state.
      await alice.place(farBid(btc));
      await mint(yes, no);
      succeeded(await tokenSend(alice, { to: bob.address, amount: '1' }));
    };
    const mint = async (buyer: Actor, other: Actor): Promise<void> => {
      await placedBet(buyer, market, 'buy Yes 10 at 0.50');
      await placedBet(other, market, 'buy No 10 at 0.50');
    };
    const facts = [
      ['/ws', { type: 'trades', coin: btc.coin }],
      ['/ws', { type: 'orderUpdates', user: alice.address }],
      ['/ws', { type: 'outcomeTrades', instrumentIds: [market.id] }],
      ['/ws', { type: 'outcomeOrderUpdates', user: yes.address }],
      ['/ws', { type: 'userFundings', user: alice.address }],
      ['/ws', { type: 'explorerBlock' }],
      ['/ws', { type: 'explorerTxs' }],
      ['/api-ws', { type: 'recentTrades', coin: btc.coin }],
      ['/api-ws', { type: 'userFills', user: alice.address }],
      ['/api-ws', { type: 'userHistoricalOrders', user: alice.address }],
      ['/api-ws', { type: 'userNonFundingLedgerUpdates', user: alice.address }],
      ['/api-ws', { type: 'outcomeOrderUpdate', user: yes.address, includeSuccess: true }],
    ] as const;
    const witness = await sockets();
    const subs: number[] = [];
    for (const each of facts) subs.push((await follow(witness, each)).sub);
    await trade();
    const height = await heightNow();
    await trade();
    await trade();
    // Waits until the history channels have also sent the last block.
    const last = await heightNow();
    await eventually(() =>
      expect(witness['/api-ws']!.of('userFills').at(-1)?.height).toBeGreaterThan(height),
    );
    await eventually(() =>
      expect(witness['/ws']!.of('explorerBlock').at(-1)?.height).toBeGreaterThanOrEqual(last),
    );
    await world.venue[how]();
    await world.venue.startAgain();
    const here = await sockets();
    for (const [at, each] of facts.entries()) {
      const [path, { type }] = each;
      const expected = behind(witness[path]!, subs[at]!, height);
      if (type !== 'userFundings') expect(expected.length, type).toBeGreaterThan(1);
      const { seq, sub } = await follow(here, each, height);
      await eventually(() =>
        expect(behind(here[path]!, sub, height).length, type).toBeGreaterThanOrEqual(
          expected.length,
        ),
      );
      const frames = behind(here[path]!, sub, height);
      expect(frames.slice(0, expected.length).map(shown), type).toEqual(expected.map(shown));
      expect(here[path]!.of('resync'), type).toEqual([]);
      const numbers = frames.map((frame) => frame.seq);
      expect(numbers, type).toEqual(numbers.map((_, index) => seq + 1 + index));
    }
    await trade();
    for (const type of ['userFills', 'userHistoricalOrders']) {
      await eventually(() =>
        expect(here['/api-ws']!.of(type).at(-1)?.height).toBeGreaterThan(last),
      );
    }
    const heights = here['/ws']!.of('explorerBlock').map((frame) => frame.height);
    expect(heights).toEqual(heights.map((_, index) => height + 1 + index));
  },
);

async function heightNow(): Promise<number> {
  const [block] = await world.client.data({ type: 'blocks', limit: 1 });
  return block.height;
}

test('a state channel that resumes at any height sends its current state', async () => {
  const { btc } = world;
  const alice = await world.trader('alice');
  const socket = await world.socket();
  const height = await heightNow();
  for (const subscription of [
    { type: 'l2Book', coin: btc.coin },
    { type: 'l2Diff', coin: btc.coin },
    { type: 'activeAssetCtx', coin: btc.coin },
    { type: 'clearinghouseState', user: alice.address },
    { type: 'outcomeBbos', instrumentIds: [market.id] },
  ]) {
    const { seq, sub } = await socket.subscribe(subscription, { height });
    const frame = await socket.next((each) => each.sub === sub);
    expect(frame).toMatchObject({ channel: subscription.type, seq });
  }
  expect(socket.of('resync')).toEqual([]);
});

test.each([{ height: -1 }, { height: '1' }, { height: 1, epoch: 'x', seq: 0 }])(
  'a resume from %o is rejected, and no subscription is made',
  async (resumeFrom) => {
    const socket = await world.socket();
    const subscription = { type: 'trades', coin: world.btc.coin };
    const answer = await socket.ask({ method: 'subscribe', subscription, resumeFrom }, () => true);
    expect(answer).toMatchObject({ type: 'error', code: 'INVALID_PARAMS' });
    await socket.subscribe(subscription);
  },
);

test('a resume from a height far in the future gets the resync reason "ahead"', async () => {
  const socket = await world.socket();
  const subscription = { type: 'trades', coin: world.btc.coin };
  await socket.subscribe(subscription, { height: 1_000_000_000 });
  const resync = await socket.next((frame) => frame.channel === 'resync');
  expect(resync.data).toMatchObject({ reason: 'ahead', subscription });
});
