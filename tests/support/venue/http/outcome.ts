import type { SignOptions, TestOrder } from './client.ts';
import { orderAction, signed, testKey } from './client.ts';
import { startEdge, type TestEdge, type TestEdgeOptions, type TestReply } from './test-edge.ts';
import { DEPLOYER_KEY_BYTE } from './test-replica.ts';

export const MARKET_ID = 100_000;
export const deployer = testKey(DEPLOYER_KEY_BYTE);
export const alice = testKey(1);
export const bob = testKey(2);

const HOUR_MS = 3_600_000;

/** Returns the fields of `registerEvent` for an event that starts now and lasts one day. */
export function eventFields(nowMs: number, changes: object = {}): object {
  return {
    slug: 'weather',
    title: 'Weather',
    description: '',
    category: 'nature',
    tags: ['rain'],
    image: null,
    icon: null,
    mutuallyExclusive: false,
    startTime: nowMs,
    endTime: nowMs + 24 * HOUR_MS,
    ...changes,
  };
}

/**
 * Returns the fields of `registerMarket`: a tick of one cent, shares with two decimals, and a
 * minimum of five shares.
 */
export function marketFields(nowMs: number, changes: object = {}): object {
  return {
    eventSlug: 'weather',
    slug: 'rain',
    question: 'Will it rain?',
    groupTitle: null,
    description: '',
    resolutionSource: 'the window',
    outcomes: ['Rain', 'Sun'],
    startTime: nowMs,
    endTime: nowMs + 24 * HOUR_MS,
    priceTick: '0.01',
    sizeDecimals: 2,
    minOrderSize: '5',
    maxOrderSize: '100000',
    takerFeeRate: '0.07',
    orderDelayMs: 0,
    underlying: null,
    ...changes,
  };
}

/**
 * In the combined book (R-one-book), `b` and `r` together encode the outcome and the direction. The
 * price is that of the chosen outcome.
 */
const LEGS = {
  buyYes: { b: true, r: false },
  sellYes: { b: false, r: true },
  buyNo: { b: false, r: false },
  sellNo: { b: true, r: true },
} as const;

export type Leg = keyof typeof LEGS;

export function share(leg: Leg, p: string, s: string, changes: TestOrder = {}): TestOrder {
  return { a: MARKET_ID, ...LEGS[leg], p, s, ...changes };
}

type Sign = Partial<SignOptions>;

export class OutcomeEdge {
  readonly edge: TestEdge;
  #nonce: number;

  private constructor(edge: TestEdge) {
    this.edge = edge;
    this.#nonce = edge.replica.nowMs;
  }

  static async start(market: object = {}, options: TestEdgeOptions = {}): Promise<OutcomeEdge> {
    const edge = await startEdge(options);
    const venue = new OutcomeEdge(edge);
    for (const { address } of [alice, bob]) edge.replica.credit(address, 1000, 'outcome');
    const { nowMs } = edge.replica;
    await venue.deploy({ registerEvent: eventFields(nowMs) });
    await venue.deploy({ registerMarket: marketFields(nowMs, market) });
    return venue;
  }

  close(): Promise<void> {
    return this.edge.close();
  }

  sign(action: Record<string, unknown>, options: Sign = {}): string {
    return signed(action, { key: alice, nonce: ++this.#nonce, ...options });
  }

  post(body: string): Promise<TestReply> {
    return this.edge.send('/exchange', body);
  }

  send(action: Record<string, unknown>, options: Sign = {}): Promise<TestReply> {
    return this.post(this.sign(action, options));
  }

  confirmed(action: Record<string, unknown>, options: Sign = {}): Promise<TestReply> {
    return this.send(action, { confirm: 'executed', ...options });
  }

  /** Places orders for one account and resolves once they have been executed. */
  place(orders: readonly TestOrder[], options: Sign = {}): Promise<TestReply> {
    return this.send(orderAction(...orders), options);
  }

  deploy(variant: object, options: Sign = {}): Promise<TestReply> {
    return this.confirmed({ type: 'outcomeDeploy', ...variant }, { key: deployer, ...options });
  }

  async info(query: object): Promise<TestReply['json']> {
    return (await this.edge.send('/info', query)).json.data;
  }

  actionStatus(key: object): Promise<TestReply['json']> {
    return this.info({ type: 'actionStatus', ...key });
  }
}
