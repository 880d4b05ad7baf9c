import { describe, expect, test } from 'vitest';
import { aVenue, cloidOf, order } from '../support/actors.ts';
import { eventually, type Json } from '../support/client.ts';
import { exact, show } from '../support/exact.ts';
import {
  address,
  book,
  clearinghouseState,
  decimal,
  decimalOrUnset,
  exactly,
  expectShape,
  flag,
  hash,
  integer,
  listOf,
  nullable,
  pairOf,
  price,
  record,
  text,
  time,
} from '../support/shape.ts';
import { refusedHandshake, type Socket } from '../support/socket.ts';

/** Sections 7.1–7.3 and 11.9: the channels of /ws, their errors, and going on after a break. */

const world = aVenue();

const onChannel = (channel: string) => (frame: Json) => frame.channel === channel;

const orderUpdate = record({
  order: record({
    coin: text,
    symbol: text,
    instrumentId: integer,
    side: exactly('B', 'A'),
    limitPx: price,
    sz: price,
    origSz: price,
    filledSz: price,
    avgPx: nullable(decimal),
    oid: integer,
    timestamp: time,
    reduceOnly: flag,
    orderType: exactly('Market', 'Limit'),
    tif: text,
    isTrigger: exactly(false),
    triggerPx: decimal,
    cloid: nullable(text),
  }),
  status: exactly('open', 'filled', 'cancelled', 'rejected'),
  statusTimestamp: time,
});

/** All order updates on a socket so far, in the order of their frames. */
function updates(socket: Socket): Json[] {
  return socket.of('orderUpdates').flatMap((frame) => frame.data);
}

/** Waits until an order has been told to be in this state, and gives that record. */
async function told(socket: Socket, oid: number, status: string): Promise<Json> {
  return eventually(() => {
    const found = updates(socket).find((row) => row.order.oid === oid && row.status === status);
    if (!found) throw new Error(`${oid} not ${status} in ${JSON.stringify(updates(socket))}`);
    return found;
  });
}

/** The sequence numbers of a channel run up by one, without gap or repeat. */
function expectUnbroken(frames: Json[]): void {
  const numbers = frames.map((frame) => frame.seq);
  expect(numbers).toEqual(numbers.map((_, index) => numbers[0] + index));
}

describe('control frames (7.1)', () => {
  test('a ping is answered, in JSON and by the protocol', async () => {
    const socket = await world.socket();
    expect(await socket.ask({ method: 'ping' }, () => true)).toEqual({ method: 'PONG' });
    await socket.protocolPing();
  });

  test('a subscription is confirmed with its number, epoch and sequence (11.9)', async () => {
    const socket = await world.socket();
    const subscription = { type: 'trades', coin: world.btc.coin };
    const response = await socket.subscribe(subscription);
    expectShape(
      response,
      record({ method: exactly('subscribe'), sub: integer, epoch: text, seq: integer }),
    );
    expect(response.subscription).toMatchObject(subscription);
    const other = await socket.subscribe({ type: 'trades', coin: world.eth.coin });
    expect(other.sub).not.toBe(response.sub);
  });

  test('an unsubscription is confirmed and ends the frames', async () => {
    const alice = await world.trader('alice');
    const socket = await world.socket();
    const subscription = { type: 'orderUpdates', user: alice.address };
    await socket.subscribe(subscription);
    const answer = await socket.ask(
      { method: 'unsubscribe', subscription },
      onChannel('subscriptionResponse'),
    );
    expect(answer.data).toMatchObject({ method: 'unsubscribe', subscription });
    const { btc } = world;
    await alice.placed({ market: btc, side: 'buy', price: btc.at(-500), size: btc.worth(20) });
    // A later answer on the same connection shows that nothing was on its way.
    await socket.ask({ method: 'ping' }, (frame) => frame.method === 'PONG');
    expect(updates(socket)).toEqual([]);
    await socket.subscribe(subscription);
  });

  test('only subscription.type names the channel', async () => {
    const socket = await world.socket();
    const answer = await socket.ask(
      {
        method: 'subscribe',
        type: 'nonsense',
        subscription: { type: 'trades', coin: world.btc.coin },
      },
      () => true,
    );
    expect(answer.channel).toBe('subscriptionResponse');
  });

  test('the same subscription twice is an error, in whatever case the address is', async () => {
    const socket = await world.socket();
    const user = world.stranger('nobody').address;
    await socket.subscribe({ type: 'orderUpdates', user });
    const shouted = `0x${user.slice(2).toUpperCase()}`;
    for (const same of [user, shouted]) {
      const answer = await socket.ask(
        { method: 'subscribe', subscription: { type: 'orderUpdates', user: same } },
        () => true,
      );
      expect(answer).toEqual({
        type: 'error',
        code: 'ALREADY_SUBSCRIBED',
        message: 'Already subscribed',
      });
    }
  });

  test('what is not subscribed cannot be unsubscribed', async () => {
    const socket = await world.socket();
    const subscription = { type: 'trades', coin: world.btc.coin };
    expect(await socket.ask({ method: 'unsubscribe', subscription }, () => true)).toEqual({
      type: 'error',
      code: 'NOT_SUBSCRIBED',
      message: 'Not subscribed',
    });
  });

  const badFrames: [string, string][] = [
    ['hello', 'INVALID_FRAME'],
    ['', 'INVALID_FRAME'],
    ['[]', 'INVALID_FRAME'],
    ['null', 'INVALID_FRAME'],
    ['7', 'INVALID_FRAME'],
    ['{}', 'INVALID_FRAME'],
    ['{"method":"dance"}', 'INVALID_FRAME'],
    ['{"method":7}', 'INVALID_FRAME'],
    ['{"method":"subscribe","subscription":{"type":"nonsense"}}', 'UNKNOWN_CHANNEL'],
    ['{"method":"subscribe","subscription":{"type":"constructor"}}', 'UNKNOWN_CHANNEL'],
    ['{"method":"subscribe","subscription":{"type":"l2Book"}}', 'INVALID_PARAMS'],
    ['{"method":"subscribe","subscription":{"type":"l2Book","coin":0}}', 'INVALID_PARAMS'],
    ['{"method":"subscribe","subscription":{"type":"l2Book","coin":"BTC-USDC"}}', 'INVALID_PARAMS'],
    ['{"method":"subscribe","subscription":{"type":"l2Book","coin":"77777"}}', 'INVALID_PARAMS'],
    ['{"method":"subscribe","subscription":{"type":"trades","coin":"-1"}}', 'INVALID_PARAMS'],
    ['{"method":"subscribe","subscription":{"type":"orderUpdates"}}', 'INVALID_PARAMS'],
    [
      '{"method":"subscribe","subscription":{"type":"orderUpdates","user":"0x1"}}',
      'INVALID_PARAMS',
    ],
    [
      '{"method":"subscribe","subscription":{"type":"clearinghouseState","user":5}}',
      'INVALID_PARAMS',
    ],
    ['{"method":"subscribe","subscription":{"type":"activeAssetCtx","coin":""}}', 'INVALID_PARAMS'],
  ];
  test.each(badFrames)(
    'the frame %s is answered %s and the connection stays',
    async (frame, code) => {
      const socket = await world.socket();
      const answer = await socket.ask(frame, () => true);
      expect(answer).toMatchObject({ type: 'error', code, message: expect.any(String) });
      expect(await socket.ask({ method: 'ping' }, () => true)).toEqual({ method: 'PONG' });
    },
  );

  test('a subscription without a subscription is an error', async () => {
    const socket = await world.socket();
    for (const subscription of [undefined, null, 'trades', []]) {
      const answer = await socket.ask({ method: 'subscribe', subscription }, () => true);
      expect(answer.type).toBe('error');
      expect(['INVALID_FRAME', 'INVALID_PARAMS', 'UNKNOWN_CHANNEL']).toContain(answer.code);
    }
  });

  test('a malformed resumeFrom is an error and no subscription', async () => {
    const socket = await world.socket();
    const subscription = { type: 'trades', coin: world.btc.coin };
    for (const resumeFrom of [
      5,
      'x',
      {},
      { epoch: 'x' },
      { epoch: 1, seq: 1 },
      { epoch: 'x', seq: -1 },
    ]) {
      const answer = await socket.ask(
        { method: 'subscribe', subscription, resumeFrom },
        () => true,
      );
      expect(answer).toMatchObject({ type: 'error', code: 'INVALID_PARAMS' });
    }
    await socket.subscribe(subscription);
  });

  test('there is no stream at a path that does not exist', async () => {
    const refusal = await refusedHandshake(world.venue.streams.replace(/\/ws$/, '/nothing'));
    expect(refusal.status).toBe(404);
  });

  test('an oversized or binary frame harms nobody else', async () => {
    const [loud, quiet] = [await world.socket(), await world.socket()];
    loud.sendBytes(new Uint8Array([1, 2, 3]));
    loud.send(
      JSON.stringify({ method: 'subscribe', subscription: { type: 'x'.repeat(5_000_000) } }),
    );
    expect(await quiet.ask({ method: 'ping' }, () => true)).toEqual({ method: 'PONG' });
    expect((await world.client.info({ type: 'settings' })).status).toBe(200);
  });
});

describe('l2Book', () => {
  test('a snapshot at once, then the whole book after each change', async () => {
    const alice = await world.trader('alice');
    const { eth } = world;
    const socket = await world.socket();
    const response = await socket.subscribe({ type: 'l2Book', coin: eth.coin });
    const first = await socket.next(onChannel('l2Book'));
    expectShape(first.data, book);
    expect(first.data).toMatchObject({ coin: 'ETH-USDC', levels: [[], []] });
    expect(first.sub).toBe(response.sub);
    const level = { px: eth.at(-100), sz: eth.worth(20), n: 1 };
    await alice.placed({ market: eth, side: 'buy', price: level.px, size: level.sz });
    const changed = await socket.next(
      (frame) => frame.channel === 'l2Book' && frame.data.levels[0].length === 1,
    );
    expect(changed.data.levels).toEqual([[level], []]);
    await alice.placed({ market: eth, side: 'sell', price: eth.at(100), size: level.sz });
    const both = await socket.next(
      (frame) => frame.channel === 'l2Book' && frame.data.levels[1].length === 1,
    );
    expect(both.data.levels).toEqual([[level], [{ ...level, px: eth.at(100) }]]);
    expectUnbroken(socket.of('l2Book'));
    const asked = await world.client.data({ type: 'l2Book', coin: eth.coin });
    expect(asked.levels).toEqual(both.data.levels);
  });

  test('a coarser tick is a subscription of its own', async () => {
    const { universe } = await world.client.data({ type: 'perpMeta' });
    const { bookTicks } = universe.find((perp: Json) => perp.index === world.sol.id);
    const socket = await world.socket();
    const fine = await socket.subscribe({ type: 'l2Book', coin: world.sol.coin });
    const tick = bookTicks.at(-1);
    const coarse = await socket.subscribe({ type: 'l2Book', coin: world.sol.coin, tick });
    expect(coarse.sub).not.toBe(fine.sub);
    await socket.next((frame) => frame.channel === 'l2Book' && frame.sub === coarse.sub);
  });
});

describe('trades', () => {
  const trade = record({
    coin: text,
    instrumentId: integer,
    side: exactly('B', 'A'),
    px: price,
    sz: price,
    time,
    hash,
    tid: integer,
    users: pairOf(address),
  });

  test('both sides and any onlooker see the same trade', async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const { sol } = world;
    const sockets = [await world.socket(), await world.socket()] as const;
    for (const socket of sockets) await socket.subscribe({ type: 'trades', coin: sol.coin });
    expect(sockets[0].of('trades')).toEqual([]);
    const [px, sz] = [sol.at(0), sol.worth(30)];
    await bob.placed({ market: sol, side: 'buy', price: px, size: sz });
    const taker = await alice.place(order({ market: sol, side: 'sell', price: px, size: sz }));
    const seen = [];
    for (const socket of sockets) seen.push(await socket.next(onChannel('trades')));
    expectShape(seen[0].data, listOf(trade));
    expect(seen[0].data).toMatchObject([
      {
        coin: expect.stringMatching(/^SOL/),
        instrumentId: sol.id,
        side: 'A',
        px,
        sz,
        hash: taker.json.txHash,
        users: [bob.address, alice.address],
      },
    ]);
    expect(seen[1].data).toEqual(seen[0].data);
    expect(seen[1].seq).toBe(seen[0].seq);
  });

  test('one order through several makers is several trades, best price first', async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const { sol } = world;
    const socket = await world.socket();
    await socket.subscribe({ type: 'trades', coin: sol.coin });
    const sz = sol.worth(20);
    const prices = [0, 1, 2].map((step) => sol.ticks(sol.at(10), step));
    await bob.place(
      ...prices.map((px) => order({ market: sol, side: 'sell', price: px, size: sz })),
    );
    const size = show(exact(sz) * 3n);
    await alice.placed({ market: sol, side: 'buy', price: prices[2]!, size });
    const rows = await eventually(() => {
      const all = socket.of('trades').flatMap((frame) => frame.data);
      expect(all).toHaveLength(3);
      return all;
    });
    expect(rows.map((row) => row.px)).toEqual(prices);
    expect(new Set(rows.map((row) => row.tid)).size).toBe(3);
    expect(rows.map((row) => row.side)).toEqual(['B', 'B', 'B']);
  });
});

describe('orderUpdates', () => {
  test('an order’s life: open, partly filled, filled', async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const { btc } = world;
    const socket = await world.socket();
    await socket.subscribe({ type: 'orderUpdates', user: bob.address });
    const half = btc.worth(30);
    const size = show(exact(half) * 2n);
    const cloid = cloidOf('life');
    const px = btc.at(0);
    const { oid } = await bob.placed({ market: btc, side: 'sell', price: px, size, cloid });
    const open = await told(socket, oid, 'open');
    expectShape(open, orderUpdate);
    expect(open.order).toMatchObject({
      coin: 'BTC',
      symbol: 'BTC-USDC',
      instrumentId: btc.id,
      side: 'A',
      limitPx: px,
      sz: size,
      origSz: size,
      filledSz: '0',
      avgPx: null,
      reduceOnly: false,
      orderType: 'Limit',
      tif: 'GTC',
      cloid,
    });
    await alice.placed({ market: btc, side: 'buy', price: px, size: half });
    await alice.placed({ market: btc, side: 'buy', price: px, size: half });
    const filled = await told(socket, oid, 'filled');
    expect(filled.order).toMatchObject({ sz: '0', origSz: size, filledSz: size, avgPx: px });
    expect(filled).not.toHaveProperty('reason');
    const life = updates(socket).map((row) => [row.status, row.order.sz]);
    expect(life).toEqual([
      ['open', size],
      ['open', half],
      ['filled', '0'],
    ]);
    const frames = socket.of('orderUpdates');
    expectUnbroken(frames);
    for (const frame of frames) expect(Number.isInteger(frame.height)).toBe(true);
  });

  test('every end has its reason (section 4)', async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const { btc } = world;
    const socket = await world.socket();
    await socket.subscribe({ type: 'orderUpdates', user: alice.address });
    const size = btc.worth(20);
    const buy = { market: btc, side: 'buy', price: btc.at(-500), size } as const;

    const cancelled = await alice.placed(buy);
    await alice.cancel({ a: btc.id, o: cancelled.oid });
    expect(await told(socket, cancelled.oid, 'cancelled')).toMatchObject({
      reason: 'userCanceled',
      order: { sz: size, filledSz: '0' },
    });

    const immediate = await alice.placed({ ...buy, tif: 'Ioc' });
    expect((await told(socket, immediate.oid, 'cancelled')).reason).toBe('iocRemainder');

    const own = await alice.placed({ ...buy, side: 'sell', price: btc.at(10) });
    await alice.placed({ ...buy, price: btc.at(10) });
    expect((await told(socket, own.oid, 'cancelled')).reason).toBe('selfTrade');

    await bob.placed({ ...buy, side: 'sell', price: btc.at(20) });
    const cloid = cloidOf('rejected');
    await alice.place(order({ ...buy, price: btc.at(30), tif: 'Alo', cloid }));
    const rejected = await eventually(() => {
      const found = updates(socket).find((row) => row.status === 'rejected');
      if (!found) throw new Error('No rejection yet');
      return found;
    });
    expect(rejected.reason).toBe('Post only order would have immediately matched');
    expect(rejected.order.cloid).toBe(cloid);
  });

  test('a maker short of margin is told so (R-fill-check)', async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const { btc } = world;
    const socket = await world.socket();
    await socket.subscribe({ type: 'orderUpdates', user: alice.address });
    const far = { market: btc, price: btc.at(7000), size: btc.worth(5000) };
    const { oid } = await alice.placed({ ...far, side: 'buy' });
    await bob.placed({ ...far, side: 'sell', tif: 'Ioc' });
    expect((await told(socket, oid, 'cancelled')).reason).toBe('marginCanceled');
  });

  test('one sees only one’s own orders', async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const { btc } = world;
    const socket = await world.socket();
    await socket.subscribe({ type: 'orderUpdates', user: alice.address });
    const far = { market: btc, side: 'buy', price: btc.at(-500), size: btc.worth(20) } as const;
    await bob.placed(far);
    const { oid } = await alice.placed(far);
    await told(socket, oid, 'open');
    expect(updates(socket).map((row) => row.order.oid)).toEqual([oid]);
  });
});

describe('clearinghouseState', () => {
  test('a snapshot at once, then position and margin after each fill', async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const { btc } = world;
    const socket = await world.socket();
    await socket.subscribe({ type: 'clearinghouseState', user: alice.address });
    const first = await socket.next(onChannel('clearinghouseState'));
    expectShape(first.data, record({ user: address, accountType: text, clearinghouseState }));
    expect(first.data).toMatchObject({
      user: alice.address,
      accountType: 'perp',
      clearinghouseState: { assetPositions: [], withdrawable: '1000' },
    });
    const size = btc.worth(100);
    await bob.placed({ market: btc, side: 'sell', price: btc.at(0), size });
    await alice.placed({ market: btc, side: 'buy', price: btc.at(0), size });
    const after = await socket.next(
      (frame) =>
        frame.channel === 'clearinghouseState' &&
        frame.data.clearinghouseState.assetPositions.length === 1,
    );
    expectShape(after.data.clearinghouseState, clearinghouseState);
    const { position } = after.data.clearinghouseState.assetPositions[0];
    expect(position).toMatchObject({ szi: size, entryPx: btc.at(0) });
    expect(Number.isInteger(after.height)).toBe(true);
    expectUnbroken(socket.of('clearinghouseState'));
  });
});

describe('activeAssetCtx', () => {
  test('a snapshot at once, with mark and oracle', async () => {
    const { eth } = world;
    const socket = await world.socket();
    await socket.subscribe({ type: 'activeAssetCtx', coin: eth.coin });
    const { data } = await socket.next(onChannel('activeAssetCtx'));
    expectShape(
      data,
      record({
        coin: text,
        instrumentId: exactly(eth.id),
        ctx: record({
          dayNtlVlm: decimal,
          dayBaseVlm: decimal,
          prevDayPx: decimalOrUnset,
          markPx: price,
          midPx: nullable(price),
          oraclePx: price,
          openInterest: price,
          funding: decimal,
          premium: nullable(decimal),
          impactPxs: nullable(pairOf(decimal)),
          nextFundingTime: time,
        }),
      }),
    );
    expect(data.ctx.oraclePx).toBe(show(eth.mark));
  });

  test('open interest follows the trades', async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const { eth } = world;
    const socket = await world.socket();
    await socket.subscribe({ type: 'activeAssetCtx', coin: eth.coin });
    const first = await socket.next(onChannel('activeAssetCtx'));
    const size = eth.worth(100);
    await bob.placed({ market: eth, side: 'sell', price: eth.at(0), size });
    await alice.placed({ market: eth, side: 'buy', price: eth.at(0), size });
    const expected = show(exact(first.data.ctx.openInterest) + exact(size));
    await socket.next(
      (frame) => frame.channel === 'activeAssetCtx' && frame.data.ctx.openInterest === expected,
    );
  });
});

describe('going on after a break (11.9)', () => {
  const resting = (steps: number) => {
    const { btc } = world;
    const px = btc.ticks(btc.at(-500), -steps);
    return { market: btc, side: 'buy', price: px, size: btc.worth(20) } as const;
  };
  /** What must be the same on every connection: all but the number of the subscription. */
  const bare = (frames: Json[]) => frames.map(({ sub: _sub, ...rest }) => rest);

  test('the missed frames come as they were, then the live ones', async () => {
    const alice = await world.trader('alice');
    const subscription = { type: 'orderUpdates', user: alice.address };
    const [witness, broken] = [await world.socket(), await world.socket()];
    await witness.subscribe(subscription);
    const { epoch } = await broken.subscribe(subscription);
    await alice.placed(resting(0));
    const { seq } = await broken.next(onChannel('orderUpdates'));
    await broken.close();
    for (const step of [1, 2, 3]) await alice.placed(resting(step));
    await eventually(() => expect(updates(witness)).toHaveLength(4));

    const resumed = await world.socket();
    await resumed.subscribe(subscription, { epoch, seq });
    await eventually(() => expect(updates(resumed)).toHaveLength(3));
    await alice.placed(resting(4));
    await eventually(() => expect(updates(resumed)).toHaveLength(4));
    await eventually(() => expect(updates(witness)).toHaveLength(5));
    expect(bare(resumed.of('orderUpdates'))).toEqual(
      bare(witness.of('orderUpdates').filter((frame) => frame.seq > seq)),
    );
    expect(resumed.of('resync')).toEqual([]);
  });

  test('frames are kept while nobody listens', async () => {
    const alice = await world.trader('alice');
    const subscription = { type: 'orderUpdates', user: alice.address };
    const first = await world.socket();
    const { epoch, seq } = await first.subscribe(subscription);
    await first.close();
    const { oid } = await alice.placed(resting(0));
    const second = await world.socket();
    await second.subscribe(subscription, { epoch, seq });
    const open = await told(second, oid, 'open');
    expect(open.order.origSz).toBe(resting(0).size);
    expect(second.of('orderUpdates')[0].seq).toBe(seq + 1);
  });

  test('a book resumes without a snapshot', async () => {
    const alice = await world.trader('alice');
    const { btc } = world;
    const subscription = { type: 'l2Book', coin: btc.coin };
    const [witness, broken] = [await world.socket(), await world.socket()];
    await witness.subscribe(subscription);
    const { epoch } = await broken.subscribe(subscription);
    const { seq } = await broken.next(onChannel('l2Book'));
    await broken.close();
    const { price: px } = resting(0);
    await alice.placed(resting(0));
    const isThere = (frame: Json) =>
      frame.channel === 'l2Book' && frame.data.levels[0].some((row: Json) => row.px === px);
    const missed = await witness.next(isThere);
    const resumed = await world.socket();
    await resumed.subscribe(subscription, { epoch, seq });
    const got = await resumed.next(isThere);
    expect(bare([got])).toEqual(bare([missed]));
    expect(resumed.of('l2Book')[0].seq).toBe(seq + 1);
    expectUnbroken(resumed.of('l2Book'));
  });

  test('nothing missed, nothing sent', async () => {
    const alice = await world.trader('alice');
    const subscription = { type: 'orderUpdates', user: alice.address };
    const first = await world.socket();
    const { epoch, seq } = await first.subscribe(subscription);
    await first.close();
    const second = await world.socket();
    const again = await second.subscribe(subscription, { epoch, seq });
    expect(again).toMatchObject({ epoch, seq });
    await second.ask({ method: 'ping' }, (frame) => frame.method === 'PONG');
    expect(updates(second)).toEqual([]);
    expect(second.of('resync')).toEqual([]);
  });

  test.each(['epoch', 'ahead'] as const)(
    'what cannot be resumed is resynced: %s',
    async (reason) => {
      const alice = await world.trader('alice');
      const subscription = { type: 'orderUpdates', user: alice.address };
      const first = await world.socket();
      const { epoch } = await first.subscribe(subscription);
      const placed = [await alice.placed(resting(0)), await alice.placed(resting(1))];
      await told(first, placed[1].oid, 'open');
      const seq = first.of('orderUpdates').at(-1).seq;
      const second = await world.socket();
      const from = reason === 'epoch' ? { epoch: 'another', seq } : { epoch, seq: seq + 1000 };
      const response = await second.subscribe(subscription, from);
      const resync = await second.next(onChannel('resync'));
      expect(resync.data).toMatchObject({ sub: response.sub, epoch, seq, reason, subscription });
      const snapshot = await second.next(onChannel('orderUpdates'));
      expect(snapshot).toMatchObject({ isSnapshot: true, seq });
      expect(new Set(snapshot.data.map((row: Json) => row.order.oid))).toEqual(
        new Set(placed.map((result) => result.oid)),
      );
      for (const row of snapshot.data) expect(row.status).toBe('open');
      const { oid } = await alice.placed(resting(2));
      await told(second, oid, 'open');
      expect(second.of('orderUpdates').map((frame) => frame.seq)).toEqual([seq, seq + 1]);
    },
  );

  test('a resync of trades brings the last ones', async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const { eth } = world;
    const trade = { market: eth, price: eth.at(0), size: eth.worth(20) };
    await bob.placed({ ...trade, side: 'sell' });
    await alice.placed({ ...trade, side: 'buy' });
    const socket = await world.socket();
    await socket.subscribe({ type: 'trades', coin: eth.coin }, { epoch: 'another', seq: 0 });
    await socket.next(onChannel('resync'));
    const snapshot = await socket.next(onChannel('trades'));
    expect(snapshot.isSnapshot).toBe(true);
    expect(snapshot.data.length).toBeGreaterThan(0);
    expect(snapshot.data.length).toBeLessThanOrEqual(50);
  });

  test('a restart begins a new epoch, and the client is brought up to date', async () => {
    const alice = await world.trader('alice');
    const subscription = { type: 'orderUpdates', user: alice.address };
    const before = await world.socket();
    const { epoch } = await before.subscribe(subscription);
    const { oid } = await alice.placed(resting(0));
    await told(before, oid, 'open');
    const { seq } = before.of('orderUpdates').at(-1);
    await world.venue.stop();
    await before.closed;
    await world.venue.startAgain();
    const after = await world.socket();
    const response = await after.subscribe(subscription, { epoch, seq });
    expect(response.epoch).not.toBe(epoch);
    expect((await after.next(onChannel('resync'))).data.reason).toBe('epoch');
    const snapshot = await after.next(onChannel('orderUpdates'));
    expect(snapshot.data.map((row: Json) => row.order.oid)).toEqual([oid]);
  });
});
