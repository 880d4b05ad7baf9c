import { Actor, order, type World } from './actors.ts';
import type { Json, Reply } from './client.ts';
import { act, done } from './perps.ts';
import { CALM } from './venue-process.ts';
import { addressOf, keyOf, type JsonObject } from './wallet.ts';

/** Outcome markets of the tests, listed with the deployer's key. */

const DEPLOYER_KEY = keyOf('the deployer');
export const DEPLOYER = addressOf(DEPLOYER_KEY);

/** A venue whose only outcome markets are those of the tests. */
export const DEPLOYED = [...CALM, '--no-bots', '--deployers', DEPLOYER];

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
let listed = 0;

/** A slug that no other test uses. */
export function newSlug(label = 'test'): string {
  listed += 1;
  return `${label}-${listed}-${process.pid}`;
}

/** A valid `registerEvent` with keys in canonical order; the event runs for two days. */
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

/** `registerMarket`: open for a day, with a tick of one cent and no delay or fee. */
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

/** `registerSeries`: the running quarter of an hour and the two after it. */
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
  /** The id in the form of subscriptions. */
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

  /** Lists an event and returns its slug. */
  async event(changes: JsonObject = {}): Promise<string> {
    const fields = eventFields(changes);
    done(await this.send({ registerEvent: fields }));
    return String(fields['slug']);
  }

  /** Lists a market, by default in a new event. */
  async list(changes: JsonObject = {}, eventSlug?: string): Promise<OutcomeMarket> {
    const fields = marketFields(eventSlug ?? (await this.event()), changes);
    const { instrumentId: id } = done(await this.send({ registerMarket: fields })).created;
    const [slug, event] = [String(fields['slug']), String(fields['eventSlug'])];
    return { id, coin: String(id), slug, eventSlug: event };
  }

  async set(
    markets: OutcomeMarket | readonly OutcomeMarket[],
    state: 'open' | 'halt' | 'close',
  ): Promise<void> {
    const instrumentIds = [markets].flat().map(({ id }) => id);
    done(await this.send({ setTrading: { instrumentIds, state } }));
  }

  async resolve(market: OutcomeMarket, settlementFraction: string): Promise<void> {
    await this.set(market, 'close');
    done(await this.send({ resolve: { instrumentId: market.id, settlementFraction } }));
  }

  async push(...prices: Json[]): Promise<void> {
    done(await this.send({ pushPrice: { prices } }));
  }
}

/** An account with 1,000 USDC in the outcome sub-account. */
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

/** R-one-book: `b` and `r` together define outcome and direction. */
export function share({ market, leg = 'yes', intent = 'buy', ...rest }: ShareOrder): JsonObject {
  const isSell = intent === 'sell';
  const isBid = leg === 'yes' ? !isSell : isSell;
  return order({ market, side: isBid ? 'buy' : 'sell', reduceOnly: isSell, ...rest });
}
