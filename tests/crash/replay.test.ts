import { beforeAll, describe, expect, test } from 'vitest';
import { aVenue, type Actor } from '../support/actors.ts';
import type { Json, Reply } from '../support/client.ts';
import { OPERATED } from '../support/perps.ts';
import { freshSeed } from '../support/fresh-seed.ts';
import { seededRandom } from '../support/seeded.ts';
import { nextNonce, ZERO_ADDRESS, type Envelope } from '../support/wallet.ts';
import { Record, type Recorded } from './record.ts';
import { HOLDING } from '../support/venue-process.ts';

/**
 * Goal: recorded requests never execute twice, whatever the order and spelling in which they are
 * sent again, even after restarts (R-tx, R-nonce). Method: every signable action is sent once,
 * recorded, and sent again in random order; the venue's public data must not change. `REPLAY_SEED=7
 * REPLAY_ROUNDS=40 npx vitest run tests/crash/replay` repeats or extends it.
 */

const SEED = freshSeed('REPLAY_SEED');
const ROUNDS = Number(process.env['REPLAY_ROUNDS'] ?? 1);
const AT_ONCE = 16;

const world = aVenue([
  ...OPERATED,
  ...HOLDING,
  '--oracle-every-ms',
  '1000',
  '--snapshot-every-blocks',
  '40',
]);
const random = seededRandom(SEED);
let record: Record;

beforeAll(async () => {
  record = await Record.begin(world);
  await record.prepare();
  for (let number = 0; number < ROUNDS; number++) await record.round(number);
  const kinds = Object.groupBy(record.requests, ({ kind }) => kind);
  const counts = Object.entries(kinds).map(([kind, requests]) => `${kind} ${requests?.length}`);
  process.stdout.write(`replay test: ${record.requests.length} requests: ${counts.join(', ')}\n`);
});

/** Different spellings of a request that have the same hash. Only unsigned fields differ. */
const SPELLINGS: readonly ((envelope: Envelope) => object)[] = [
  (envelope) => envelope,
  (envelope) => ({ isFrontend: true, ...envelope }),
  ({ signature: { r, s, v }, ...rest }) => ({ ...rest, signature: { v: v - 27, s, r } }),
  ({ signature: { r, s, v }, ...rest }) => ({ signature: { r: shortened(r), s, v }, ...rest }),
  ({ signature: { r, s, v }, ...rest }) => ({
    ...rest,
    signature: { r: upper(r), s: upper(s), v },
  }),
];

function shortened(hex: string): string {
  return `0x${hex.slice(2).replace(/^0+/, '')}`;
}

function upper(hex: string): string {
  return `0x${hex.slice(2).toUpperCase()}`;
}

/**
 * Sends all requests again in a new order, and checks that each response equals the first one
 * (R-tx).
 */
async function replay(): Promise<void> {
  const left = [...record.requests];
  const work = async () => {
    while (left.length > 0) {
      const [recorded] = left.splice(random.below(left.length), 1) as [Recorded];
      const isConfirmed = random.below(2) === 0;
      const spelt = random.pick(SPELLINGS)(recorded.signed.envelope);
      const confirm = isConfirmed ? { confirm: 'executed' } : {};
      const reply = await world.client.post('/exchange', { ...spelt, ...confirm });
      expectFirst(recorded, reply, isConfirmed);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

function expectFirst({ kind, first }: Recorded, { json, text }: Reply, isConfirmed: boolean): void {
  if (isConfirmed) expect(json, `${kind}: ${text}`).toEqual(first);
  // A response without `confirm` reports only the acceptance.
  else
    expect(json, `${kind}: ${text}`).toMatchObject({
      status: 'ok',
      data: { type: first.data.type },
    });
}

/** Returns everything public about the accounts, except fields that change with time. */
async function seen(): Promise<Json> {
  const { alice, barred, bob, builder, carol, dave, shared, operator } = record;
  const vault = { address: record.vault };
  const gated = { type: 'accountStatus', user: barred, channel: 1 };
  const traders = [alice, bob, carol];
  const owners = [dave, builder, shared, vault, operator.actor, { address: ZERO_ADDRESS }];
  return {
    markets: await world.client.data({ type: 'perpMeta' }),
    barred: (await world.client.post('/account-status', gated)).json,
    traders: await Promise.all(traders.map(async ({ address }) => whatTraderHas(address))),
    owners: await Promise.all(owners.map(async ({ address }) => whatOwnerHas(address))),
    receipts: await receipts(),
  };
}

/** Funding changes a position's money every hour, so only size and cost are compared. */
async function whatTraderHas(user: string): Promise<Json> {
  const { state, ...rest } = await whatOwnerHas(user);
  const positions = state.assetPositions.map(({ position }: Json) => {
    const { asset, szi, entryPx, leverage, cumFee } = position;
    return { asset, szi, entryPx, leverage, cumFee };
  });
  return { positions, ...rest };
}

async function whatOwnerHas(user: string): Promise<Json> {
  const ask = async (type: string, more: object = {}) => {
    const { json } = await world.client.info({ type, user, ...more });
    return json.data ?? json;
  };
  const { time: _time, ...state } = await ask('clearinghouseState');
  const { time: _other, ...outcome } = await ask('clearinghouseState', { accountType: 'outcome' });
  const settings = [world.btc, world.eth, world.sol].map(async ({ coin }) => {
    const { leverage, positionMode } = await ask('activeAssetData', { coin });
    return { leverage, positionMode };
  });
  return {
    state,
    outcome,
    settings: await Promise.all(settings),
    orders: await ask('frontendOpenOrders'),
    triggers: await ask('triggerOrders'),
    agents: await ask('approvedAgents'),
    builders: await ask('approvedBuilders'),
    signers: await ask('multiSigSigners'),
    signerChanges: await ask('multiSigChanges'),
    earned: await ask('builderState'),
    ledger: await ask('userNonFundingLedgerUpdates'),
  };
}

/** Returns one receipt per request, in the block of its first execution. */
async function receipts(): Promise<Json[]> {
  return Promise.all(
    record.requests.map(async ({ signed }) =>
      world.client.data({ type: 'actionStatus', txHash: signed.txHash }),
    ),
  );
}

/** Sends all requests again and checks that the public data does not change. */
async function expectNothingTwice(): Promise<void> {
  const before = await seen();
  await replay();
  expect(await seen()).toEqual(before);
}

async function restart(how: 'kill' | 'stop'): Promise<void> {
  await world.venue[how]();
  await world.venue.startAgain();
}

describe(`requests that have executed do not execute again, REPLAY_SEED=${SEED}`, () => {
  test('old requests do not execute again while the venue is running', async () => {
    const before = await seen();
    for (const receipt of before.receipts) expect(receipt.block).not.toBeNull();
    for (let times = 0; times < 2; times++) await replay();
    expect(await seen()).toEqual(before);
  });

  test('old requests do not execute again after their nonces are forgotten, or after a restart', async () => {
    const { alice, bob, dave } = record;
    for (const actor of [alice, bob, dave]) await spendNonces(actor, 101);
    const before = await seen();
    await replay();
    await restart('stop');
    await replay();
    expect(await seen()).toEqual(before);
  });

  test('old requests do not execute again after their agent and multi-sig account are revoked and restored, or after a kill', async () => {
    const { alice, desk } = record;
    const { btc } = world;
    const cancels = (await alice.openOrders()).map(({ oid }: Json) => ({ a: btc.id, o: oid }));
    const withheld = await desk.sign({ type: 'cancel', cancels });
    await record.approve(ZERO_ADDRESS, 'desk');
    await record.unshare();
    await expectNothingTwice();
    await record.approve(desk.address, 'desk');
    await record.share();
    const before = await seen();
    await restart('kill');
    await replay();
    // A request that was never sent before is rejected too.
    const withheldReply = await world.client.executed(withheld);
    expect(withheldReply.json, withheldReply.text).toMatchObject({ status: 'err', code: 10004 });
    expect(await seen()).toEqual(before);
    // The nonce floor rejects the old request but accepts a new one.
    await record.act(desk, { type: 'cancelAll', asset: world.eth.id });
  });

  test('old requests do not execute again after another owner approves their agent', async () => {
    const { bob, desk } = record;
    await record.approve(ZERO_ADDRESS, 'desk');
    await record.direct(bob, 'approveAgent', { agentAddress: desk.address, agentName: 'mine' });
    await expectNothingTwice();
  });
});

/** Sends cancels for unknown orders, which do nothing but use up nonces. */
async function spendNonces(actor: Actor, count: number): Promise<void> {
  const action = { type: 'cancel', cancels: [{ a: world.btc.id, o: 1 }] };
  for (let left = count; left > 0; left -= AT_ONCE) {
    const batch = Array.from({ length: Math.min(AT_ONCE, left) }, async () =>
      world.client.exchange(await actor.sign(action, { nonce: nextNonce() })),
    );
    for (const reply of await Promise.all(batch)) expect(reply.json.status, reply.text).toBe('ok');
  }
}
