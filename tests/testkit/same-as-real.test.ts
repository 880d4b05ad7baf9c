import { afterAll, beforeAll, expect, test } from 'vitest';
import { startVenue, type TestAccount, type TestVenue } from '@oddlot/testkit';
import { buyNo, buyYes, type Client, type Fetch, limitOrder, type OrderEntry } from '@oddlot/sdk';
import { freshSeed } from '../support/fresh-seed.ts';
import { type SeededRandom, seededRandom } from '../support/seeded.ts';

/**
 * Goal: a test venue has the same public behaviour as a real venue. Method: run one of each with
 * the same seed, with threads, syncs and a port in the real venue. Both get the same random
 * actions, valid and invalid, and the same times and prices. Every response, every frame and every
 * block hash must be equal.
 */

/** `npm run test:long` uses 10,000 actions. */
const ACTIONS = Number(process.env['TESTKIT_ACTIONS'] ?? 200);
const SEED = freshSeed('TESTKIT_SEED');
const PERPS = ['BTC', 'ETH', 'SOL'] as const;
const MIDDLES = { BTC: 97_000, ETH: 3_400, SOL: 180 } as const;

/** A venue with its clients and all the responses they received. */
class ComparedVenue {
  readonly answers: string[] = [];
  readonly frames: string[] = [];
  readonly clients: Client[] = [];
  readonly venue: TestVenue;
  readonly #sockets: WebSocket[] = [];

  constructor(venue: TestVenue, isReal: boolean) {
    this.venue = venue;
    const { connection, url } = venue;
    const line: Fetch = isReal ? globalThis.fetch : connection.fetch!;
    const fetch: Fetch = async (to, init) => {
      const response = await line(to, init);
      const text = await response.text();
      this.answers.push(`${to.slice(url.length)} ${response.status} ${text}`);
      const { headers, status } = response;
      return new Response(text, { headers, status });
    };
    const people: readonly TestAccount[] = [...venue.accounts, venue.admin];
    for (const { wallet } of people) this.clients.push(venue.client(wallet, { fetch }));
  }

  /** Subscribes, and records all frames as text. */
  async listen(isReal: boolean, subscriptions: readonly object[]): Promise<void> {
    const to = `${this.venue.url.replace('http', 'ws')}/ws`;
    const open = this.venue.connection.openSocket!;
    const socket = (isReal ? new WebSocket(to) : await open(to)) as WebSocket;
    this.#sockets.push(socket);
    const confirmed = Promise.withResolvers<void>();
    let waiting = subscriptions.length;
    socket.addEventListener('message', ({ data }) => {
      const frame = String(data);
      this.frames.push(frame);
      if (frame.includes('"error"')) confirmed.reject(new Error(frame));
      if (frame.includes('subscriptionResponse')) waiting -= 1;
      if (waiting === 0) confirmed.resolve();
    });
    await new Promise((resolve) => socket.addEventListener('open', resolve));
    for (const subscription of subscriptions) {
      socket.send(JSON.stringify({ method: 'subscribe', subscription }));
    }
    await confirmed.promise;
  }

  close(): void {
    for (const socket of this.#sockets) socket.close();
  }
}

let inHand: ComparedVenue;
let real: ComparedVenue;
beforeAll(async () => {
  const seed = String(SEED);
  const [first, second] = await Promise.all([
    startVenue({ seed, accounts: 4 }),
    startVenue({ seed, accounts: 4, threads: 'own', ports: true }),
  ]);
  inHand = new ComparedVenue(first, false);
  real = new ComparedVenue(second, true);
});
afterAll(async () => {
  for (const compared of [inHand, real]) {
    compared?.close();
    await compared?.venue.stop();
  }
});

type Step = (compared: ComparedVenue) => Promise<unknown>;

/** Draws the next random step once, for both venues. */
function drawStep({ below, next, pick }: SeededRandom, market: number): Step {
  const trader = below(4);
  const base = pick(PERPS);
  const asset = PERPS.indexOf(base) + 1;
  const order = (): OrderEntry =>
    limitOrder({
      asset,
      side: pick(['buy', 'sell']),
      price: String(MIDDLES[base] + below(21) - 10),
      size: pick(['0.01', '0.5', '1', '3', '0']),
      tif: pick(['Gtc', 'Alo', 'Ioc']),
      reduceOnly: next() < 0.1,
    });
  const confirm = 'executed' as const;
  const kinds: readonly (() => Step)[] = [
    () => {
      const orders = Array.from({ length: 1 + below(3) }, order);
      return (compared) => compared.clients[trader]!.exchange.order({ orders }, { confirm });
    },
    () => {
      const share = pick([buyYes, buyNo])({
        asset: market,
        price: `0.${10 + below(80)}`,
        size: String(5 + below(50)),
      });
      return (compared) =>
        compared.clients[trader]!.exchange.order({ orders: [share] }, { confirm });
    },
    () => {
      const cancels = [{ a: asset, o: 1 + below(100) }];
      return (compared) => compared.clients[trader]!.exchange.cancel({ cancels }, { confirm });
    },
    () => (compared) => compared.clients[trader]!.exchange.cancelAll({}, { confirm }),
    () => {
      const leverage = 1 + below(60);
      return (compared) =>
        compared.clients[trader]!.exchange.updateLeverage({ asset, leverage }, { confirm });
    },
    () => {
      const duration = pick(['250ms', '1s', '5s', '1m']);
      return (compared) => compared.venue.advance(duration);
    },
    () => {
      const price = String(MIDDLES[base] + below(9) - 4);
      return (compared) => compared.venue.setPrice(base, price);
    },
    () => (compared) => compared.clients[trader]!.info.l2Book({ coin: String(asset) }),
    () => (compared) => {
      const { address: user } = compared.venue.accounts[trader]!;
      return compared.clients[trader]!.info.clearinghouseState({ user });
    },
    () => (compared) => {
      const { address: user } = compared.venue.accounts[trader]!;
      return compared.clients[trader]!.info.userFills({ user });
    },
    () => (compared) => {
      const { address: user } = compared.venue.accounts[trader]!;
      return compared.clients[trader]!.info.historicalOrders({ user });
    },
  ];
  // Half of the steps are orders.
  return next() < 0.5 ? kinds[0]!() : pick(kinds)();
}

/** Returns an action's result, including errors, for comparison. */
async function outcomeOf(step: Step, compared: ComparedVenue): Promise<unknown> {
  try {
    return await step(compared);
  } catch (error) {
    const { message, name } = error as Error;
    return { name, message };
  }
}

test(
  `a test venue and a real one produce the same responses, frames and hashes for ${ACTIONS} random actions (TESTKIT_SEED=${SEED})`,
  async () => {
    const random = seededRandom(SEED);
    const comparedVenues = [inHand, real];
    const [market] = await Promise.all(comparedVenues.map(({ venue }) => venue.createMarket()));
    const users = inHand.venue.accounts.map(({ address }) => address);
    // Only channels that send each event are compared. Book and state channels depend on the
    // machine's clock and can combine changes.
    const subscriptions = [
      ...['1', '2', '3'].map((coin) => ({ type: 'trades', coin })),
      { type: 'outcomeTrades', instrumentIds: [market!.id] },
      ...users.flatMap((user) => [
        { type: 'orderUpdates', user },
        { type: 'outcomeOrderUpdates', user },
      ]),
    ];
    for (const compared of comparedVenues) await compared.listen(compared === real, subscriptions);
    for (let count = 0; count < ACTIONS; count += 1) {
      const step = drawStep(random, market!.id);
      const outcomes = [];
      for (const compared of comparedVenues) outcomes.push(await outcomeOf(step, compared));
      expect(outcomes[0], `action ${count}`).toEqual(outcomes[1]);
      expect(inHand.venue.head, `action ${count}`).toEqual(real.venue.head);
    }
    expect(inHand.answers.length).toBeGreaterThan(ACTIONS / 2);
    expect(withoutCursors(inHand.answers)).toEqual(withoutCursors(real.answers));
    await Promise.all(comparedVenues.map(({ venue }) => venue.settled()));
    // Either venue may still be sending frames.
    const ahead = () => inHand.frames.length - real.frames.length;
    await expect.poll(ahead, { timeout: 60_000 }).toBe(0);
    expect(inHand.frames.length).toBeGreaterThan(subscriptions.length);
    expect(withoutEpochs(inHand.frames)).toEqual(withoutEpochs(real.frames));
  },
  60_000 + ACTIONS * 1_000,
);

/** Removes the cursors for next pages, which each venue seals with its own key. */
function withoutCursors(answers: readonly string[]): string[] {
  return answers.map((each) => each.replace(/"nextCursor":"[^"]+"/, '"nextCursor":"…"'));
}

/** Removes stream epochs, which each process draws at random. */
function withoutEpochs(frames: readonly string[]): string[] {
  return frames.map((frame) => frame.replace(/"epoch":"[0-9a-f]+-/, '"epoch":"'));
}
