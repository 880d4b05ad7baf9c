import { instrumentId, timeMs } from '@oddlot/units';
import type { SeriesListing } from '../../../packages/engine/src/messages/command.ts';
import type {
  OutcomeMarket,
  Resolution,
  SettledMarket,
} from '../../../packages/engine/src/state/outcome-market.ts';
import { MARKET } from './outcomes.ts';
import { Scenario, START_MS } from './scenario.ts';

export const PERIOD_MS = 900_000;
const { maxOrderSize, minOrderSize, orderDelayMs, priceTick, szDecimals, takerFeeE8 } = MARKET;

export const SERIES: SeriesListing = {
  slug: 'btc-15m',
  title: 'BTC up or down',
  symbol: 'BTC',
  recurrence: '15m',
  source: 'oracle',
  category: 'crypto',
  tags: [],
  image: null,
  icon: null,
  firstStartMs: timeMs(START_MS + PERIOD_MS),
  listAhead: 1,
  enabled: true,
  windowSeconds: 60,
  maxOrderSize,
  minOrderSize,
  orderDelayMs,
  priceTick,
  szDecimals,
  takerFeeE8,
};

export function seriesVenue(change: Partial<SeriesListing> = {}): Scenario {
  const venue = Scenario.open({ accounts: [] });
  venue.block({ type: 'registerSeries', series: { ...SERIES, ...change } });
  return venue;
}

/** Returns the start of each listed market, as a number of periods since the start of the test. */
export function starts(venue: Scenario): number[] {
  return [...venue.state.outcomes.markets.values()].map(
    ({ definition }) => (definition.startMs - START_MS) / PERIOD_MS,
  );
}

/** Pushes prices in USDC, each with an observation time in seconds since the start. */
export function push(
  venue: Scenario,
  ...prices: readonly (readonly [atSeconds: number, px: number])[]
) {
  return venue.outcome({
    type: 'pushPrice',
    prices: prices.map(([at, px]) => ({
      symbol: 'BTC',
      source: 'oracle',
      priceE8: px * 100_000_000,
      observedMs: timeMs(START_MS + at * 1_000),
    })),
  });
}

/** Sets the clock to this number of seconds after the start. */
export function to(venue: Scenario, seconds: number): Scenario {
  return venue.wait(START_MS + seconds * 1_000 - venue.nowMs);
}

/** Pushes the same price once per second from `from` to `until`, both inclusive. */
export function feed(venue: Scenario, from: number, until: number, px: number): void {
  for (let at = from; at <= until; at++) push(to(venue, at), [at, px]);
}

export const FIRST_ID = instrumentId(100_000);

export function firstMarket(venue: Scenario): OutcomeMarket | undefined {
  return venue.state.outcomes.markets.get(FIRST_ID);
}

export function resolution(venue: Scenario): Resolution | SettledMarket | undefined {
  return firstMarket(venue)?.resolution ?? venue.state.outcomes.settled.get(FIRST_ID);
}
