import { readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { Hex } from 'viem';
import { Client, eventually, type Json, type Reply } from './client.ts';
import { exact, show, sum } from './exact.ts';
import { readMarket, type Market } from './market.ts';
import { clockOf, heldClock } from './held-clock.ts';
import { closeSockets, Socket } from './socket.ts';
import { borrowVenue, giveBackVenue, type Loan, type Wish } from './venue-lender.ts';
import { FIXED_PRICE_FLAGS, Venue } from './venue-process.ts';
import {
  addressOf,
  keyOf,
  nextNonce,
  signAgentAction,
  signApproveAgent,
  TESTNET,
  ZERO_ADDRESS,
  type AgentOptions,
  type JsonObject,
  type Network,
  type Signed,
} from './wallet.ts';

export type OrderOptions = {
  readonly market: Pick<Market, 'id'>;
  readonly side: 'buy' | 'sell';
  readonly price: string;
  readonly size: string;
  readonly tif?: string;
  readonly expireTime?: number;
  readonly reduceOnly?: boolean;
  readonly cloid?: string;
};

/** Returns an order in wire form, with its keys in canonical order. */
export function order(options: OrderOptions): JsonObject {
  return {
    a: options.market.id,
    b: options.side === 'buy',
    p: options.price,
    s: options.size,
    r: options.reduceOnly ?? false,
    t: {
      limit: {
        tif: options.tif ?? 'Gtc',
        ...(options.expireTime === undefined ? {} : { expireTime: options.expireTime }),
      },
    },
    ...(options.cloid === undefined ? {} : { c: options.cloid }),
  };
}

export function farBid(market: Market, changes: Partial<OrderOptions> = {}): JsonObject {
  const far = { price: market.at(-2000), size: market.worth(20) };
  return order({ market, side: 'buy', ...far, ...changes });
}

export function orderAction(...orders: JsonObject[]): JsonObject {
  return { type: 'order', grouping: 'na', orders };
}

export function cancelAction(...cancels: { a: number; o: number | string }[]): JsonObject {
  return { type: 'cancel', cancels };
}

export function cancelByCloidAction(...cancels: { asset: number; cloid: string }[]): JsonObject {
  return { type: 'cancelByCloid', cancels };
}

/** Derives a client order id from a label: the first 16 bytes of the label's key. */
export function cloidOf(label: string): string {
  return keyOf(label).slice(0, 34);
}

/**
 * A key with helpers that sign and send requests. The key does not need an account at the venue.
 */
export class Actor {
  readonly name: string;
  readonly key: Hex;
  readonly address: Hex;
  #client: () => Client;
  readonly #network: Network;

  /** Signs all requests for `network`. */
  constructor(name: string, key: Hex, client: () => Client, network: Network = TESTNET) {
    this.#network = network;
    this.name = name;
    this.key = key;
    this.address = addressOf(key);
    this.#client = client;
  }

  get client(): Client {
    return this.#client();
  }

  async sign(action: JsonObject, options: Partial<AgentOptions> = {}): Promise<Signed> {
    return signAgentAction(this.key, action, {
      nonce: nextNonce(),
      network: this.#network,
      ...options,
    });
  }

  async place(...orders: JsonObject[]): Promise<Reply> {
    return this.client.executed(await this.sign(orderAction(...orders)));
  }

  async placed(options: OrderOptions): Promise<Json> {
    const reply = await this.place(order(options));
    expect(reply.json, reply.text).toMatchObject({
      status: 'ok',
      data: { data: { statuses: ['success'] } },
    });
    return reply.json.data.data.orders[0];
  }

  async cancel(...cancels: { a: number; o: number | string }[]): Promise<Reply> {
    return this.client.executed(await this.sign(cancelAction(...cancels)));
  }

  async approveAgent(agentAddress: string, agentName?: string | null): Promise<Reply> {
    const options = { agentAddress, nonce: nextNonce() };
    const named = agentName === undefined ? options : { ...options, agentName };
    return this.client.executed(await signApproveAgent(this.key, named));
  }

  async revokeAgent(agentName?: string | null): Promise<Reply> {
    return this.approveAgent(ZERO_ADDRESS, agentName);
  }

  async openOrders(): Promise<Json[]> {
    return this.client.data({ type: 'frontendOpenOrders', user: this.address });
  }

  async state(): Promise<Json> {
    return this.client.data({ type: 'clearinghouseState', user: this.address });
  }

  async position(market: Market): Promise<Json> {
    const state = await this.state();
    const record = state.assetPositions.find(
      (entry: Json) => Number(entry.position.asset) === market.id,
    );
    return record?.position;
  }

  /**
   * Returns the account value minus unrealised PnL, because the API does not report the balance
   * itself.
   */
  async balance(): Promise<string> {
    return balanceOf(await this.state());
  }

  async agents(): Promise<Json[]> {
    return this.client.data({ type: 'approvedAgents', user: this.address });
  }
}

/**
 * Returns `accountValue` − Σ `unrealizedPnl`, which equals the balance only if the account has no
 * isolated positions.
 */
export function balanceOf(state: Json): string {
  const unrealised = state.assetPositions.map((entry: Json) => exact(entry.position.unrealizedPnl));
  return show(exact(state.marginSummary.accountValue) - sum(unrealised));
}

/**
 * Returns everything public about the accounts except timestamps. Tests compare it before and after
 * a rejected request.
 */
export async function factsOf(...actors: Actor[]): Promise<Json> {
  return Promise.all(
    actors.map(async (actor) => {
      const { time: _time, ...state } = await actor.state();
      return { state, orders: await actor.openOrders(), agents: await actor.agents() };
    }),
  );
}

export type VenueAddresses = {
  readonly url: string;
  readonly streams: string;
  readonly operations: string;
};

export type World = {
  readonly venue: VenueAddresses;
  readonly client: Client;
  readonly btc: Market;
  readonly eth: Market;
  readonly sol: Market;
  trader(name: string): Promise<Actor>;
  /** Returns a funded account whose orders stay open between tests. For use in `beforeAll`. */
  resident(name: string): Promise<Actor>;
  unfunded(name: string): Actor;
  /** Opens a stream connection, by default to /ws. */
  socket(path?: string): Promise<Socket>;
  nowMs(): number;
  /**
   * Waits until the venue has committed a later block: at least one second in real time, or `ms` on
   * a held clock.
   */
  passTime(ms: number): Promise<void>;
};

/**
 * Starts one venue for all tests in a file. The file may stop the venue and inspect all its data.
 * Open orders are cancelled after each test, so that books are empty and marks equal the oracle
 * price. At the end, the venue must exit cleanly and without having logged an error. A held clock
 * starts at `startMs`, by default in the middle of the previous hour.
 */
export function aVenue(
  flags: readonly string[] = FIXED_PRICE_FLAGS,
  { isHeld = false, startMs }: { readonly isHeld?: boolean; readonly startMs?: number } = {},
): World & { readonly venue: Venue } {
  let venue: Venue;
  let clockFile: string | undefined;
  return worldAt<Venue>({
    async open() {
      clockFile = isHeld ? await heldClock(startMs) : undefined;
      venue = await Venue.start(flags, undefined, { environment: clockOf(clockFile) });
      return venue;
    },
    async close() {
      const ending = await venue?.stop();
      const faults = venue?.faults() ?? [];
      await venue?.remove();
      if (clockFile !== undefined) await rm(dirname(clockFile), { recursive: true });
      expect(faults).toEqual([]);
      expect(ending).toEqual({ code: 0, signal: null });
    },
    turn: () => '',
    clockFile: () => clockFile,
  });
}

/**
 * Borrows a venue that test files share. It already has accounts, markets and history from other
 * files, but no resting orders and none of this file's accounts. The test fails if the venue logs
 * an error.
 */
export function aSharedVenue(flags: readonly string[] = FIXED_PRICE_FLAGS): World {
  return worldAt(borrowed({ flags, isHeld: false }));
}

/** Borrows a venue like `aSharedVenue`, with a held clock that only the tests advance. */
export function sharedVenueWithHeldClock(flags: readonly string[] = FIXED_PRICE_FLAGS): World {
  return worldAt(borrowed({ flags, isHeld: true }));
}

function borrowed(wish: Wish): Opening<VenueAddresses> {
  let loan: Loan;
  return {
    open: async () => (loan = await borrowVenue(wish)),
    async close(people) {
      if (loan === undefined) return;
      for (const actor of people) await cancelEverything(actor);
      expect(await giveBackVenue(loan)).toEqual([]);
    },
    turn: () => ` of turn ${loan.turn}`,
    clockFile: () => loan.clockFile,
  };
}

type Opening<V extends VenueAddresses> = {
  open(): Promise<V>;
  close(people: readonly Actor[]): Promise<void>;
  /**
   * Returns a label that distinguishes this file's account names from those of other files on a
   * shared venue.
   */
  turn(): string;
  clockFile(): string | undefined;
};

function worldAt<V extends VenueAddresses>(opening: Opening<V>): World & { venue: V } {
  const { open, close, turn, clockFile } = opening;
  let venue: V;
  let client: Client;
  const markets = new Map<string, Market>();
  const people: Actor[] = [];
  const everybody: Actor[] = [];
  let count = 0;

  /** The client is read on each call, because a restarted venue listens on a different port. */
  const current = () => {
    if (client.url !== venue.url) client = new Client(venue.url);
    return client;
  };
  const unfunded = (name: string) => {
    const actor = new Actor(name, keyOf(`${name} ${(count += 1)}${turn()}`), current);
    everybody.push(actor);
    return actor;
  };
  const resident = async (name: string) => {
    const actor = unfunded(name);
    await fund(current(), actor.address);
    return actor;
  };
  const trader = async (name: string) => {
    const actor = await resident(name);
    people.push(actor);
    return actor;
  };

  const nowMs = () => {
    const file = clockFile();
    return file === undefined ? Date.now() : Number(readFileSync(file, 'utf8'));
  };
  const passTime = async (ms: number) => {
    const untilMs = nowMs() + ms;
    const file = clockFile();
    if (file !== undefined) writeFileSync(file, String(untilMs));
    await eventually(async () => {
      const { blockTime } = await current().data({ type: 'stateHash' });
      expect(blockTime).toBeGreaterThanOrEqual(untilMs);
    });
  };

  beforeAll(async () => {
    venue = await open();
    client = new Client(venue.url);
    const reader = await resident('reader');
    for (const name of ['BTC-USDC', 'ETH-USDC', 'SOL-USDC']) {
      markets.set(name, await readMarket(client, name, reader.address));
    }
  }, 60_000);

  afterEach(async () => {
    await closeSockets();
    for (const actor of people.splice(0)) await cancelEverything(actor);
  });

  afterAll(() => close(everybody), 30_000);

  return {
    get venue() {
      return venue;
    },
    get client() {
      return current();
    },
    get btc() {
      return markets.get('BTC-USDC')!;
    },
    get eth() {
      return markets.get('ETH-USDC')!;
    },
    get sol() {
      return markets.get('SOL-USDC')!;
    },
    trader,
    resident,
    unfunded,
    nowMs,
    passTime,
    socket: (path = '/ws') => Socket.open(venue.streams.replace(/\/ws$/, path)),
  };
}

export async function fund(client: Client, address: string): Promise<void> {
  const reply = await client.post('/request-fund', { user: address });
  if (reply.status !== 200) throw new Error(`The faucet answered ${reply.status} ${reply.text}`);
}

async function cancelEverything(actor: Actor): Promise<void> {
  const open = await actor.openOrders();
  const cancels = open.map((row) => ({ a: row.instrumentId, o: row.oid }));
  for (let start = 0; start < cancels.length; start += 200) {
    await actor.cancel(...cancels.slice(start, start + 200));
  }
}

/**
 * Creates two accounts with a position, a resting order and an agent each, so that comparing before
 * and after reveals unwanted changes.
 */
export async function twoFundedTraders(world: World): Promise<[Actor, Actor]> {
  const [alice, bob] = [await world.resident('alice'), await world.resident('bob')];
  const { btc } = world;
  const size = btc.worth(50);
  await bob.placed({ market: btc, side: 'sell', price: btc.at(0), size });
  await alice.placed({ market: btc, side: 'buy', price: btc.at(0), size });
  await alice.placed({ market: btc, side: 'buy', price: btc.at(-2000), size });
  await bob.placed({ market: btc, side: 'sell', price: btc.at(2000), size });
  await alice.approveAgent(world.unfunded('agent').address, 'desk');
  return [alice, bob];
}
