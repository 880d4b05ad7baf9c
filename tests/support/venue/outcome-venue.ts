import type {
  BlockResult,
  EventListing,
  MarketListing,
  OutcomeLeg,
  PriceSource,
  SeriesListing,
} from '@oddlot/engine';
import { NETWORKS, parseInfo, type Warning } from '@oddlot/protocol';
import { type Address, instrumentId, timeMs } from '@oddlot/units';
import { GENESIS, START_MS, TestVenue } from './ws/test-venue.ts';
import {
  answerInfo,
  type InfoAnswer,
  isStateQuery,
} from '../../../packages/translate/src/answer-info.ts';
import { MarketData } from '../../../packages/translate/src/read-models/market-data.ts';

/** Outcome markets on the real engine. Queries are parsed from JSON, like those from clients. */

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
export const FIRST_ID = 100_000;
/**
 * The price 1.00 in price units. Shares have two decimals, prices have four, and the tick is 0.01.
 */
const UNIT = 10_000;
const LOTS = 100;

export const SETTINGS = {
  bridgeContractAddress: '0x1111111111111111111111111111111111111111',
  usdcContractAddress: '0x2222222222222222222222222222222222222222',
  settlementChainId: 421614,
  chainName: 'oddlot',
};

const GRID = {
  szDecimals: 2,
  priceTick: 100,
  minOrderSize: 500,
  maxOrderSize: 1_000_000,
  takerFeeE8: 7_000_000,
  orderDelayMs: 0,
};

function eventListing(slug: string, changes: Partial<EventListing> = {}): EventListing {
  return {
    slug,
    title: `Title of ${slug}`,
    description: `About ${slug}`,
    category: 'test',
    tags: [],
    image: null,
    icon: null,
    mutuallyExclusive: false,
    startMs: timeMs(START_MS),
    endMs: timeMs(START_MS + 7 * DAY_MS),
    ...changes,
  };
}

export function marketListing(
  slug: string,
  eventSlug: string,
  changes: Partial<MarketListing> = {},
): MarketListing {
  return {
    ...GRID,
    eventSlug,
    slug,
    question: `Will ${slug}?`,
    groupTitle: null,
    description: `Rules of ${slug}`,
    resolutionSource: 'the test',
    outcomes: ['Aye', 'Nay'],
    startMs: timeMs(START_MS),
    endMs: timeMs(START_MS + 7 * DAY_MS),
    underlying: null,
    ...changes,
  };
}

export const SERIES: SeriesListing = {
  ...GRID,
  slug: 'btc-15m',
  title: 'BTC up or down',
  symbol: 'BTC',
  recurrence: '15m',
  source: 'oracle',
  category: 'crypto',
  tags: ['crypto'],
  image: null,
  icon: null,
  firstStartMs: timeMs(START_MS),
  listAhead: 1,
  enabled: true,
  windowSeconds: 60,
};

type Shares = {
  readonly id?: number;
  readonly leg?: OutcomeLeg;
  readonly sell?: true;
  /** The price of the outcome, in USDC. */
  readonly price: number;
  /** The size in shares. */
  readonly size: number;
  readonly clientOrderId?: string;
  readonly expireMs?: number;
};

export class OutcomeVenue {
  readonly venue = new TestVenue();
  readonly markets = new MarketData(() => this.venue.state);

  /** The first block's time is one second after `START_MS`. */
  constructor() {
    this.venue.onBlock((block) => this.markets.onBlock(block));
    this.venue.apply([GENESIS]);
  }

  get nowMs(): number {
    return this.venue.state.timeMs;
  }

  /**
   * Lists an event with one market per name. By default, there is one market with the event's slug.
   */
  list(slug: string, options: Partial<EventListing> & { markets?: readonly string[] } = {}): void {
    const { markets = [slug], ...changes } = options;
    this.venue.apply([
      { type: 'registerEvent', event: eventListing(slug, changes) },
      ...markets.map((name) => ({
        type: 'registerMarket' as const,
        market: marketListing(name, slug),
      })),
    ]);
  }

  fund(...accounts: readonly Address[]): void {
    for (const account of accounts) this.venue.credit(account, 'outcome', 1_000);
  }

  shares(account: Address, order: Shares): BlockResult {
    const { leg = 'yes', sell = false, expireMs, clientOrderId } = order;
    return this.venue.signed(account, {
      type: 'placeOrders',
      orders: [
        {
          instrumentId: instrumentId(order.id ?? FIRST_ID),
          isBuy: leg === 'yes' ? !sell : sell,
          reduceOnly: sell,
          price: Math.round(order.price * UNIT),
          size: Math.round(order.size * LOTS),
          timeInForce: expireMs === undefined ? 'gtc' : 'gtd',
          ...(expireMs === undefined ? {} : { expireMs: timeMs(expireMs) }),
          ...(clientOrderId === undefined ? {} : { clientOrderId }),
        },
      ],
    });
  }

  /**
   * Creates pairs through a trade: one account buys YES at `price`, and the other buys NO at 1.00
   * minus `price`.
   */
  mint(buyer: Address, other: Address, price: number, size: number, id = FIRST_ID): void {
    this.shares(buyer, { id, price, size });
    this.shares(other, { id, leg: 'no', price: 1 - price, size });
  }

  phase(to: 'open' | 'halted' | 'closed', id = FIRST_ID): void {
    this.venue.apply([{ type: 'setTrading', instrumentIds: [instrumentId(id)], to }]);
  }

  resolve(fraction: number, id = FIRST_ID): void {
    this.phase('closed', id);
    this.venue.apply([
      {
        type: 'resolveMarket',
        instrumentId: instrumentId(id),
        fraction: Math.round(fraction * UNIT),
        oracleOutcome: 'the word',
        evidence: null,
      },
    ]);
  }

  /** Advances the time and pushes a price observed at the new time. */
  price(
    px: number,
    { afterMs = 1_000, source = 'oracle', symbol = 'BTC' }: PriceOptions = {},
  ): BlockResult {
    const observedMs = timeMs(this.nowMs + afterMs);
    const priceE8 = Math.round(px * 100_000_000);
    return this.venue.apply(
      [{ type: 'pushPrice', prices: [{ symbol, source, priceE8, observedMs }] }],
      afterMs,
    );
  }

  /** Advances consensus time to a given instant. */
  waitUntil(atMs: number): void {
    this.venue.apply([], atMs - this.nowMs);
  }

  ask(
    type: string,
    fields: object = {},
  ): InfoAnswer & { clamped?: object; warnings?: readonly Warning[] } {
    const parsed = parseInfo({ type, ...fields });
    if (!parsed.ok) return parsed;
    if (!isStateQuery(parsed.query)) throw new Error(`not answered at once: ${type}`);
    const { venue, markets } = this;
    const context = { state: venue.state, network: NETWORKS.testnet, settings: SETTINGS, markets };
    const clamped = parsed.clamped === undefined ? {} : { clamped: parsed.clamped };
    return { ...answerInfo(context, parsed.query), ...clamped };
  }

  // oxlint-disable-next-line no-explicit-any
  data(type: string, fields: object = {}): any {
    const answer = this.ask(type, fields);
    if (!answer.ok) throw new Error(answer.error.message);
    return answer.data;
  }

  refusal(type: string, fields: object = {}): readonly [code: number, message: string] {
    const answer = this.ask(type, fields);
    if (answer.ok) throw new Error('answered');
    return [answer.error.code, answer.error.message];
  }
}

type PriceOptions = {
  readonly afterMs?: number;
  readonly source?: PriceSource;
  readonly symbol?: string;
};
