import { beforeAll, describe, expect, test } from 'vitest';
import { aSharedVenue, orderAction, type Actor } from '../support/actors.ts';
import type { Json } from '../support/client.ts';
import { Deployer, shareTrader } from '../support/deployer.ts';
import { eventually } from '../support/client.ts';
import { queryHistory } from '../support/history.ts';
import { bet, OUTCOMES, placed, queued } from '../support/outcomes.ts';
import { newScene, Operator, type OwnPerp } from '../support/perps.ts';
import { ZERO_ADDRESS } from '../support/wallet.ts';

const world = aSharedVenue(OUTCOMES);
const operator = new Operator(world);
const deployer = new Deployer(world);

let perp: OwnPerp;
let alice: Actor;

beforeAll(async () => {
  ({ perp } = await newScene(world, operator));
  alice = await world.resident('alice');
});

const refused = async (query: object) => {
  const { json, status } = await world.client.info(query);
  return `${status} ${json.code} ${json.message}`;
};
const NO_HASH = `0x${'0'.repeat(64)}`;

describe('blocks lists the blocks of the log', () => {
  test('blocks are listed newest first, linked by hash, with the state hash', async () => {
    await alice.placed({ market: perp, side: 'buy', price: '90', size: '1' });
    const { asOf, data } = await queryHistory(world.client, { type: 'blocks', limit: 10 });
    expect(data).toHaveLength(10);
    expect(data[0].height).toBe(asOf.height);
    for (const [index, row] of data.entries()) {
      expect(row).toMatchObject({ height: asOf.height - index, proposer: ZERO_ADDRESS });
      if (index > 0) expect(data[index - 1].parentHash).toBe(row.hash);
    }
    const { height, blockTime, stateHash } = data[3];
    expect(await world.client.data({ type: 'stateHash', height })).toEqual({
      height,
      blockTime,
      stateHash,
    });
  });

  test('blocks can be listed below a height, all the way down to the first block', async () => {
    const { data } = await queryHistory(world.client, { type: 'blocks', before: 4 });
    expect(data.map(({ height }: Json) => height)).toEqual([3, 2, 1]);
    expect((await queryHistory(world.client, { type: 'blocks', before: 1 })).data).toEqual([]);
    expect(await refused({ type: 'blocks', limit: 0 })).toBe('200 10000 Invalid limit');
    const { warnings } = await queryHistory(world.client, { type: 'blocks', limit: 101 });
    expect(warnings).toMatchObject([{ code: 'LIMIT_CLAMPED', details: { from: 101, to: 100 } }]);
  });
});

describe('block returns one block and its requests', () => {
  test('a block can be looked up by height or by hash, with its executed requests', async () => {
    const signed = await alice.sign(
      orderAction({ a: perp.id, b: true, p: '91', s: '1', r: false, t: { limit: { tif: 'Gtc' } } }),
    );
    const { json } = await world.client.executed(signed);
    const { data } = await queryHistory(world.client, { type: 'block', height: json.height });
    expect(data.numTxs).toBe(data.txs.length);
    expect(data.txs).toContainEqual({
      hash: signed.txHash,
      time: data.blockTime,
      user: alice.address,
      action: { type: 'order' },
      block: json.height,
      error: null,
    });
    expect((await queryHistory(world.client, { type: 'block', hash: data.hash })).data).toEqual(
      data,
    );
  });

  test('unknown blocks are rejected', async () => {
    const { asOf } = await queryHistory(world.client, { type: 'blocks', limit: 1 });
    const missing = '200 10404 Block not found';
    expect(await refused({ type: 'block', height: asOf.height + 100_000 })).toBe(missing);
    expect(await refused({ type: 'block', height: 0 })).toBe(missing);
    expect(await refused({ type: 'block', hash: NO_HASH })).toBe(missing);
    expect(await refused({ type: 'block' })).toBe('400 10002 Missing field: height');
    expect(await refused({ type: 'block', hash: '0x1' })).toBe('400 10002 Wrong type for hash');
    expect(await refused({ type: 'stateHash', height: asOf.height + 100_000 })).toBe(missing);
    expect(await refused({ type: 'stateHash', height: 0 })).toBe(missing);
  });
});

describe('tx returns one request', () => {
  test('tx returns the request as received and its result', async () => {
    const action = orderAction({
      a: perp.id,
      b: true,
      p: '92.0',
      s: '1',
      r: false,
      t: { limit: { tif: 'Gtc' } },
    });
    const signed = await alice.sign(action);
    const { json } = await world.client.executed(signed);
    const { data } = await queryHistory(world.client, { type: 'tx', txHash: signed.txHash });
    const { envelope } = signed;
    expect(data).toEqual({
      hash: signed.txHash,
      time: expect.any(Number),
      user: alice.address,
      block: json.height,
      error: null,
      index: expect.any(Number),
      signer: alice.address,
      nonce: envelope.nonce,
      vaultAddress: null,
      signatureChainId: null,
      expiresAfter: null,
      action,
      signature: envelope.signature,
      traceId: signed.traceId,
      result: { type: 'PlaceOrder', statuses: ['success'], orders: json.data.data.orders },
    });
    expect((await queryHistory(world.client, { type: 'tx', hash: signed.txHash })).data).toEqual(
      data,
    );
  });

  test('tx returns the reason why a request was rejected at execution', async () => {
    const signed = await alice.sign({ type: 'cancel', cancels: [{ a: perp.id, o: 999_999 }] });
    await world.client.executed(signed);
    const { data } = await queryHistory(world.client, { type: 'tx', txHash: signed.txHash });
    const error = `Order was never placed, already canceled, or filled. asset=${perp.id}`;
    expect(data.error).toBe(error);
    expect(data.result.statuses).toMatchObject([
      { error: expect.stringContaining('Order was never placed') },
    ]);
  });

  test('R-delay: tx hides the content of a queued order until the order is released', async () => {
    const market = await deployer.list({ orderDelayMs: 3_000 });
    const [carol, dave] = [await shareTrader(world, 'carol'), await shareTrader(world, 'dave')];
    await placed(dave, market, 'buy No 10 at 0.6');
    const order = bet(market, 'buy Yes 10 at 0.4');
    const signed = await queued(carol, order);
    const query = { type: 'tx', txHash: signed.txHash };
    const found = await eventually(async () => (await queryHistory(world.client, query)).data);
    expect(found).toMatchObject({
      action: { type: 'order' },
      signer: carol.address,
      result: { type: 'PlaceOrder', statuses: ['success'] },
    });
    expect(Object.keys(found.action)).toEqual(['type']);
    const list = (await queryHistory(world.client, { type: 'txs', height: found.block })).data;
    const listed = list.find(({ hash }: { hash: string }) => hash === signed.txHash);
    expect(listed).toMatchObject({ action: { type: 'order' }, entries: null });
    expect(Object.keys(listed.action)).toEqual(['type']);
    expect(found.result).not.toHaveProperty('orders');
    const released = await eventually(async () => {
      const { data } = await queryHistory(world.client, query);
      expect(data.action.orders).toEqual([order]);
      return data;
    });
    expect(released.result.orders).toMatchObject([{ state: 'filled', filledSz: '10' }]);
  });

  test('tx shows an immediate reject while another order from the action is still waiting', async () => {
    const market = await deployer.list({ orderDelayMs: 1_000 });
    const [carol, dave] = [await shareTrader(world, 'carol'), await shareTrader(world, 'dave')];
    await placed(dave, market, 'buy No 10 at 0.6');
    const postOnly = { ...bet(market, 'buy Yes 10 at 0.4'), t: { limit: { tif: 'Alo' } } };
    const signed = await carol.sign(orderAction(postOnly, bet(market, 'buy Yes 5 at 0.3')));
    await carol.client.exchange(signed);
    const txHash = signed.txHash;
    const { error, status } = await eventually(async () => {
      const found = await world.client.data({ type: 'actionStatus', txHash });
      expect(found.status).toBe('failed');
      return found;
    });
    const { data } = await queryHistory(world.client, { type: 'tx', txHash });
    const { data: block } = await queryHistory(world.client, { type: 'block', height: data.block });
    const { data: list } = await queryHistory(world.client, { type: 'txs', height: data.block });
    const shown = [block.txs, list].map(
      (rows) => rows.find((row: Json) => row.hash === txHash).error,
    );
    expect([status, data.error, ...shown]).toEqual(['failed', ...Array(3).fill(error.message)]);
    expect(error.message).not.toBe('');
  });

  test('unknown transactions are rejected', async () => {
    expect(await refused({ type: 'tx', txHash: NO_HASH })).toBe('200 10404 Transaction not found');
    expect(await refused({ type: 'tx' })).toBe('400 10002 Missing field: txHash');
    expect(await refused({ type: 'tx', txHash: 'x' })).toBe('400 10002 Wrong type for txHash');
  });
});

describe('txs lists requests', () => {
  const bid = (p: string) =>
    ({ a: perp.id, b: true, p, s: '1', r: false, t: { limit: { tif: 'Gtc' } } }) as const;

  test('txs lists requests newest first, with their first entry and number of entries', async () => {
    const action = { type: 'order', orders: [bid('90'), bid('89')], grouping: 'na' } as const;
    const signed = await alice.sign(action);
    const { json } = await world.client.executed(signed);
    const oid = 999_999;
    const cancels = [{ a: perp.id, o: oid }];
    const refusedOne = await alice.sign({ type: 'cancel', cancels });
    await world.client.executed(refusedOne);
    const { data } = await queryHistory(world.client, { type: 'txs', limit: 2 });
    expect(data).toEqual([
      {
        hash: refusedOne.txHash,
        time: expect.any(Number),
        user: alice.address,
        action: { type: 'cancel', cancels },
        block: expect.any(Number),
        error: expect.stringContaining('Order was never placed'),
        entries: 1,
      },
      {
        hash: signed.txHash,
        time: expect.any(Number),
        user: alice.address,
        action: { ...action, orders: [bid('90')] },
        block: json.height,
        error: null,
        entries: 2,
      },
    ]);
  });

  test('txs lists the requests of a block in execution order', async () => {
    const [newest] = (await queryHistory(world.client, { type: 'txs', limit: 1 })).data;
    const height = newest.block;
    const { data: block } = await queryHistory(world.client, { type: 'block', height });
    const { data } = await queryHistory(world.client, { type: 'txs', height });
    expect(data.map(({ hash }: { hash: string }) => hash)).toEqual(
      block.txs.map(({ hash }: { hash: string }) => hash),
    );
    expect((await queryHistory(world.client, { type: 'txs', height: 1 })).data).toEqual([]);
    expect(await refused({ type: 'txs', limit: 0 })).toBe('200 10000 Invalid limit');
    const own = await queryHistory(world.client, { type: 'txs', height, user: newest.user });
    expect(own.data).toEqual(data.filter(({ user }: { user: string }) => user === newest.user));
  });

  test("txs pages through an account's requests and finds an order's request by time", async () => {
    const sent = [];
    for (const price of ['80', '81', '82']) {
      const signed = await alice.sign({ type: 'order', orders: [bid(price)], grouping: 'na' });
      const { json } = await world.client.executed(signed);
      sent.unshift({ hash: signed.txHash, height: json.height });
    }
    const asked = { type: 'txs', user: alice.address, limit: 2 } as const;
    const first = await queryHistory(world.client, asked);
    const second = await queryHistory(world.client, { ...asked, cursor: first.nextCursor });
    const hashes = [...first.data, ...second.data].map(({ hash }: { hash: string }) => hash);
    expect(hashes.slice(0, 3)).toEqual(sent.map(({ hash }) => hash));
    expect(new Set(hashes).size).toBe(4);
    // Following the cursors must return each of the account's requests exactly once.
    let { data, nextCursor } = second;
    const all = [...first.data, ...data];
    while (nextCursor !== null) {
      ({ data, nextCursor } = await queryHistory(world.client, { ...asked, cursor: nextCursor }));
      all.push(...data);
    }
    expect(new Set(all.map(({ hash }) => hash)).size).toBe(all.length);
    expect(new Set(all.map(({ user }) => user))).toEqual(new Set([alice.address]));
    const [, middle] = first.data;
    const span = { startTime: middle.time, endTime: middle.time };
    const then = await queryHistory(world.client, { type: 'txs', user: alice.address, ...span });
    expect(then.data).toContainEqual(middle);
    expect(new Set(then.data.map(({ time }: { time: number }) => time)).size).toBe(1);
    const nobody = `0x${'12'.repeat(20)}`;
    expect((await queryHistory(world.client, { type: 'txs', user: nobody })).data).toEqual([]);
  });

  test('txs rejects a time range without a user, and a cursor from another account', async () => {
    expect(await refused({ type: 'txs', startTime: 1 })).toMatch(/user/);
    expect(await refused({ type: 'txs', cursor: 'x' })).toMatch(/user/);
    const asked = { type: 'txs', user: alice.address, limit: 1 } as const;
    expect(await refused({ ...asked, cursor: 'x' })).toBe('200 10000 Invalid cursor');
    const { nextCursor } = await queryHistory(world.client, asked);
    const other = { ...asked, user: `0x${'12'.repeat(20)}`, cursor: nextCursor };
    expect(await refused(other)).toBe('200 10000 Invalid cursor');
  });
});
