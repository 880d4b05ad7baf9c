import { describe, expect, test } from 'vitest';
import { aVenue, order } from '../support/actors.ts';
import { type Json, eventually } from '../support/client.ts';
import { expectUnbroken, onChannel, untilStatus, updates } from '../support/frames.ts';
import { succeeded } from '../support/perps.ts';

const world = aVenue();

describe('a client can resume after a disconnect', () => {
  const resting = (steps: number) => {
    const { btc } = world;
    const px = btc.ticks(btc.at(-500), -steps);
    return { market: btc, side: 'buy', price: px, size: btc.worth(20) } as const;
  };
  /** Removes the subscription number, which is the only field that differs between connections. */
  const bare = (frames: Json[]) => frames.map(({ sub: _sub, ...rest }) => rest);

  test('a resumed stream sends the missed frames unchanged, followed by the live frames', async () => {
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

  test('the venue keeps frames even while there are no subscribers', async () => {
    const alice = await world.trader('alice');
    const subscription = { type: 'orderUpdates', user: alice.address };
    const first = await world.socket();
    const { epoch, seq } = await first.subscribe(subscription);
    await first.close();
    const { oid } = await alice.placed(resting(0));
    const second = await world.socket();
    await second.subscribe(subscription, { epoch, seq });
    const open = await untilStatus(second, oid, 'open');
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

  test('a resumed stream sends no frames if none were missed', async () => {
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
    'a resume that is impossible leads to a resync with reason %s',
    async (reason) => {
      const alice = await world.trader('alice');
      const subscription = { type: 'orderUpdates', user: alice.address };
      const first = await world.socket();
      const { epoch } = await first.subscribe(subscription);
      const placed = [await alice.placed(resting(0)), await alice.placed(resting(1))];
      await untilStatus(first, placed[1].oid, 'open');
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
      await untilStatus(second, oid, 'open');
      expect(second.of('orderUpdates').map((frame) => frame.seq)).toEqual([seq, seq + 1]);
    },
  );

  test('a resync of trades sends the latest trades', async () => {
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

  test('a restart begins a new epoch, and the client gets the current state', async () => {
    const alice = await world.trader('alice');
    const subscription = { type: 'orderUpdates', user: alice.address };
    const before = await world.socket();
    const { epoch } = await before.subscribe(subscription);
    const { oid } = await alice.placed(resting(0));
    await untilStatus(before, oid, 'open');
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

  test('one connection resumes five streams, each of which missed megabytes', async () => {
    const people = await Promise.all(
      ['ann', 'ben', 'cat', 'dan', 'eve'].map((name) => world.trader(name)),
    );
    const broken = await world.socket();
    const streams: Json[] = [];
    for (const { address } of people) {
      const subscription = { type: 'orderUpdates', user: address };
      const { epoch, seq } = await broken.subscribe(subscription);
      streams.push({ subscription, resumeFrom: { epoch, seq } });
    }
    await broken.close();
    const { btc } = world;
    const each = { market: btc, side: 'buy', price: btc.at(-500), size: btc.worth(12) } as const;
    const fifty = Array.from({ length: 50 }, () => order(each));
    const rounds = 30;
    await Promise.all(
      people.map(async (actor) => {
        for (let round = 0; round < rounds; round++) {
          const { orders } = succeeded(await actor.place(...fifty));
          succeeded(await actor.cancel(...orders.map(({ oid }: Json) => ({ a: btc.id, o: oid }))));
        }
      }),
    );

    const resumed = await world.socket();
    for (const { subscription, resumeFrom } of streams) {
      resumed.send({ method: 'subscribe', subscription, resumeFrom });
    }
    const framesOf = (sub: number) =>
      resumed.of('orderUpdates').filter((frame) => frame.sub === sub);
    await eventually(() => {
      expect(resumed.isOpen).toBe(true);
      expect(resumed.of('resync')).toEqual([]);
      for (const sub of [1, 2, 3, 4, 5]) expect(framesOf(sub)).toHaveLength(2 * rounds);
    });
    const bytes = JSON.stringify(resumed.of('orderUpdates')).length;
    expect(bytes).toBeGreaterThan(4_500_000);
    for (const [index, { resumeFrom }] of streams.entries()) {
      expect(framesOf(index + 1)[0].seq).toBe(resumeFrom.seq + 1);
      expectUnbroken(framesOf(index + 1));
    }
    // Each stream continues with live frames.
    for (const actor of people) await actor.placed(each);
    await eventually(() => {
      for (const sub of [1, 2, 3, 4, 5]) expect(framesOf(sub)).toHaveLength(2 * rounds + 1);
    });
  });
});
