import { Actor, order, type World } from './actors.ts';
import type { Json, Reply } from './client.ts';
import { act, succeeded } from './perps.ts';
import { FIXED_PRICE_FLAGS } from './venue-process.ts';
import { addressOf, keyOf, type JsonObject } from './wallet.ts';

const DEPLOYER_KEY = keyOf('the deployer');
export const DEPLOYER = addressOf(DEPLOYER_KEY);

/** Flags for a venue whose only outcome markets are those listed by tests. */
export const DEPLOYED = [...FIXED_PRICE_FLAGS, '--no-bots', '--deployers', DEPLOYER];

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
let listed = 0;

export function newSlug(label = 'test'): string {
  listed += 1;
  return `${label}-${listed}-${process.pid}`;
}

/**
 * Returns the fields of a valid `registerEvent` for a two-day event, with keys in canonical order.
 */
export function eventFields(changes: JsonObject = {}): JsonObject {
  const now = Date.now();
  return {
    slug: newSlug('event'),
    title: 'A test',
    description: '',
    category: 'test',
    tags: [],
    image: null,
    icon: null,
    mutuallyExclusive: false,
    startTime: now - HOUR_MS,
    endTime: now + 2 * DAY_MS,
    ...changes,
  };
}

/**
 * Returns the fields of a valid `registerMarket`: open for one day, with a one-cent tick, no order
 * delay and no fee.
 */
export function marketFields(eventSlug: string, changes: JsonObject = {}): JsonObject {
  const now = Date.now();
  return {
    eventSlug,
    slug: newSlug('market'),
    question: 'Will it?',
    groupTitle: null,
    description: '',
    resolutionSource: 'the test',
    outcomes: ['Yes', 'No'],
    startTime: now - 60_000,
    endTime: now + DAY_MS,
    priceTick: '0.01',
    sizeDecimals: 2,
    minOrderSize: '5',
    maxOrderSize: '100000',
    takerFeeRate: '0',
    orderDelayMs: 0,
    underlying: null,
    ...changes,
  };
}

/**
 * Returns the fields of a valid `registerSeries`, which lists the current 15-minute period and the
 * next two.
 */
export function seriesFields(changes: JsonObject = {}): JsonObject {
  const periodMs = HOUR_MS / 4;
  return {
    slug: newSlug('series'),
    title: 'Up or down',
    symbol: 'BTC',
    recurrence: '15m',
    source: 'oracle',
    category: 'crypto',
    tags: [],
    image: null,
    icon: null,
    firstStartTime: Math.floor(Date.now() / periodMs) * periodMs,
    listAhead: 2,
    priceTick: '0.01',
    sizeDecimals: 2,
    minOrderSize: '5',
    maxOrderSize: '100000',
    takerFeeRate: '0.07',
    orderDelayMs: 250,
    enabled: true,
    ...changes,
  };
}

export type OutcomeMarket = {
  readonly id: number;
  /** The market id as text, as used in subscriptions. */
  readonly coin: string;
  readonly slug: string;
  readonly eventSlug: string;
};

export class Deployer {
  readonly actor: Actor;

  constructor(world: World) {
    this.actor = new Actor('deployer', DEPLOYER_KEY, () => world.client);
  }

  async send(variant: JsonObject): Promise<Reply> {
    return act(this.actor, { type: 'outcomeDeploy', ...variant });
  }

  async event(changes: JsonObject = {}): Promise<string> {
    const fields = eventFields(changes);
    succeeded(await this.send({ registerEvent: fields }));
    return String(fields['slug']);
  }

  async list(changes: JsonObject = {}, eventSlug?: string): Promise<OutcomeMarket> {
    const fields = marketFields(eventSlug ?? (await this.event()), changes);
    const { instrumentId: id } = succeeded(await this.send({ registerMarket: fields })).created;
    const [slug, event] = [String(fields['slug']), String(fields['eventSlug'])];
    return { id, coin: String(id), slug, eventSlug: event };
  }

  async set(
    markets: OutcomeMarket | readonly OutcomeMarket[],
    state: 'open' | 'halt' | 'close',
  ): Promise<void> {
    const instrumentIds = [markets].flat().map(({ id }) => id);
    succeeded(await this.send({ setTrading: { instrumentIds, state } }));
  }

  async resolve(market: OutcomeMarket, settlementFraction: string): Promise<void> {
    await this.set(market, 'close');
    succeeded(await this.send({ resolve: { instrumentId: market.id, settlementFraction } }));
  }

  async push(...prices: Json[]): Promise<void> {
    succeeded(await this.send({ pushPrice: { prices } }));
  }
}

/** Creates an account with 1,000 USDC in its outcome sub-account. */
export async function shareTrader(world: World, name: string): Promise<Actor> {
  const actor = world.unfunded(name);
  const user = actor.address;
  const reply = await world.client.post('/request-fund', { user, accountType: 'outcome' });
  if (reply.status !== 200) throw new Error(`The faucet answered ${reply.status} ${reply.text}`);
  return actor;
}

export type ShareOrder = {
  readonly market: OutcomeMarket;
  readonly leg?: 'yes' | 'no';
  readonly intent?: 'buy' | 'sell';
  readonly price: string;
  readonly size: string;
  readonly tif?: string;
  readonly expireTime?: number;
  readonly cloid?: string;
};

/**
 * Returns an outcome order in wire form. In the combined book (R-one-book), `b` and `r` together
 * encode the outcome and the direction.
 */
export function share({ market, leg = 'yes', intent = 'buy', ...rest }: ShareOrder): JsonObject {
  const isSell = intent === 'sell';
  const isBid = leg === 'yes' ? !isSell : isSell;
  return order({ market, side: isBid ? 'buy' : 'sell', reduceOnly: isSell, ...rest });
}
