import { beforeAll, describe, expect, test } from 'vitest';
import { aSharedVenue, type Actor } from '../support/actors.ts';
import type { Json } from '../support/client.ts';
import {
  expectCursorRefusals,
  expectPaging,
  expectRefusals,
  expectTimes,
  queryHistory,
} from '../support/history.ts';
import { send, tokenSend } from '../support/keys.ts';
import { succeeded, OPERATED } from '../support/perps.ts';
import { HOLDING } from '../support/venue-process.ts';

const world = aSharedVenue([...OPERATED, ...HOLDING]);
let alice: Actor;
let bob: Actor;

beforeAll(async () => {
  alice = await world.resident('alice');
  bob = await world.resident('bob');
  succeeded(await tokenSend(alice, { to: alice.address, amount: '100', into: 'outcome' }));
  succeeded(await tokenSend(alice, { to: bob.address, amount: '50' }));
  succeeded(
    await tokenSend(alice, { to: bob.address, amount: '5', from: 'outcome', into: 'outcome' }),
  );
});

const ledgerOf = async (actor: Actor, more: object = {}): Promise<Json[]> => {
  const query = { type: 'userNonFundingLedgerUpdates', user: actor.address };
  return (await queryHistory(world.client, { ...query, ...more })).data;
};
const kinds = (rows: Json[]) => rows.map(({ delta }) => `${delta.type} ${delta.amount}`);

describe('userNonFundingLedgerUpdates lists balance changes', () => {
  test('the ledger lists rows newest first, for both sub-accounts or for one', async () => {
    expect(kinds(await ledgerOf(alice))).toEqual([
      'send 5',
      'send 50',
      'accountTransfer 100',
      'faucet 1000',
    ]);
    expect(kinds(await ledgerOf(alice, { accountTypes: 'perps' }))).toEqual([
      'send 50',
      'accountTransfer 100',
      'faucet 1000',
    ]);
    expect(kinds(await ledgerOf(alice, { accountTypes: ['outcome'] }))).toEqual([
      'send 5',
      'accountTransfer 100',
    ]);
    expect(kinds(await ledgerOf(bob, { accountTypes: ['outcome'] }))).toEqual(['receive 5']);
  });

  test('the hash of a ledger row identifies the request or, for the faucet, the block', async () => {
    const rows = await ledgerOf(alice);
    const tx = await queryHistory(world.client, { type: 'tx', txHash: rows[0].hash });
    expect(tx.data).toMatchObject({ action: { type: 'tokenSend', amount: '5' }, error: null });
    const block = await queryHistory(world.client, { type: 'block', hash: rows.at(-1).hash });
    expect(block.data.blockTime).toBe(rows.at(-1).time);
  });

  test('the ledger filters by time range, pages, and rejects invalid queries', async () => {
    const query = { type: 'userNonFundingLedgerUpdates', user: alice.address };
    const rows = await ledgerOf(alice);
    await expectTimes(world.client, query, rows, ({ time }) => time);
    await expectPaging(world.client, query, rows);
    await expectRefusals(world.client, { type: 'userNonFundingLedgerUpdates' });
    await expectCursorRefusals(world.client, query);
    const outsider = world.unfunded('nobody').address;
    expect(await queryHistory(world.client, { ...query, user: outsider })).toMatchObject({
      data: [],
    });
  });
});

describe("withdrawals lists an account's withdrawals", () => {
  test('withdrawals are listed newest first and are pending until the bridge reports a result', async () => {
    const carol = await world.resident('carol');
    const destination = bob.address;
    for (const amount of ['10', '20', '30']) {
      succeeded(await send(carol, 'withdraw3', { destination, amount }));
    }
    const query = { type: 'withdrawals', user: carol.address };
    const { data } = await queryHistory(world.client, query);
    expect(data.map(({ amount }: Json) => amount)).toEqual(['30', '20', '10']);
    const { withdraw_fee: fee } = await world.client.data({ type: 'settings' });
    expect(data[0]).toEqual({
      id: expect.any(Number),
      time: expect.any(Number),
      destination,
      amount: '30',
      fee,
      status: 'held',
      txHash: null,
      error: null,
      updateTime: data[0].time,
    });
    const ask = async (more: object) =>
      (await queryHistory(world.client, { ...query, ...more })).data;
    expect(await ask({ limit: 1 })).toEqual(data.slice(0, 1));
    expect(await ask({ before: data[0].id })).toEqual(data.slice(1));
    expect(await ask({ before: data[2].id })).toEqual([]);
    expect(await ask({ user: bob.address })).toEqual([]);
    expect(kinds(await ledgerOf(carol, { limit: 1 }))).toEqual(['withdraw 30']);
    await expectRefusals(world.client, { type: 'withdrawals' });
    const { warnings } = await queryHistory(world.client, { ...query, limit: 1_000 });
    expect(warnings).toMatchObject([{ code: 'LIMIT_CLAMPED', details: { from: 1_000, to: 200 } }]);
    expect((await world.client.info({ ...query, limit: 0 })).json.message).toBe('Invalid limit');
  });
});

describe('userFundings is empty before the first hour ends', () => {
  const ask = async (more: object = {}) => {
    const reply = await world.client.info({ type: 'userFundings', user: alice.address, ...more });
    const { json, status } = reply;
    return json.success ? json.data : `${status} ${json.code} ${json.message}`;
  };

  test('userFundings returns no rows before the first hour ends, whatever the parameters', async () => {
    const nothing = { data: [], hasMore: false };
    for (const more of [
      {},
      { coin: 'BTC' },
      { coin: 'btc-usdc' },
      { coin: '1' },
      { contract: 'active' },
      { contract: 'all' },
      { accountType: ['outcome'] },
      { fundingType: 'paid' },
      { direction: 'collected', startTimeMs: 0, endTime: 5 },
      { user: world.unfunded('nobody').address },
    ]) {
      expect(await ask(more), JSON.stringify(more)).toMatchObject(nothing);
    }
  });

  test('userFundings rejects invalid queries', async () => {
    expect(await ask({ coin: 'NONE' })).toBe('200 10404 Instrument not found');
    expect(await ask({ coin: 'BTC', contract: 'active' })).toBe(
      '200 10000 contract is not allowed with coin',
    );
    expect(await ask({ contract: 'some' })).toBe('400 10002 Wrong type for contract');
    expect(await ask({ fundingType: 'both' })).toBe('400 10002 Wrong type for fundingType');
    expect(await ask({ limit: 0 })).toBe('200 10000 Invalid limit');
    expect(await ask({ offset: 200_001 })).toBe('200 10000 Invalid offset');
    await expectRefusals(world.client, { type: 'userFundings' });
    await expectCursorRefusals(world.client, { type: 'userFundings', user: alice.address });
  });
});
