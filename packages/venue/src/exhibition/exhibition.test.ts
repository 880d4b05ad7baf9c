import { createHash } from 'node:crypto';
import { type Command, type OutcomeLeg, settledMarketView } from '@oddlot/engine';
import { createLogger } from '@oddlot/host/log';
import { address, hash, instrumentId } from '@oddlot/units';
import { beforeEach, describe, expect, test } from 'vitest';
import { TestReplica } from '@oddlot/testing/venue/http/test-replica';
import { Exhibition, exhibitionCommands } from './exhibition.ts';
import { FairPaths } from './fair-paths.ts';
import { EVENT_TEMPLATES } from './event-templates.ts';
import { OutcomeCatalogue } from '@oddlot/translate/read-models/outcome-catalogue';

const MINUTE_MS = 60_000;
/** The number of five-second steps in 25 and in 40 minutes. */
const HARBOUR_STEPS = 300;
const DERBY_STEPS = 480;
let replica: TestReplica;
let catalogue: OutcomeCatalogue;
let paths: FairPaths;
let lines: string[];

beforeEach(() => {
  replica = new TestReplica();
  catalogue = new OutcomeCatalogue(() => replica.state);
  replica.onBlock((block) => catalogue.onBlock(block));
  // The clock starts at the beginning of a three-hour period.
  replica.nowMs = Math.ceil(replica.nowMs / (180 * MINUTE_MS)) * 180 * MINUTE_MS;
  replica.pass(0);
  paths = pathsOf(1);
  lines = [];
});

const pathsOf = (secret: number) => new FairPaths(Buffer.alloc(32, secret));
const descriptionOf = (id: number) => catalogue.market(id)?.listing.description;
const options = (hasSeries: boolean) => ({
  paths,
  descriptionOf,
  hasSeries,
  seriesNote: 'Simulated.',
});
const due = (hasSeries = false): Command[] =>
  exhibitionCommands(replica.state, { ...options(hasSeries), nowMs: replica.nowMs });
const exhibition = (hasSeries = false) =>
  new Exhibition({
    ...options(hasSeries),
    replica,
    clock: { nowMs: () => replica.nowMs },
    log: createLogger({ level: 'info', destination: { write: (line) => lines.push(line) } }),
    onError: (error) => expect.fail(String(error)),
  });

/** Returns the slug without its time and the phase of each unsettled market. */
const phases = (template: string): string[] =>
  [...replica.state.outcomes.markets.values()]
    .filter(({ definition }) => definition.eventSlug.startsWith(template))
    .map(({ definition, phase }) => `${definition.slug.replace(/-[0-9]{10}/, '')} ${phase}`);
const settled = (template: string): number[] =>
  [...replica.state.outcomes.settled.values()]
    .filter(({ eventSlug }) => eventSlug.startsWith(template))
    .map(({ fraction }) => fraction);

describe('listing demo events on a venue without any markets', () => {
  test('an empty venue lists the running rounds and the next round of each template', async () => {
    await exhibition().look();
    expect(phases('demo-city-weather')).toEqual([
      'demo-city-weather-rain open',
      'demo-city-weather-above-20-degrees open',
      'demo-city-weather-rain upcoming',
      'demo-city-weather-above-20-degrees upcoming',
    ]);
    expect(phases('demo-rate-cut')).toEqual([
      'demo-rate-cut-cut open',
      'demo-rate-cut-cut upcoming',
    ]);
    // One round ends soon, one has just begun, and one is the next.
    expect(phases('demo-grand-prix')).toHaveLength(12);
    const event = [...replica.state.outcomes.events.values()].find(({ slug }) =>
      /grand-prix/.test(slug),
    );
    expect(event).toMatchObject({ mutuallyExclusive: true });
    expect(lines.filter((line) => line.includes('rejected'))).toEqual([]);
  });

  test('an empty venue lists series only if there are reference prices', async () => {
    await exhibition().look();
    expect(replica.state.outcomes.series.size).toBe(0);
    await exhibition(true).look();
    expect([...replica.state.outcomes.series.keys()]).toEqual([
      'btc-up-or-down-15m',
      'btc-up-or-down-1h',
      'eth-up-or-down-15m',
      'eth-up-or-down-1h',
    ]);
    expect(phases('btc-up-or-down-15m')).toEqual(['btc-up-or-down-15m upcoming']);
  });

  test('an empty venue does not list a round that is about to end', () => {
    replica.nowMs += 12 * MINUTE_MS + 1;
    const slugs = due().flatMap((command) =>
      command.type === 'registerEvent' ? [command.event.slug] : [],
    );
    // The round that ends in less than a minute is omitted. One other round is running and one is
    // upcoming.
    expect(slugs.filter((slug) => slug.startsWith('demo-city-weather'))).toHaveLength(2);
  });
});

test('the texts of templates and series differ from round to round and state the source of the prices', async () => {
  await exhibition(true).look();
  replica.pass(15 * MINUTE_MS);
  await exhibition(true).look();
  const events = [...catalogue.listedEvents()];
  const titles = events.map(({ listing }) => listing.title);
  expect(new Set(titles).size).toBe(titles.length);
  for (const title of titles)
    expect(title).toMatch(/, [0-9]{2}:[0-9]{2}–[0-9]{2}:[0-9]{2} UTC\)?$/);
  const markets = events.flatMap((listed) => catalogue.marketsOf(listed));
  const questions = markets.map(({ listing }) => listing.question);
  expect(new Set(questions).size).toBe(questions.length);
  const ofSeries = markets.filter(({ seriesSlug }) => seriesSlug !== null);
  expect(ofSeries.length).toBeGreaterThan(4);
  for (const { listing } of ofSeries) {
    expect(listing.description).toMatch(/the 60 seconds before that time.* Simulated\.$/);
  }
});

test('after a restart with a different price source, upcoming markets state the new source', async () => {
  await exhibition(true).look();
  const changed = exhibitionCommands(replica.state, {
    ...options(true),
    nowMs: replica.nowMs,
    seriesNote: undefined,
  });
  expect(changed.map(({ type }) => type)).toEqual(Array(4).fill('registerSeries'));
  for (const command of changed) expect(replica.apply(command).outcome.reject).toBeUndefined();
  replica.pass(15 * MINUTE_MS);
  const texts = catalogue.seriesMarkets('btc-up-or-down-15m').map(({ listing }) => listing);
  expect(texts.map(({ description }) => description.endsWith('Simulated.'))).toEqual([true, false]);
});

test('R-series: the first market of a series starts once there are prices for its strike', () => {
  replica.nowMs += 14 * MINUTE_MS;
  const starts = due(true).flatMap((command) =>
    command.type === 'registerSeries' ? [command.series.firstStartMs - replica.nowMs] : [],
  );
  expect(starts.map((ms) => ms / MINUTE_MS)).toEqual([16, 46, 16, 46]);
});

test('no event is listed twice, even by another process on the same log', async () => {
  await exhibition(true).look();
  expect(due(true)).toEqual([]);
  const { height } = replica.head;
  await exhibition(true).look();
  expect(replica.head.height).toBe(height);
});

test('a listing that was interrupted is completed on the next run', async () => {
  const [event, first] = due();
  for (const command of [event, first]) if (command !== undefined) replica.apply(command);
  await exhibition().look();
  expect(phases('demo-city-weather')).toHaveLength(4);
  expect(lines.filter((line) => line.includes('rejected'))).toEqual([]);
});

const EVIDENCE =
  /^fair value at the close ([01]\.[0-9]{4}) \(score -?[0-9]+\); seed 0x([0-9a-f]{64})$/;

/** Computes the score for a seed independently of the venue's implementation. */
function walked(seed: string, steps: number): number {
  const blocks = Array.from({ length: Math.ceil((steps + 1) / 8) }, (_, block) =>
    createHash('sha256').update(`${seed} ${block}`).digest(),
  );
  const bytes = Buffer.concat(blocks).subarray(0, 4 * (steps + 1));
  return bytes.reduce((sum, byte, at) => sum + (at < 4 ? 6 : 1) * (byte - 127.5), 0);
}

const running = (template: string) =>
  [...replica.state.outcomes.markets.values()].filter(
    ({ definition, phase }) => definition.eventSlug.startsWith(template) && phase === 'open',
  );

/** Returns the public data of the most recently settled markets in the order of their listing. */
function lastResults(template: string) {
  const last = [...catalogue.listedEvents()].filter(({ listing }) =>
    listing.slug.startsWith(template),
  );
  const resolved = last
    .map((listed) => catalogue.marketsOf(listed))
    .findLast(([market]) => market?.resolution);
  return (resolved ?? []).map(({ listing, resolution }) => ({
    definition: listing,
    fraction: resolution?.fraction,
    evidence: resolution?.evidence ?? '',
  }));
}

/** Lists a round with the current secret and advances the time until its result is published. */
async function endOfRound(slug: string): Promise<void> {
  const { everyMs, roundMs } = EVENT_TEMPLATES.find((template) => template.slug === slug)!;
  // Rounds listed with a different secret end first.
  replica.pass(everyMs + roundMs);
  await exhibition().look();
  replica.pass(everyMs + roundMs + 10_000);
  await exhibition().look();
  replica.pass(0);
  expect(lastResults(slug).length).toBeGreaterThan(0);
}

/** Has two accounts set a price by trading with each other. */
function trade(id: number, price: number, size: number): void {
  const order = (name: string, leg: OutcomeLeg): void => {
    const account = address(`0x${name.repeat(40)}`);
    replica.credit(account, 1_000, 'outcome');
    const { outcome } = replica.apply({
      type: 'placeOrders',
      authority: { signer: account, nonce: replica.nowMs, txHash: hash(`0x${name.repeat(64)}`) },
      orders: [
        {
          instrumentId: instrumentId(id),
          isBuy: leg === 'yes',
          reduceOnly: false,
          price: leg === 'yes' ? price : 10_000 - price,
          size,
          timeInForce: 'gtc',
        },
      ],
    });
    expect(outcome.reject).toBeUndefined();
  };
  order('a', 'yes');
  order('b', 'no');
  replica.pass(1);
}

describe('the end and result of a round of demo markets', () => {
  test('the next round starts, the one after it is listed, and the result is published ten seconds later', async () => {
    await exhibition().look();
    replica.pass(13 * MINUTE_MS);
    await exhibition().look();
    expect(phases('demo-city-weather').map((text) => text.split(' ')[1])).toEqual([
      'closed',
      'closed',
      'open',
      'open',
      'upcoming',
      'upcoming',
    ]);
    expect(settled('demo-city-weather')).toEqual([]);
    replica.pass(10_000);
    await exhibition().look();
    replica.pass(0);
    expect(settled('demo-city-weather')).toHaveLength(2);
  });

  test('R-settlement: each demo market resolves by its own fair value at the close', async () => {
    const results = new Set<string>();
    for (let secret = 2; secret < 10; secret++) {
      paths = pathsOf(secret);
      await endOfRound('demo-city-weather');
      for (const { definition, fraction, evidence } of lastResults('demo-city-weather')) {
        const [, value, seed] = EVIDENCE.exec(evidence) ?? [];
        expect(fraction).toBe(Number(value) >= 0.5 ? 10_000 : 0);
        // The description contains the commitment and the resolution record reveals the seed, from
        // which this test recomputes the random walk.
        const commitment = createHash('sha256').update(Buffer.from(seed!, 'hex')).digest('hex');
        expect(definition.description).toContain(`SHA-256 0x${commitment}`);
        expect(walked(seed!, HARBOUR_STEPS) >= 0).toBe(fraction === 10_000);
        results.add(String(fraction));
      }
    }
    expect([...results].toSorted()).toEqual(['0', '10000']);
  });

  test('R-event-sets: in a mutually exclusive event, only the market with the highest fair value wins', async () => {
    const winners = new Set<number>();
    for (let secret = 2; secret < 10; secret++) {
      paths = pathsOf(secret);
      await endOfRound('demo-grand-prix');
      const four = lastResults('demo-grand-prix');
      const scores = four.map(({ evidence }) =>
        walked(EVIDENCE.exec(evidence)?.[2] ?? '', DERBY_STEPS),
      );
      const winner = scores.indexOf(Math.max(...scores));
      expect(four.map(({ fraction }) => fraction)).toEqual(
        four.map((_, index) => (index === winner ? 10_000 : 0)),
      );
      winners.add(winner);
    }
    expect(winners.size).toBeGreaterThan(1);
  });

  test('R-settlement: trades in the last second do not influence the result', async () => {
    for (let round = 1; round <= 3; round++) {
      await exhibition().look();
      const rain = running('demo-city-weather')[0]!;
      const { definition } = rain;
      const isYes = walked(paths.seedOf(definition.slug), HARBOUR_STEPS) >= 0;
      replica.pass(definition.endMs - replica.nowMs - 500);
      const price = isYes ? 100 : 9_900;
      trade(definition.instrumentId, price, 600);
      expect(rain.lastTrade).toBe(price);
      replica.pass(10_500);
      await exhibition().look();
      replica.pass(0);
      expect(settledMarketView(replica.state, definition.instrumentId)?.fraction).toBe(
        isYes ? 10_000 : 0,
      );
    }
  });

  test('a venue that lost its secret pays all outcomes equally', async () => {
    await exhibition().look();
    paths = pathsOf(99);
    replica.pass(18 * MINUTE_MS + 10_000);
    await exhibition().look();
    replica.pass(0);
    expect(settled('demo-city-weather')).toEqual([5_000, 5_000]);
    expect(settled('demo-grand-prix')).toEqual([2_500, 2_500, 2_500, 2_500]);
    expect(lastResults('demo-grand-prix')[0]?.evidence).toContain('does not have the seed');
  });

  test('R-event-sets: after an earlier resolution, the remaining fraction goes to one of the other markets', async () => {
    await exhibition().look();
    replica.pass(18 * MINUTE_MS + 10_000);
    const [first] = due()
      .flatMap((each) => (each.type === 'resolveMarket' ? [each] : []))
      .slice(-4);
    if (first === undefined) throw new Error('a result is due');
    replica.apply({ ...first, fraction: 4_000 });
    await exhibition().look();
    replica.pass(0);
    expect(settled('demo-grand-prix')).toEqual([4_000, 6_000, 0, 0]);
    expect(settledMarketView(replica.state, first.instrumentId)?.fraction).toBe(4_000);
  });
});

test('R-series: a market without prices pays both outcomes half, and a market with prices is resolved by the series', async () => {
  await exhibition(true).look();
  // The first market starts after a quarter of an hour. Its strike is unknown, because no price was
  // pushed.
  replica.pass(15 * MINUTE_MS);
  replica.pass(15 * MINUTE_MS + 10_000);
  await exhibition(true).look();
  replica.pass(0);
  expect(settled('btc-up-or-down-15m')).toEqual([5_000]);
  expect(settled('btc-up-or-down-1h')).toEqual([]);
});

test('markets of other deployers are not resolved by the venue', async () => {
  const mine = due()
    .slice(0, 2)
    .map((command) =>
      JSON.parse(JSON.stringify(command).replaceAll('demo-city-weather-', 'demo-city-weathers-')),
    );
  for (const command of mine) replica.apply(command as Command);
  replica.pass(60 * MINUTE_MS);
  expect(due().filter(({ type }) => type === 'resolveMarket')).toEqual([]);
});

test('a rejected command is reported once and not retried', async () => {
  await exhibition().look();
  replica.pass(13 * MINUTE_MS + 10_000);
  const template = exhibition();
  const [first] = due().filter(({ type }) => type === 'resolveMarket');
  if (first?.type !== 'resolveMarket') throw new Error('a result is due');
  const resolved = template.look();
  replica.apply(first);
  await resolved;
  await template.look();
  expect(lines.filter((line) => line.includes('rejected'))).toHaveLength(1);
});
