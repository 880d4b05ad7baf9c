import { keccak256, toUtf8Bytes } from 'ethers';
import { beforeEach, describe, expect, test } from 'vitest';
import { START_MS } from '@oddlot/testing/venue/ws/test-venue';
import { FIRST_ID, OutcomeVenue, SERIES } from '@oddlot/testing/venue/outcome-venue';

const MINUTE_MS = 60_000;
const QUARTER_MS = 15 * MINUTE_MS;
/**
 * The first market starts 15 minutes after the venue's first block, so the prices before its start
 * are known.
 */
const FIRST_START = START_MS + QUARTER_MS;

let world: OutcomeVenue;
beforeEach(() => {
  world = new OutcomeVenue();
  world.venue.apply([
    { type: 'registerSeries', series: { ...SERIES, firstStartMs: FIRST_START as never } },
  ]);
});

/**
 * Pushes a price for each second of the minute before a given time: one value in the first half and
 * another in the second.
 */
function minuteBefore(instantMs: number, first: number, second: number): void {
  world.waitUntil(instantMs - MINUTE_MS - 1_000);
  for (let at = 0; at < 60; at++) world.price(at < 30 ? first : second);
}

describe('a series’ timeline lists its markets', () => {
  test('the timeline shows the start price once it is fixed, and the result after resolution', () => {
    minuteBefore(FIRST_START, 100, 101);
    world.waitUntil(FIRST_START + 5_000);
    const timeline = () => world.data('outcomeSeriesTimeline', { seriesSlug: 'btc-15m' });
    const first = {
      eventSlug: `btc-15m-${FIRST_START / 1_000}`,
      marketSlug: `btc-15m-${FIRST_START / 1_000}`,
      instrumentId: FIRST_ID,
      startTime: FIRST_START,
      endTime: FIRST_START + QUARTER_MS,
      openPrice: '100.5',
      closePrice: null,
      strikeStatus: 'fixed',
      resolutionStatus: 'prepared',
      decidedBy: 'series',
      winningOutcome: null,
      probability: '0.5',
    };
    expect(timeline()).toMatchObject({
      seriesSlug: 'btc-15m',
      title: 'BTC up or down',
      underlying: 'BTC',
      recurrence: '15m',
      windowMs: 60_000,
      current: first,
      items: [{ startTime: FIRST_START + QUARTER_MS, openPrice: null }, first],
      hasMore: false,
    });
    minuteBefore(FIRST_START + QUARTER_MS, 100, 100);
    world.waitUntil(FIRST_START + QUARTER_MS + 5_000);
    const { current, items } = timeline();
    expect(current).toMatchObject({ instrumentId: FIRST_ID + 1, openPrice: '100' });
    const resolved = { resolutionStatus: 'resolved', winningOutcome: 'No', probability: '0' };
    expect(items.at(-1)).toEqual({ ...first, ...resolved, closePrice: '100' });
  });

  test('the timeline is paged by start time', () => {
    world.waitUntil(FIRST_START + 4 * QUARTER_MS);
    const starts = (fields: object) => {
      const { items, hasMore } = world.data('outcomeSeriesTimeline', {
        seriesSlug: 'btc-15m',
        ...fields,
      });
      const at = ({ startTime }: { startTime: number }) => (startTime - FIRST_START) / QUARTER_MS;
      return [items.map(at), hasMore];
    };
    // The venue lists the market in progress and the next one; it skips markets that could no
    // longer be traded.
    expect(starts({})).toEqual([[5, 4, 0], false]);
    expect(starts({ limit: 2 })).toEqual([[5, 4], true]);
    expect(starts({ before: FIRST_START + 4 * QUARTER_MS })).toEqual([[0], false]);
    expect(starts({ after: FIRST_START })).toEqual([[5, 4], false]);
    expect(starts({ before: FIRST_START + 5 * QUARTER_MS, limit: 1 })).toEqual([[4], true]);
    const refused = [10017, 'Unknown series: no'];
    expect(world.refusal('outcomeSeriesTimeline', { seriesSlug: 'no' })).toEqual(refused);
  });
});

describe('the resolution record includes the inputs to the result', () => {
  const KEYS = [
    'instrumentId',
    'resolutionStatus',
    'settlementFraction',
    'winningOutcome',
    'resolvedTime',
    'block',
    'by',
    'txHash',
    'oracleOutcome',
    'evidence',
    'inputs',
    'receiptHash',
  ];

  test('a series market’s record includes every sample and a hash over all its fields', () => {
    minuteBefore(FIRST_START, 100, 101);
    world.waitUntil(FIRST_START + 5_000);
    minuteBefore(FIRST_START + QUARTER_MS, 100, 102);
    world.waitUntil(FIRST_START + QUARTER_MS + 5_000);
    const receipt = world.data('outcomeResolution', { instrumentId: FIRST_ID });
    const { receiptHash, ...rest } = receipt;
    expect(Object.keys(receipt)).toEqual(KEYS);
    expect(receiptHash).toBe(keccak256(toUtf8Bytes(JSON.stringify(rest))));
    expect(rest).toMatchObject({
      resolutionStatus: 'resolved',
      settlementFraction: '1',
      winningOutcome: 'Yes',
      resolvedTime: FIRST_START + QUARTER_MS + 5_000,
      block: world.venue.state.height,
      by: 'series',
      txHash: null,
      oracleOutcome: 'Up',
      evidence: null,
    });
    const { settleSamples, strikeSamples, formula, ...inputs } = rest.inputs;
    expect(inputs).toEqual({
      symbol: 'BTC',
      source: 'oracle',
      windowMs: 60_000,
      strike: '100.5',
      settle: '101',
    });
    expect(Object.keys(rest.inputs)).toEqual([
      'symbol',
      'source',
      'windowMs',
      'strike',
      'settle',
      'strikeSamples',
      'settleSamples',
      'formula',
    ]);
    expect(formula).toContain('sum(settleSamples)');
    expect(strikeSamples).toHaveLength(60);
    expect(strikeSamples[0]).toEqual({ t: FIRST_START - MINUTE_MS, px: '100' });
    expect(settleSamples.at(-1)).toEqual({ t: FIRST_START + QUARTER_MS - 1_000, px: '102' });
  });

  test('a resolution by an operator has no inputs, and an unresolved market has no hash', () => {
    world.list('rain');
    const id = world.markets.catalogue.marketBySlug('rain')!.instrumentId;
    expect(world.data('outcomeResolution', { instrumentId: id })).toEqual({
      instrumentId: id,
      resolutionStatus: 'prepared',
      settlementFraction: null,
      winningOutcome: null,
      resolvedTime: null,
      block: null,
      by: null,
      txHash: null,
      oracleOutcome: null,
      evidence: null,
      inputs: null,
      receiptHash: null,
    });
    world.resolve(0.5, id);
    const { receiptHash, ...rest } = world.data('outcomeResolution', { instrumentId: id });
    expect(rest).toMatchObject({
      settlementFraction: '0.5',
      winningOutcome: null,
      by: 'operator',
      oracleOutcome: 'the word',
      inputs: null,
    });
    expect(receiptHash).toBe(keccak256(toUtf8Bytes(JSON.stringify(rest))));
    const refused = [10404, 'Instrument not found'];
    expect(world.refusal('outcomeResolution', { instrumentId: 1 })).toEqual(refused);
  });
});

describe('reference prices can be queried at a time and over a period', () => {
  const price = (fields: object = {}) => world.data('cryptoPrice', { symbol: 'BTC', ...fields });

  test('cryptoPrice returns the start price, and the end price or the latest price', () => {
    minuteBefore(FIRST_START, 100, 101);
    const flags = { completed: false, incomplete: false, cached: false };
    const latest = { openPrice: null, closePrice: '101', ...flags };
    const timestamp = world.nowMs;
    expect(price()).toEqual({ symbol: 'BTC', source: 'oracle', timestamp, ...latest });
    expect(price({ symbol: 'btc' }).symbol).toBe('BTC');
    // A start in the future has no price yet.
    expect(price({ eventStartTime: FIRST_START, variant: '15m' })).toMatchObject(latest);
    for (let second = 0; second < 20; second++) world.price(102);
    const running = { openPrice: '102', closePrice: '102', completed: false, incomplete: false };
    expect(price({ eventStartTime: FIRST_START, variant: '15m' })).toMatchObject(running);
    const start = FIRST_START - 30_000;
    const window = { eventStartTime: start, endTime: new Date(FIRST_START).toISOString() };
    const over = { openPrice: '101', closePrice: '102', completed: true, incomplete: false };
    expect(price(window)).toMatchObject(over);
    // In the last minute before the start, the first half has one price and the second half
    // another; the last minute before the end is split the same way.
    const twap = { source: 'twap', eventStartTime: FIRST_START, endTime: FIRST_START + 10_000 };
    expect(price(twap)).toMatchObject({ openPrice: '100.5', closePrice: '100.83333333' });
    expect(price({ source: 'spot' })).toMatchObject({ closePrice: null, incomplete: true });
    expect(world.refusal('cryptoPrice', { symbol: 'DOGE' })).toEqual([
      10404,
      'Instrument not found',
    ]);
  });

  test('missing reference prices are reported as missing and never interpolated', () => {
    minuteBefore(FIRST_START, 100, 100);
    world.waitUntil(FIRST_START + 30_000);
    world.price(105);
    const window = { eventStartTime: FIRST_START - 10_000, endTime: FIRST_START + 31_000 };
    expect(price(window)).toMatchObject({ openPrice: '100', closePrice: '105', incomplete: true });
    const gap = { eventStartTime: FIRST_START + 10_000, endTime: FIRST_START + 20_000 };
    expect(price(gap)).toMatchObject({ openPrice: null, closePrice: null, incomplete: true });
    const twap = { source: 'twap', endTime: FIRST_START + 20_000 };
    expect(price(twap)).toMatchObject({ closePrice: null, incomplete: true });
  });

  test("prices from before the venue's start do not exist unless prices are simulated", () => {
    minuteBefore(FIRST_START, 100, 101);
    const asked = { startTime: 0, endTime: world.nowMs, variant: 'before' };
    for (const symbol of ['BTC', 'NOTHING']) {
      const none = { symbol, source: 'simulated', data: [] };
      expect(world.data('cryptoPriceHistory', { ...asked, symbol })).toEqual(none);
    }
  });

  test('cryptoPriceHistory lists prices oldest first and thins them if there are too many', () => {
    minuteBefore(FIRST_START, 100, 101);
    const history = (fields: object) =>
      world.data('cryptoPriceHistory', { symbol: 'BTC', ...fields }).data;
    const startTime = FIRST_START - 3_000;
    expect(history({ startTime, endTime: FIRST_START })).toEqual(
      [3, 2, 1].map((back) => ({ timestamp: FIRST_START - back * 1_000, value: '101' })),
    );
    expect(history({ startTime: 0, endTime: 1 })).toEqual([]);
    for (let second = 0; second < 2_100; second++) world.price(200 + second);
    const all = history({ startTime: 0, endTime: world.nowMs });
    expect(all).toHaveLength(2_000);
    expect(all[0]).toEqual({ timestamp: FIRST_START - MINUTE_MS, value: '100' });
    expect(all.at(-1)).toEqual({ timestamp: world.nowMs, value: '2299' });
    const averages = history({
      startTime: world.nowMs - 1_000,
      endTime: world.nowMs,
      source: 'twap',
    });
    // The averages cover the prices 2238 to 2297 and 2239 to 2298.
    expect(averages).toEqual([
      { timestamp: world.nowMs - 1_000, value: '2267.5' },
      { timestamp: world.nowMs, value: '2268.5' },
    ]);
  });
});
