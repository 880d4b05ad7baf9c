import { settledMarketView, type Command } from '@oddlot/engine';
import { beforeEach, describe, expect, test } from 'vitest';
import { TestReplica } from '../testing/http/replica.ts';
import { createLogger } from '../operate/log.ts';
import { Exhibition } from './exhibition.ts';
import { exhibitionCommands } from './exhibition-commands.ts';

/** The real engine; time is moved by hand, and chance is a number. */

const MINUTE_MS = 60_000;
let replica: TestReplica;
let chance: number;
let lines: string[];

beforeEach(() => {
  replica = new TestReplica();
  // A full hour, and the start of a round of both shows.
  replica.nowMs = Math.ceil(replica.nowMs / (180 * MINUTE_MS)) * 180 * MINUTE_MS;
  replica.pass(0);
  chance = 0;
  lines = [];
});

const random = () => chance;
const due = (hasSeries = false): Command[] =>
  exhibitionCommands(replica.state, { nowMs: replica.nowMs, random, hasSeries });
const exhibition = (hasSeries = false) =>
  new Exhibition({
    replica,
    random,
    hasSeries,
    clock: { nowMs: () => replica.nowMs },
    log: createLogger({ level: 'info', destination: { write: (line) => lines.push(line) } }),
    onError: (error) => expect.fail(String(error)),
  });

/** Phases of the markets that are not settled, by slug without its time. */
const phases = (show: string): string[] =>
  [...replica.state.outcomes.markets.values()]
    .filter(({ definition }) => definition.eventSlug.startsWith(show))
    .map(({ definition, phase }) => `${definition.slug.replace(/-[0-9]{10}/, '')} ${phase}`);
const settled = (show: string): number[] =>
  [...replica.state.outcomes.settled.values()]
    .filter(({ eventSlug }) => eventSlug.startsWith(show))
    .map(({ fraction }) => fraction);

describe('an empty venue', () => {
  test('gets a running and an upcoming round of each show', async () => {
    await exhibition().look();
    expect(phases('harbour-day')).toEqual([
      'harbour-day-rain open',
      'harbour-day-ferry open',
      'harbour-day-rain upcoming',
      'harbour-day-ferry upcoming',
    ]);
    expect(phases('snail-derby')).toHaveLength(8);
    const event = [...replica.state.outcomes.events.values()].find(({ slug }) =>
      /derby/.test(slug),
    );
    expect(event).toMatchObject({ mutuallyExclusive: true });
    expect(lines.filter((line) => line.includes('refused'))).toEqual([]);
  });

  test('gets series where there are reference prices, and only there', async () => {
    await exhibition().look();
    expect(replica.state.outcomes.series.size).toBe(0);
    await exhibition(true).look();
    expect([...replica.state.outcomes.series.keys()]).toEqual([
      'btc-up-or-down-15m',
      'btc-up-or-down-1h',
      'eth-up-or-down-15m',
      'eth-up-or-down-1h',
    ]);
    expect(phases('btc-up-or-down-15m')).toEqual([
      'btc-up-or-down-15m open',
      'btc-up-or-down-15m upcoming',
    ]);
  });

  test('near the end of a round gets the next one only', () => {
    replica.nowMs += 11 * MINUTE_MS + 1;
    const slugs = due().flatMap((command) =>
      command.type === 'registerEvent' ? [command.event.slug] : [],
    );
    expect(slugs.filter((slug) => slug.startsWith('harbour'))).toHaveLength(1);
  });
});

test('nothing is listed twice, also not by another process on the same log', async () => {
  await exhibition(true).look();
  expect(due(true)).toEqual([]);
  const { height } = replica.head;
  await exhibition(true).look();
  expect(replica.head.height).toBe(height);
});

test('a listing that broke off is completed', async () => {
  const [event, first] = due();
  for (const command of [event, first]) if (command !== undefined) replica.apply(command);
  await exhibition().look();
  expect(phases('harbour-day')).toHaveLength(4);
  expect(lines.filter((line) => line.includes('refused'))).toEqual([]);
});

describe('when a round has ended', () => {
  test('the next one runs, the one after is listed, and the result comes a moment later', async () => {
    await exhibition().look();
    replica.pass(12 * MINUTE_MS);
    await exhibition().look();
    expect(phases('harbour-day').map((text) => text.split(' ')[1])).toEqual([
      'closed',
      'closed',
      'open',
      'open',
      'upcoming',
      'upcoming',
    ]);
    expect(settled('harbour-day')).toEqual([]);
    replica.pass(10_000);
    await exhibition().look();
    replica.pass(0);
    expect(settled('harbour-day')).toEqual([10_000, 10_000]);
  });

  test.each([
    ['low', 0, [10_000, 10_000]],
    ['high', 0.99, [0, 0]],
  ])('chance decides each market of its own: %s', async (_, drawn, expected) => {
    await exhibition().look();
    chance = drawn;
    replica.pass(12 * MINUTE_MS + 10_000);
    await exhibition().look();
    replica.pass(0);
    expect(settled('harbour-day')).toEqual(expected);
  });

  test.each([
    [0, [10_000, 0, 0, 0]],
    [0.26, [0, 10_000, 0, 0]],
    [0.999, [0, 0, 0, 10_000]],
  ])('R-event-sets: one of an exclusive set wins, at %d', async (drawn, expected) => {
    await exhibition().look();
    chance = drawn;
    replica.pass(18 * MINUTE_MS + 10_000);
    await exhibition().look();
    replica.pass(0);
    expect(settled('snail-derby')).toEqual(expected);
  });

  test('R-event-sets: what was decided before leaves the rest for one of the others', async () => {
    await exhibition().look();
    replica.pass(18 * MINUTE_MS + 10_000);
    const [first] = due()
      .flatMap((each) => (each.type === 'resolveMarket' ? [each] : []))
      .slice(-4);
    if (first === undefined) throw new Error('a result is due');
    replica.apply({ ...first, fraction: 4_000 });
    await exhibition().look();
    replica.pass(0);
    expect(settled('snail-derby')).toEqual([4_000, 6_000, 0, 0]);
    expect(settledMarketView(replica.state, first.instrumentId)?.fraction).toBe(4_000);
  });
});

test('R-series: a market without prices is paid half and half, others are left to the series', async () => {
  await exhibition(true).look();
  replica.pass(15 * MINUTE_MS + 10_000);
  // The strike of the first one is unknown, since no price was ever pushed.
  expect(
    due(true).flatMap((each) => (each.type === 'resolveMarket' ? [each.fraction] : [])),
  ).toEqual(expect.arrayContaining([5_000, 5_000]));
  await exhibition(true).look();
  replica.pass(0);
  expect(settled('btc-up-or-down-15m')).toEqual([5_000]);
  expect(settled('btc-up-or-down-1h')).toEqual([]);
});

test('markets of others are not touched', async () => {
  const mine = exhibitionCommands(replica.state, { nowMs: replica.nowMs, random, hasSeries: false })
    .slice(0, 2)
    .map((command) =>
      JSON.parse(JSON.stringify(command).replaceAll('harbour-day-', 'harbour-days-')),
    );
  for (const command of mine) replica.apply(command as Command);
  replica.pass(60 * MINUTE_MS);
  expect(due().filter(({ type }) => type === 'resolveMarket')).toEqual([]);
});

test('what is refused is told once and not tried again', async () => {
  await exhibition().look();
  replica.pass(12 * MINUTE_MS + 10_000);
  const show = exhibition();
  const [first] = due().filter(({ type }) => type === 'resolveMarket');
  if (first?.type !== 'resolveMarket') throw new Error('a result is due');
  const resolved = show.look();
  replica.apply(first);
  await resolved;
  await show.look();
  expect(lines.filter((line) => line.includes('refused'))).toHaveLength(1);
});
