import {
  applyBlock,
  type Command,
  createState,
  perpView,
  type SeriesListing,
} from '@oddlot/engine';
import { instrumentId, timeMs } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import { genesisCommands } from '@oddlot/replica/genesis-commands';
import { ReferencePrices } from '@oddlot/translate/read-models/reference-prices';
import type { AppliedBlock, Executed } from '@oddlot/replica/block';
import type { Replica } from '@oddlot/replica/replica';
import { Publisher } from './price-sources.ts';
import { feedOracle, PushedPrices } from './perp-oracle.ts';
import { SimulatedPrices } from './simulated-prices.ts';

const QUARTER_MS = 900_000;
const BTC = instrumentId(1);

/** Opens a venue with its initial perps, halfway through the second quarter of an hour. */
function open(moves: boolean) {
  const state = createState();
  const prices = new ReferencePrices();
  const clock = { nowMs: 500_000 * 4 * QUARTER_MS + 1.5 * QUARTER_MS };
  const apply = (...commands: Command[]) => {
    const block = { height: state.height + 1, timeMs: timeMs(clock.nowMs), commands };
    const result = applyBlock(state, block);
    prices.onBlock({ ...block, result } as unknown as AppliedBlock);
    return result;
  };
  apply(...genesisCommands('Oddlot-Testnet'));
  const pushBtc = (oracle: number) =>
    apply({
      type: 'pushOracle',
      prices: [{ instrumentId: BTC, oracle }],
      observedMs: timeMs(clock.nowMs),
    });
  pushBtc(1000);
  let seed = 1;
  const random = () => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
  const latest = prices.latest.bind(prices);
  const pushed = new PushedPrices({ replica: { onBlock() {} }, underWay: () => [] });
  const symbols = ['BTC', 'XRP'];
  const start = () =>
    new SimulatedPrices({ symbols, moves, state: () => state, pushed, latest, random });
  const push = (feed: SimulatedPrices) =>
    apply({ type: 'pushPrice', prices: feed.read(clock.nowMs) }).outcomes[0];
  return { state, clock, prices, random, apply, pushBtc, start, push };
}

const priceOf = ({ prices }: ReturnType<typeof open>, symbol: string, source: 'spot' | 'oracle') =>
  prices.latest(symbol, source)?.priceE8 ?? 0;

describe('simulated reference prices without exchanges', () => {
  test('reference prices equal the oracle price of the perp, if there is one, and otherwise walk independently', () => {
    const venue = open(true);
    const feed = venue.start();
    const seen = new Set<number>();
    for (const oracle of [1000, 1010, 990]) {
      venue.pushBtc(oracle);
      expect(venue.push(feed)?.skipped).toBeUndefined();
      expect(priceOf(venue, 'BTC', 'oracle')).toBe(oracle * 1e7);
      expect(priceOf(venue, 'BTC', 'spot') / (oracle * 1e7)).toBeCloseTo(1, 3);
      seen.add(priceOf(venue, 'XRP', 'oracle'));
      venue.clock.nowMs += 1000;
    }
    expect(seen.size).toBe(3);
    for (const price of seen) expect(price / 2.4e8).toBeCloseTo(1, 2);
  });

  test('reference prices continue from the prices in the log after a restart', () => {
    const venue = open(true);
    const observedMs = timeMs(venue.clock.nowMs);
    venue.apply({
      type: 'pushPrice',
      prices: [{ symbol: 'XRP', source: 'oracle', priceE8: 3e8, observedMs }],
    });
    venue.push(venue.start());
    expect(priceOf(venue, 'XRP', 'oracle') / 3e8).toBeCloseTo(1, 2);
  });

  test('reference prices are constant if this is configured', () => {
    const venue = open(false);
    const feed = venue.start();
    for (let second = 0; second < 3; second++) {
      venue.push(feed);
      expect(priceOf(venue, 'XRP', 'oracle')).toBe(2.4e8);
      expect(priceOf(venue, 'XRP', 'spot')).toBe(2.4e8);
      venue.clock.nowMs += 1000;
    }
  });

  test('R-series: missing past reference prices are not filled in on startup or after a pause', () => {
    const venue = open(true);
    const { clock, state } = venue;
    expect(venue.start().read(clock.nowMs)).toHaveLength(4);
    venue.push(venue.start());
    venue.apply({ type: 'registerSeries', series: seriesFrom(clock.nowMs) });
    const [id] = state.outcomes.marketIds;
    clock.nowMs += QUARTER_MS / 2 + 20_000;
    const observed = venue
      .start()
      .read(clock.nowMs)
      .map(({ observedMs }) => Number(observedMs));
    expect(observed).toEqual(Array(4).fill(clock.nowMs));
    venue.push(venue.start());
    // The market ended during the pause, so the deployer has to resolve it.
    expect(state.outcomes.markets.get(id ?? 0)).toMatchObject({ phase: 'closed', isJudged: true });
  });
});

function seriesFrom(nowMs: number): SeriesListing {
  return {
    slug: 'btc-15m',
    title: '',
    symbol: 'BTC',
    recurrence: '15m',
    source: 'oracle',
    category: '',
    tags: [],
    image: null,
    icon: null,
    firstStartMs: timeMs(nowMs - (nowMs % QUARTER_MS)),
    listAhead: 1,
    enabled: true,
    windowSeconds: 60,
    szDecimals: 2,
    priceTick: 100,
    minOrderSize: 500,
    maxOrderSize: 1_000_000,
    takerFeeE8: 0,
    orderDelayMs: 0,
  };
}

describe('the oracle of perps can use a price feed', () => {
  test("the oracle converts the feed's price of the base to the units of the perp", async () => {
    const { apply, clock, state } = open(false);
    const at = { source: 'oracle', observedMs: timeMs(clock.nowMs) } as const;
    const read = () => [
      { ...at, symbol: 'BTC', priceE8: 12_345_678_901 },
      { ...at, symbol: 'BTC', source: 'spot' as const, priceE8: 1 },
      { ...at, symbol: 'ETH', priceE8: 7 },
    ];
    const oracle = feedOracle({ start() {}, stop() {}, read });
    const propose = (command: Command) => Promise.resolve(apply(command) as unknown as Executed);
    const publisher = new Publisher({
      replica: { state, propose } as Partial<Replica> as Replica,
      clock: { nowMs: () => clock.nowMs },
      everyMs: 60_000,
      report: (nowMs) => oracle(state, nowMs),
      onError: (error) => expect.fail(String(error)),
    });
    await publisher.start();
    publisher.stop();
    // The feed's price of 123.45678901 is rounded to a tenth.
    expect(perpView(state, BTC)?.oracle).toBe(1235);
    const none = feedOracle({ start() {}, stop() {}, read: () => [] });
    expect(none(state, clock.nowMs)).toBeUndefined();
  });
});
