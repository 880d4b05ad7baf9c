import { testTimeoutMs } from '@oddlot/testing/host';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { aVenue, type Actor } from '../support/actors.ts';
import type { Json } from '../support/client.ts';
import { directAction, signDirect } from '../support/direct.ts';
import {
  act,
  succeeded,
  groupAction,
  Operator,
  OPERATED,
  perpOrder,
  trade,
  triggerOrder,
} from '../support/perps.ts';
import { freshSeed } from '../support/fresh-seed.ts';
import { seededRandom } from '../support/seeded.ts';
import { nextNonce, signApproveAgent, type Envelope, type Signed } from '../support/wallet.ts';
import { HeapProbe, INSPECTABLE } from './heap-probe.ts';
import { metricOf, sendAll, together, type SendResult } from './send-all.ts';
import { sendPosts } from './send-posts.ts';
import { Requests } from './requests.ts';
import { outsiderEnvelopes, queries, serviceRequests, SAMPLE_ADDRESS } from './samples.ts';
import { SignedRequests } from './signed-requests.ts';

/**
 * Goal: no request makes the venue fail, leak memory, or change data without permission. Method:
 * valid requests of every kind are mutated structurally and sent to a real venue. They are signed
 * first by keys without accounts and then by keys with accounts. `FUZZ_SEED=7
 * FUZZ_ENVELOPES=2000000 npx vitest run tests/fuzz` repeats or extends it.
 */

const SEED = freshSeed('FUZZ_SEED');
const COUNT = Number(process.env['FUZZ_ENVELOPES'] ?? 4_000);
const TIMEOUT_MS = 100_000 + 3 * COUNT;
/** Each of these requests is signed separately, which takes most of the time. */
const SIGNED_COUNT = Math.ceil(COUNT / 20);
const MEBIBYTE = 1024 * 1024;
/**
 * The maximum growth of the heap. Faucet accounts and blocks use some memory permanently, but
 * requests do not.
 */
const HEAP_GROWTH_MAX = (COUNT > 100_000 ? 4 : 2) * MEBIBYTE;
const RESIDENT_GROWTH_MAX = 256 * MEBIBYTE;

vi.stubEnv(INSPECTABLE.name, INSPECTABLE.value);
afterAll(() => vi.unstubAllEnvs());
const world = aVenue([...OPERATED, '--oracle-every-ms', '1000']);
const operator = new Operator(world);
const random = seededRandom(SEED);

let outsider: Actor;
let residents: Actor[];
let outsiderSamples: Envelope[];
/** The residents' executed requests. Repeating them must have no effect. */
const executed: Envelope[] = [];

beforeAll(async () => {
  outsider = world.unfunded('stranger');
  residents = [await world.resident('alice'), await world.resident('bob')];
  residents.push(await world.resident('carol'));
  await settleResidents();
  outsiderSamples = await outsiderEnvelopes(outsider, world.btc);
});

async function once(signed: Signed): Promise<void> {
  succeeded(await world.client.executed(signed));
  executed.push(signed.envelope);
}

/**
 * Creates positions, orders, trigger orders and agents in a market that is then halted (R-halt).
 */
async function settleResidents(): Promise<void> {
  const { eth: market } = world;
  const [alice, bob, carol] = residents as [Actor, Actor, Actor];
  const size = market.worth(50);
  const at = market.at(0);
  await once(await alice.sign({ type: 'updateLeverage', asset: market.id, leverage: 7 }));
  await trade(alice, bob, { market, price: at, size });
  await trade(carol, bob, { market, price: at, size, buyerMargin: 'isolated' });
  const low = perpOrder({ market, side: 'buy', price: market.at(-3000), size });
  const stop = triggerOrder({ market, side: 'sell', kind: 'sl', at: market.at(-2000), size });
  for (const actor of [alice, carol]) {
    await once(await actor.sign(groupAction('na', low, low)));
    await once(await actor.sign(groupAction('na', stop)));
    const options = { agentAddress: world.unfunded('agent').address, nonce: nextNonce() };
    await once(await signApproveAgent(actor.key, { ...options, agentName: 'desk' }));
    await once(await actor.sign({ type: 'scheduleCancel', time: Date.now() + 24 * 3_600_000 }));
  }
  await operator.set(market, { haltTrading: true });
  // These requests would succeed again if it were not for their nonces.
  const nonce = nextNonce();
  const own = { destination: carol.address, token: 0, amount: '1.5' };
  const between = { fromAccountType: 'perp', toAccountType: 'outcome' };
  const send = directAction('tokenSend', nonce, { ...own, ...between });
  await once(await signDirect(carol.key, send, { nonce }));
  const { sol } = world;
  const far = { market: sol, side: 'buy', price: sol.at(-7000), size: sol.worth(50) } as const;
  await once(await carol.sign(groupAction('na', perpOrder(far))));
}

/** Returns everything public about the residents and the markets except timestamps. */
async function seen(): Promise<Json> {
  const users = residents.map(({ address }) => address);
  const asked = [world.eth, world.sol]
    .flatMap((market) => queries(users, market, executed[0]!))
    .concat(users.map((user) => ({ type: 'clearinghouseState', user, accountType: 'outcome' })))
    .filter((query) => 'user' in query || LASTING.has(query['type']))
    .filter(({ type }) => !CHANGING.has(type));
  const replies = asked.map(async (query) => [query, timeless(await world.client.info(query))]);
  return Promise.all(replies);
}

/** Queries whose data changes only because of actions. */
const LASTING = new Set<unknown>(['perpMeta', 'perpMetaDetail', 'feeTierInfo', 'settings']);
/**
 * Queries whose data changes even without actions: volumes are reset at midnight, a simulation
 * includes the next order id, and a portfolio curve ends at the current time.
 */
const CHANGING = new Set<unknown>(['feeTierRates', 'simulate', 'portfolio']);

function timeless({ status, json: { asOf: _asOf, ...json } }: Json): Json {
  const { data } = json;
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return { status, json };
  const { time: _time, ...rest } = data;
  return { status, json: { ...json, data: rest } };
}

function printSummary(what: string, { tally, seconds }: SendResult): void {
  const total = [...tally.values()].reduce((sum, count) => sum + count, 0);
  const rows = [...tally]
    .toSorted(([, a], [, b]) => b - a)
    .map(([key, count]) => `${key}: ${count}`);
  process.stdout.write(
    `fuzz: ${total} ${what} in ${seconds.toFixed(1)} s, ${Math.round(total / seconds)} a second\n` +
      `fuzz: ${rows.join(', ')}\n`,
  );
}

/** Mutated requests without a valid signature. */
function mutatedRequests(): Requests {
  const users = [...residents.map(({ address }) => address), SAMPLE_ADDRESS];
  const envelopes = [...outsiderSamples, ...executed];
  return new Requests(
    {
      shares: {
        '/exchange': 60,
        '/info': 32,
        '/account-status': 4,
        '/account': 1,
        '/request-fund': 3,
      },
      bodies: [
        ...envelopes.map((envelope) => ['/exchange', envelope] as const),
        ...queries(users, world.btc, executed[0]!).map((query) => ['/info', query] as const),
        ...serviceRequests(residents.map(({ address }) => address)),
      ],
    },
    random,
  );
}

describe(`requests without a valid signature do no harm, FUZZ_SEED=${SEED}`, () => {
  let result: SendResult;
  /** The venue's memory after each quarter of the requests, in bytes. */
  const memory: { readonly heap: number; readonly resident: number }[] = [];

  test(
    'requests without a valid signature are answered as documented and change nothing',
    async () => {
      const requests = mutatedRequests();
      const before = await seen();
      const { operations } = world.venue;
      const ordersBefore = await metricOf(operations, 'oddlot_orders_total');
      const probe = await HeapProbe.open(world.venue);
      const quarters: SendResult[] = [];
      try {
        for (let quarter = 0; quarter < 4; quarter++) {
          quarters.push(await sendAll(world.venue.url, COUNT / 4, () => requests.next()));
          const resident = await metricOf(operations, 'process_resident_memory_bytes');
          memory.push({ heap: await probe.used(), resident });
        }
      } finally {
        // A process does not end while its inspector is in use.
        probe.close();
      }
      result = together(quarters);
      printSummary('requests', result);
      expect(result.faults).toEqual([]);
      expect(await seen()).toEqual(before);
      expect(await metricOf(operations, 'oddlot_orders_total')).toBe(ordersBefore);
    },
    TIMEOUT_MS,
  );

  test(
    'requests without a valid signature are answered over a socket just as over HTTP',
    async () => {
      const requests = mutatedRequests();
      const before = await seen();
      const socket = await world.socket();
      const posts = await sendPosts(
        socket,
        SIGNED_COUNT * 2,
        {
          next: () => requests.next(),
          overHttp: ({ path, body }) => world.client.post(path, body.toString()),
        },
        random,
      );
      const { answered, faults, refused } = posts;
      process.stdout.write(`fuzz: ${answered} posts answered, ${refused} frames refused\n`);
      expect(faults).toEqual([]);
      expect(answered).toBeGreaterThan(SIGNED_COUNT / 2);
      expect(refused).toBeGreaterThan(SIGNED_COUNT / 20);
      expect(await seen()).toEqual(before);
      await socket.close();
    },
    TIMEOUT_MS,
  );

  test('requests without a valid signature reach every layer of the venue', () => {
    const { tally } = result;
    for (const code of [0, 10001, 10002, 10003, 10004, 10005, 10006, 10013, 10016]) {
      const status = code === 10002 || code === 10013 ? 400 : 200;
      expect(tally.get(`/exchange ${status} ${code}`), `code ${code}`).toBeGreaterThan(0);
    }
    for (const key of ['200 0', '200 10000', '200 10404', '400 10002', '403 10001']) {
      expect(tally.get(`/info ${key}`), key).toBeGreaterThan(0);
    }
    // One request in a few thousand is too long, so a short run may have none.
    if (COUNT >= 50_000) expect(tally.get('/exchange 413 10002')).toBeGreaterThan(0);
    // The signer is recovered only once the request has been found to be well-formed.
    const recovered = (tally.get('/exchange 200 10006') ?? 0) + (tally.get('/exchange 200 0') ?? 0);
    expect(recovered).toBeGreaterThan(COUNT / 10);
  });

  test('requests without a valid signature leak no memory', () => {
    const shown = memory.map(({ heap, resident }) =>
      [heap, resident].map((bytes) => `${(bytes / MEBIBYTE).toFixed(1)} MiB`).join(' of '),
    );
    process.stdout.write(`fuzz: heap of resident memory by quarter: ${shown.join(', ')}\n`);
    const [, second, , last] = memory;
    expect(last!.heap).toBeLessThan(second!.heap + HEAP_GROWTH_MAX);
    expect(last!.resident).toBeLessThan(second!.resident + RESIDENT_GROWTH_MAX);
  });

  test('R-nonce: requests do not use up the nonces of a key without an account', async () => {
    await world.client.post('/request-fund', { user: outsider.address });
    const first = outsiderSamples.find(({ action }) => action['type'] === 'order')!;
    succeeded(await world.client.executed(first));
  });
});

describe(`requests signed by keys with accounts affect only these accounts, FUZZ_SEED=${SEED}`, () => {
  /** Error codes for the trading, account and money rules, which the engine enforces. */
  const RULES = [10000, 10008, 10009, 10010, 10011, 10012, 10014, 10404];

  test(
    'signed requests are answered as documented and change no other account',
    async () => {
      const requests = await SignedRequests.begin(world, operator, random);
      const before = await seen();
      const result = await sendAll(world.venue.url, SIGNED_COUNT, async () => requests.next());
      printSummary('signed requests', result);
      expect(result.faults).toEqual([]);
      expect(await seen()).toEqual(before);
      const countOf = (code: number) => result.tally.get(`/exchange 200 ${code}`) ?? 0;
      expect(countOf(0)).toBeGreaterThan(SIGNED_COUNT / 20);
      const ruled = RULES.reduce((sum, code) => sum + countOf(code), 0);
      expect(ruled).toBeGreaterThan(SIGNED_COUNT / 20);
    },
    testTimeoutMs(200_000),
  );

  test('the venue trades normally after all fuzzed requests', async () => {
    const { eth } = world;
    await operator.set(eth, { haltTrading: false });
    const [alice, bob] = residents as [Actor, Actor];
    const size = eth.worth(30);
    await trade(alice, bob, { market: eth, price: eth.at(0), size });
    succeeded(await act(alice, { type: 'cancelAll' }));
    expect(await alice.openOrders()).toEqual([]);
  });
});
