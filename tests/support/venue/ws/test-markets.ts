import type { BlockResult, MarketListing, OrderRequest } from '@oddlot/engine';
import { instrumentId, timeMs, type Address, type InstrumentId } from '@oddlot/units';
import { ALICE, BOB, CAROL, START_MS, type TestVenue } from './test-venue.ts';

/** Outcome markets for tests of views. Sizes have two decimals, and the tick is one cent. */

export const MARKET_ID = instrumentId(100_000);
const DAY_MS = 86_400_000;

const EVENT = {
  slug: 'event',
  title: 'An event',
  description: '',
  category: 'test',
  tags: [],
  image: null,
  icon: null,
  mutuallyExclusive: false,
  startMs: timeMs(START_MS),
  endMs: timeMs(START_MS + DAY_MS),
};

const MARKET: MarketListing = {
  eventSlug: 'event',
  slug: 'market',
  question: 'Will it?',
  groupTitle: null,
  description: '',
  resolutionSource: 'a test',
  outcomes: ['Yes', 'No'],
  startMs: timeMs(START_MS),
  endMs: timeMs(START_MS + DAY_MS),
  szDecimals: 2,
  priceTick: 100,
  minOrderSize: 500,
  maxOrderSize: 100_000_000,
  takerFeeE8: 7_000_000,
  orderDelayMs: 0,
  underlying: null,
};

/**
 * Lists an event with open markets whose ids start at 100000, and gives three accounts 1,000 USDC
 * each.
 */
export function listMarkets(
  venue: TestVenue,
  count = 1,
  market: Partial<MarketListing> = {},
): void {
  venue.apply([{ type: 'registerEvent', event: EVENT }]);
  for (let index = 0; index < count; index++) {
    const slug = `market-${index}`;
    venue.apply([{ type: 'registerMarket', market: { ...MARKET, slug, ...market } }]);
  }
  for (const account of [ALICE, BOB, CAROL]) venue.credit(account, 'outcome', 1_000);
}

/**
 * An order for one outcome. The price is in USDC per share of that outcome, and the size is in
 * shares.
 */
type ShareOrder = {
  readonly leg?: 'yes' | 'no';
  readonly sell?: true;
  readonly price: number;
  readonly size: number;
} & Partial<Pick<OrderRequest, 'instrumentId' | 'timeInForce' | 'expireMs' | 'clientOrderId'>>;

/** In the combined book (R-one-book), `b` and `r` together encode the outcome and the direction. */
function shareOrder({ leg = 'yes', sell, price, size, ...rest }: ShareOrder): OrderRequest {
  const reduceOnly = sell === true;
  return {
    instrumentId: MARKET_ID,
    timeInForce: 'gtc',
    ...rest,
    isBuy: leg === 'yes' ? !reduceOnly : reduceOnly,
    reduceOnly,
    price: Math.round(price * 10_000),
    size: Math.round(size * 100),
  };
}

export function placeShares(
  venue: TestVenue,
  account: Address,
  ...orders: readonly ShareOrder[]
): BlockResult {
  return venue.signed(account, { type: 'placeOrders', orders: orders.map(shareOrder) });
}

export function splitShares(venue: TestVenue, account: Address, shares: number): BlockResult {
  const entries = [{ instrumentId: MARKET_ID, size: shares * 100 }];
  return venue.signed(account, { type: 'operateOutcome', kind: 'split', entries });
}

export function setPhase(venue: TestVenue, to: 'halted' | 'closed', ...ids: InstrumentId[]): void {
  venue.apply([{ type: 'setTrading', instrumentIds: ids.length > 0 ? ids : [MARKET_ID], to }]);
}

/** Closes and resolves the market. `fraction` is the payout of one YES share, in USDC. */
export function resolve(venue: TestVenue, fraction: number): void {
  const texts = { oracleOutcome: null, evidence: null };
  venue.apply([
    { type: 'setTrading', instrumentIds: [MARKET_ID], to: 'closed' },
    { type: 'resolveMarket', instrumentId: MARKET_ID, fraction: fraction * 10_000, ...texts },
  ]);
}

/** Pushes a reference price observed at its block's time. */
export function pushPrice(
  venue: TestVenue,
  source: 'spot' | 'oracle',
  usdc: number,
  afterMs = 1_000,
): void {
  const observedMs = timeMs(venue.state.timeMs + afterMs);
  const price = { symbol: 'BTC', source, priceE8: Math.round(usdc * 1e8), observedMs };
  venue.apply([{ type: 'pushPrice', prices: [price] }], afterMs);
}
