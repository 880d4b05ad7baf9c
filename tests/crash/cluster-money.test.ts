import { type Hex, keccak256 } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasNatsServer } from '../support/venue/nats/has-nats-server.ts';
import { type NatsServers, startNatsServers } from '../support/venue/nats/nats-servers.ts';
import { post } from '../support/chain.ts';
import { eventually, type Json } from '../support/client.ts';
import { sampledCases } from '../support/sampled-cases.ts';
import { freshSeed } from '../support/fresh-seed.ts';
import { answerRpc, type JsonServer, serveJson } from '../support/json-server.ts';
import { MoneyWorld, type FundedUser, usdc } from '../support/money-world.ts';
import { seededRandom } from '../support/seeded.ts';
import { tail, type Venue } from '../support/venue-process.ts';

/**
 * Goal: a deposit is credited once and a withdrawal is paid once, regardless of which replica
 * handles the settlement chain and how it is stopped. Method: two replicas reach the chain through
 * proxies run by the test, which identify each step by its request. At one step, the active replica
 * is killed, or is frozen until the other one has completed the work.
 */

type Point = {
  readonly method: string;
  readonly when: 'before' | 'after';
  readonly is?: (params: readonly Json[]) => boolean;
};

type Replica = { venue: Venue; readonly proxy: JsonServer };

let servers: NatsServers;
let world: MoneyWorld;
const replicas: Replica[] = [];
/**
 * The step at which the active replica is intercepted. Its request continues once `reached`
 * resolves.
 */
let armed: { readonly point: Point; readonly reached: (at: Replica) => Promise<void> } | undefined;
const sent = new Set<Hex>();

beforeAll(async () => {
  if (!hasNatsServer) return;
  servers = await startNatsServers();
  await servers.ready();
  world = await MoneyWorld.open();
  for (const name of ['a', 'b']) {
    const proxy = await serveJson((asked) => answer(replica, asked));
    const flags = ['--log', servers.url, '--cluster', 'money', '--replica', name];
    const replica = { proxy } as Replica;
    replica.venue = await world.startVenue([proxy.url], {
      flags: [...flags, '--stream-replicas', '1', '--log-level', 'info'],
    });
    replicas.push(replica);
  }
}, 180_000);

afterAll(async () => {
  await world?.close();
  for (const { proxy } of replicas) proxy.close();
  await servers?.stop();
});

async function answer(from: Replica, asked: Json): Promise<object> {
  const { method, params } = asked;
  const pass = async (when: Point['when']): Promise<void> => {
    if (armed === undefined) return;
    const { point, reached } = armed;
    const isHere = point.method === method && point.when === when && (point.is?.(params) ?? true);
    if (!isHere) return;
    armed = undefined;
    await reached(from);
  };
  await pass('before');
  if (method === 'eth_sendRawTransaction') sent.add(keccak256(params[0] as Hex));
  const reply = await answerRpc(asked, () => world.chain.rpc(method, params));
  await pass('after');
  return reply;
}

const isLatest = (params: readonly Json[]): boolean => params[0] === 'latest';
const isNumbered = (params: readonly Json[]): boolean => params[0] !== 'latest';

const PAYING: readonly (readonly [what: string, point: Point])[] = [
  ['before it is signed', { method: 'eth_getBlockByNumber', when: 'before', is: isLatest }],
  ['signed and not sent', { method: 'eth_sendRawTransaction', when: 'before' }],
  ['sent without an answer', { method: 'eth_sendRawTransaction', when: 'after' }],
  ['sent, and its block not known', { method: 'eth_getTransactionReceipt', when: 'before' }],
  ['in a block that is not written down', { method: 'eth_getTransactionReceipt', when: 'after' }],
];
const READING: readonly (readonly [what: string, point: Point])[] = [
  ['before the deposit is read', { method: 'eth_getLogs', when: 'before' }],
  ['read and not credited', { method: 'eth_getLogs', when: 'after' }],
  ['while its sender is looked at', { method: 'eth_getCode', when: 'after' }],
  [
    'just before its block is compared',
    { method: 'eth_getBlockByNumber', when: 'after', is: isNumbered },
  ],
];

const SEED = freshSeed('CRASH_SEED');
const random = seededRandom(SEED);

async function isHolder({ venue }: Replica): Promise<boolean> {
  try {
    const response = await fetch(`${venue.operations}/settlement`);
    const status = (await response.json()) as Json;
    return status.isElsewhere !== true;
  } catch {
    return false;
  }
}

async function holderOf(some: readonly Replica[] = replicas): Promise<Replica> {
  return await eventually(async () => {
    for (const each of some) if (await isHolder(each)) return each;
    throw new Error(
      `no replica works on the chain: ${some.map((each) => tail(each.venue.stderr))}`,
    );
  });
}

const otherThan = (one: Replica): Replica => replicas.find((each) => each !== one)!;

async function depositor(): Promise<FundedUser> {
  const customer = await world.fundedUser();
  await customer.transfer('100');
  await customer.has('100');
  return customer;
}

async function creditsOf({ user }: FundedUser, { venue }: Replica): Promise<Json[]> {
  const asked = { type: 'userNonFundingLedgerUpdates', user };
  const { data } = await post(venue.url, '/info', asked);
  return (data as Json[]).filter(({ delta }) => delta.type === 'deposit');
}

/**
 * Intercepts the active replica at a step and resolves with that replica. Its request continues
 * after `until`.
 */
function meet(point: Point, until: (at: Replica) => Promise<void>): Promise<Replica> {
  const met = Promise.withResolvers<Replica>();
  armed = {
    point,
    reached: async (at) => {
      const going = until(at);
      met.resolve(at);
      await going;
    },
  };
  return met.promise;
}

/** Kills the replica, so that its request never gets a response. */
async function killed(at: Replica): Promise<void> {
  await at.venue.kill();
}

describe.skipIf(!hasNatsServer)('settlement by a cluster of replicas', () => {
  test.each(sampledCases(READING, 1, random))(
    `a deposit is credited once if its replica is killed %s, CRASH_SEED=${SEED}`,
    async (_, point) => {
      const holder = await holderOf();
      world.use(otherThan(holder).venue);
      const customer = await world.fundedUser();
      const dead = meet(point, killed);
      await customer.transfer('100');
      const killedReplica = await dead;
      const survivor = otherThan(killedReplica);
      world.use(survivor.venue);
      await customer.has('100');
      await holderOf([survivor]);
      expect(await creditsOf(customer, survivor)).toHaveLength(1);
      await killedReplica.venue.startAgain();
      await eventually(async () =>
        expect(await creditsOf(customer, killedReplica)).toHaveLength(1),
      );
    },
    180_000,
  );

  test.each(sampledCases(PAYING, 2, random))(
    `a withdrawal is paid once if its replica is killed %s, CRASH_SEED=${SEED}`,
    async (_, point) => {
      const holder = await holderOf();
      const survivor = otherThan(holder);
      world.use(survivor.venue);
      const customer = await depositor();
      const before = await customer.onChain();
      const dead = meet(point, killed);
      const { length } = [...sent];
      await customer.withdraw('50');
      expect(await dead).toBe(holder);
      await customer.lastBecomes('confirmed', 120_000);
      expect(await customer.onChain()).toBe(before + usdc('49.9'));
      expect([...sent].slice(length)).toHaveLength(1);
      await holder.venue.startAgain();
      expect(await customer.onChain()).toBe(before + usdc('49.9'));
    },
    240_000,
  );

  test.each(sampledCases(PAYING, 2, random))(
    `a replica that was frozen %s does not pay again when it resumes, CRASH_SEED=${SEED}`,
    async (_, point) => {
      const holder = await holderOf();
      const survivor = otherThan(holder);
      world.use(survivor.venue);
      const customer = await depositor();
      const before = await customer.onChain();
      const paid = Promise.withResolvers<void>();
      const { length } = [...sent];
      const frozen = meet(point, async ({ venue }) => {
        process.kill(venue.pid, 'SIGSTOP');
        await paid.promise;
        process.kill(venue.pid, 'SIGCONT');
      });
      await customer.withdraw('50');
      expect(await frozen).toBe(holder);
      try {
        await customer.lastBecomes('confirmed', 120_000);
      } finally {
        paid.resolve();
      }
      expect(await customer.onChain()).toBe(before + usdc('49.9'));
      // The replica has learned that it was replaced, and has ended its pending work.
      await eventually(async () => expect(await isHolder(holder)).toBe(false));
      await holderOf([survivor]);
      world.use(holder.venue);
      await customer.lastBecomes('confirmed');
      const again = await depositor();
      await again.withdraw('20');
      await again.lastBecomes('confirmed');
      expect(await customer.onChain()).toBe(before + usdc('49.9'));
      expect([...sent].slice(length)).toHaveLength(2);
    },
    240_000,
  );

  test('replicas send a permit once and report the same result, whichever of them receives it', async () => {
    const holder = await holderOf();
    const customer = await world.fundedUser();
    const deadline = BigInt(Math.floor(Date.now() / 1000) + 3_600);
    const permit = await customer.wallet.permit(usdc('11'), deadline);
    const { length } = [...sent];
    const first = await post(otherThan(holder).venue.url, '/info', permit);
    expect(first).toMatchObject({ success: true });
    expect(await post(holder.venue.url, '/info', permit)).toEqual(first);
    expect([...sent].slice(length)).toEqual([first.data.txHash]);
    world.use(otherThan(holder).venue);
    await customer.has('11');
  });

  test("a replica that does not handle the chain still reports a withdrawal's progress", async () => {
    const holder = await holderOf();
    const other = otherThan(holder);
    world.use(other.venue);
    const customer = await depositor();
    const isSeen = Promise.withResolvers<void>();
    const held = meet(PAYING[1]![1], () => isSeen.promise);
    await customer.withdraw('30');
    await held;
    await customer.lastBecomes('signed');
    isSeen.resolve();
    await customer.lastBecomes('confirmed');
    const { data } = await post(other.venue.url, '/info', { type: 'venueHealth' });
    expect(data.settlement).toMatchObject({ state: 'ok', paused: false });
    const [own, asked] = await Promise.all(
      [holder, other].map(async ({ venue }) => {
        await eventually(async () => {
          const { data: reserves } = await post(venue.url, '/info', { type: 'reserves' });
          expect(reserves.current).not.toBe(null);
          expect(reserves.published).not.toBe(null);
        });
        const body = { type: 'reservesProof', user: customer.user };
        return (await post(venue.url, '/info', body)).data as Json;
      }),
    );
    expect(asked).toEqual(own);
  });
});
