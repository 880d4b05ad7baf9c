import { expect } from 'vitest';
import { Actor, cloidOf, order, type OrderOptions, type World } from './actors.ts';
import { eventually, type Json, type Reply } from './client.ts';
import { exact, MICRO, show, times, roundedUp, type Exact } from './exact.ts';
import { readMarket, type Market } from './market.ts';
import type { Socket } from './socket.ts';
import { addressOf, keyOf, type JsonObject } from './wallet.ts';

/**
 * Perps that tests list and price with the operator's key. Each starts at 100 USDC with an empty
 * book, and only the test that listed it changes its oracle price and mark.
 */

const ADMIN_KEY = keyOf('the admin');

/**
 * Flags for a venue that sets its oracle prices once. Its default perps become stale after 30 s
 * (R-oracle-stale), so tests that trade them on a shared venue use `OUTCOMES` instead.
 */
export const OPERATED = [
  '--oracle',
  'still',
  '--oracle-every-ms',
  '3600000',
  '--no-limits',
  '--no-bots',
  '--admins',
  addressOf(ADMIN_KEY),
];

export const TIERS = [
  { tier: 1, minSize: '0', maxSize: '1000', maxLeverage: 20, mmr: '0.025' },
  { tier: 2, minSize: '1000', maxSize: '5000', maxLeverage: 10, mmr: '0.045' },
  { tier: 3, minSize: '5000', maxSize: '10000', maxLeverage: 5, mmr: '0.1' },
];

let listed = 0;

/** Returns a valid perp definition with a tick and lot size of 0.001. */
export function definition(changes: JsonObject = {}): JsonObject {
  listed += 1;
  // The process id makes the names unique, because other test processes may list perps on the same
  // venue.
  const base = `T${listed}P${process.pid}`;
  return {
    name: `${base}-USDC`,
    baseCurrency: base,
    quoteCurrency: 'USDC',
    perpType: 'linear',
    szDecimals: 3,
    priceTick: '0.01',
    bookTicks: ['0.01', '0.1', '1'],
    maxLimitOrderSize: '2000',
    maxMarketOrderSize: '1000',
    takerFeeRate: '0.00045',
    makerFeeRate: '0.00015',
    onlyIsolated: false,
    impactNotional: '1000',
    marginTable: { tiers: TIERS },
    ...changes,
  };
}

export type OwnPerp = Market & {
  /** Sets the oracle price. Resolves once the block's triggers and liquidations are done. */
  push(price: string): Promise<void>;
};

export class Operator {
  readonly actor: Actor;
  #world: World;

  constructor(world: World) {
    this.#world = world;
    this.actor = new Actor('operator', ADMIN_KEY, () => world.client);
  }

  async send(variant: JsonObject): Promise<Reply> {
    return act(this.actor, { type: 'venueAdmin', ...variant });
  }

  async push(prices: Json[], time = this.#world.nowMs()): Promise<Reply> {
    return this.send({ pushOracle: { prices, time } });
  }

  async set(market: Market, changes: JsonObject): Promise<void> {
    succeeded(await this.send({ setPerp: { instrumentId: market.id, ...changes } }));
  }

  async list(changes: JsonObject = {}, price = '100'): Promise<OwnPerp> {
    const perp = definition(changes);
    const reply = await this.send({ registerPerp: perp });
    succeeded(reply);
    const { instrumentId } = reply.json.data.data.created;
    const push = async (oraclePx: string) => {
      succeeded(await this.push([{ instrumentId, oraclePx, externalPerpPx: null }]));
    };
    await push(price);
    const market = await readMarket(
      this.#world.client,
      String(perp['name']),
      addressOf(keyOf('reader')),
    );
    return { ...market, push };
  }
}

export type PerpScene = {
  /** This perp starts at 100 USDC with an empty book. */
  readonly perp: OwnPerp;
  readonly alice: Actor;
  readonly bob: Actor;
  readonly carol: Actor;
};

export async function newScene(world: World, operator: Operator): Promise<PerpScene> {
  return {
    perp: await operator.list(),
    alice: await world.trader('alice'),
    bob: await world.trader('bob'),
    carol: await world.trader('carol'),
  };
}

export async function act(actor: Actor, action: JsonObject): Promise<Reply> {
  return actor.client.executed(await actor.sign(action));
}

/** Returns the data of an action. Throws unless it executed without errors. */
export function succeeded(reply: Reply): Json {
  expect(reply.json, reply.text).toMatchObject({
    status: 'ok',
    code: 0,
    confirm: 'executed',
    data: { data: { statuses: ['success'] } },
  });
  return reply.json.data.data;
}

export type Refused = { readonly code: number; readonly message: string; readonly details?: Json };

/** Returns the rejection of an action, whether it happened before consensus or at execution. */
export function refusalOf(reply: Reply): Refused {
  if (reply.json?.status === 'err') {
    const { code, message, details } = reply.json;
    return { code, message, details };
  }
  expect(reply.json, reply.text).toMatchObject({ status: 'ok', confirm: 'executed' });
  const [status] = reply.json.data.data.statuses;
  expect(status, reply.text).toBeTypeOf('object');
  return { code: status.code, message: status.error, details: status.details };
}

/** Checks that the action was rejected with exactly this text. */
export function expectRefusal(reply: Reply, code: number, message: string): Refused {
  const refused = refusalOf(reply);
  expect({ code: refused.code, message: refused.message }, reply.text).toEqual({ code, message });
  return refused;
}

export type PerpOrder = OrderOptions & { readonly margin?: 'cross' | 'isolated' };

/** Returns a limit order, optionally with a margin mode. */
export function perpOrder(options: PerpOrder): JsonObject {
  const { c, ...rest } = order(options);
  return {
    ...rest,
    ...(options.margin === undefined ? {} : { m: options.margin }),
    ...(c === undefined ? {} : { c }),
  };
}

/** Places one order, which the venue must accept, and returns its id. */
export async function put(actor: Actor, options: PerpOrder): Promise<number> {
  return succeeded(await actor.place(perpOrder(options))).orders[0].oid;
}

export type TriggerOptions = {
  readonly market: Market;
  readonly side: 'buy' | 'sell';
  readonly kind: 'tp' | 'sl';
  readonly at: string;
  /** The limit price. If absent, the order is a market order. */
  readonly limit?: string;
  readonly size: string;
  readonly reduceOnly?: boolean;
  readonly margin?: 'cross' | 'isolated';
  readonly cloid?: string;
};

export function triggerOrder(options: TriggerOptions): JsonObject {
  const { market, side, kind, at, limit, size, reduceOnly = true } = options;
  return {
    a: market.id,
    b: side === 'buy',
    p: limit ?? at,
    s: size,
    r: reduceOnly,
    t: { trigger: { isMarket: limit === undefined, triggerPx: at, tpsl: kind } },
    ...(options.margin === undefined ? {} : { m: options.margin }),
    ...(options.cloid === undefined ? {} : { c: options.cloid }),
  };
}

export function groupAction(grouping: string, ...orders: JsonObject[]): JsonObject {
  return { type: 'order', grouping, orders };
}

/**
 * Trades between two accounts: the seller's order rests, and the buyer's order fills it completely.
 */
export async function trade(
  buyer: Actor,
  seller: Actor,
  options: {
    readonly market: Market;
    readonly price: string;
    readonly size: string;
    readonly buyerMargin?: 'cross' | 'isolated';
    readonly sellerMargin?: 'cross' | 'isolated';
  },
): Promise<void> {
  const { market, price, size, buyerMargin, sellerMargin } = options;
  const both = { market, price, size };
  const sell = { ...both, side: 'sell' as const };
  const buy = { ...both, side: 'buy' as const };
  succeeded(await seller.place(perpOrder(withMargin(sell, sellerMargin))));
  const { orders } = succeeded(await buyer.place(perpOrder(withMargin(buy, buyerMargin))));
  expect(orders[0]).toMatchObject({ state: 'filled', filledSz: size });
}

function withMargin(options: OrderOptions, margin?: 'cross' | 'isolated'): PerpOrder {
  return margin === undefined ? options : { ...options, margin };
}

/** Returns all position records for a perp, long before short. */
export async function recordsOf(actor: Actor, market: Market): Promise<Json[]> {
  const { assetPositions } = await actor.state();
  return assetPositions
    .filter((entry: Json) => Number(entry.position.asset) === market.id)
    .sort((a: Json, b: Json) => Number(b.position.szi) - Number(a.position.szi));
}

export async function recordOf(actor: Actor, market: Market): Promise<Json> {
  const records = await recordsOf(actor, market);
  expect(records).toHaveLength(1);
  return records[0];
}

/** Returns a perp's perpMeta entry, or undefined if the perp is not listed. */
export async function perpMetaOf({ client }: World, id: number): Promise<Json> {
  const { universe } = await client.data({ type: 'perpMeta' });
  return universe.find((entry: Json) => entry.index === id);
}

export async function triggersOf(actor: Actor, market?: Market): Promise<Json[]> {
  return actor.client.data({
    type: 'triggerOrders',
    user: actor.address,
    ...(market === undefined ? {} : { asset: market.coin }),
  });
}

export async function leverageOf(actor: Actor, market: Market): Promise<Json> {
  return actor.client.data({ type: 'activeAssetData', user: actor.address, coin: market.coin });
}

export async function ledgerOf(actor: Actor, type: string): Promise<Json[]> {
  const rows = await actor.client.data({
    type: 'userNonFundingLedgerUpdates',
    user: actor.address,
  });
  return rows.filter((row: Json) => row.delta.type === type);
}

/** Returns an order's fee for its fills in one role, rounded up to a micro-USDC (R-rounding). */
export function feeOf(rate: Exact, notional: Exact): Exact {
  return roundedUp(times(notional, rate), MICRO);
}

export function product(a: string, b: string): Exact {
  return times(exact(a), exact(b));
}

export { cloidOf, exact, show, type Exact };

export class OrderWatch {
  #socket: Socket;

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  static async of(world: World, actor: Actor): Promise<OrderWatch> {
    const socket = await world.socket();
    await socket.subscribe({ type: 'orderUpdates', user: actor.address });
    return new OrderWatch(socket);
  }

  of(oid: number): Json[] {
    return this.#socket
      .of('orderUpdates')
      .flatMap((frame) => frame.data)
      .filter((update: Json) => update.order.oid === oid);
  }

  /** Waits until an order reaches a status, and returns all its updates. */
  async until(oid: number, status: string): Promise<Json[]> {
    return eventually(() => {
      const updates = this.of(oid);
      expect(updates.map((update) => update.status)).toContain(status);
      return updates;
    }, 8_000);
  }

  /** Returns the last update of an order, which must have this status. */
  async last(oid: number, status: string): Promise<Json> {
    const updates = await this.until(oid, status);
    const update = updates.at(-1);
    expect(update.status).toBe(status);
    return update;
  }
}
