import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromRunLengths, PastEvents, toRunLengths } from './past-events.ts';
import type { MarketEvent, SettledMarket } from './outcome-market.ts';

/**
 * A settled event with its markets. Packed events must be found just as they would be in maps of
 * every object.
 */
type Over = { readonly event: MarketEvent; readonly markets: readonly SettledMarket[] };

const UNIT = 10_000;

/**
 * Generates events of a few series. Only some of the series have names that include their start
 * time.
 */
const overs: fc.Arbitrary<Over[]> = fc
  .array(
    fc.record({
      name: fc.constantFrom('btc-15m-#', 'eth-15m-#', 'day-#-5', '7-#', 'cup', '#'),
      seconds: fc.nat({ max: 40 }),
      legs: fc.constantFrom(['#'], ['#-red', '#-blue'], ['plain']),
      fractions: fc.array(fc.constantFrom(0, UNIT, UNIT / 2, 137), { minLength: 2, maxLength: 2 }),
      mutuallyExclusive: fc.boolean(),
      durationMs: fc.constantFrom(900_000, 86_400_001),
      skips: fc.constantFrom(1, 1, 1, 3),
    }),
    { maxLength: 60 },
  )
  .map((rows) => {
    const found = new Map<string, Over>();
    let [eventId, id] = [0, 100_000];
    for (const { durationMs, fractions, legs, mutuallyExclusive, name, seconds, skips } of rows) {
      const start = 1_800_000_000 + seconds * 900;
      const slug = name.replace('#', String(start));
      eventId += skips;
      const markets = legs.map((leg, at) => {
        id += skips;
        const own = leg === 'plain' ? `plain-${id}` : leg.replace('#', slug);
        const szDecimals = 2;
        const fraction = fractions[at] ?? 0;
        return { instrumentId: id, slug: own, eventSlug: slug, szDecimals, fraction };
      });
      const startMs = start * 1_000;
      const event = {
        eventId,
        slug,
        mutuallyExclusive,
        startMs,
        endMs: startMs + durationMs,
        instrumentIds: markets.map(({ instrumentId }) => instrumentId),
        resolved: markets.length,
        fractionSum: markets.reduce((sum, { fraction }) => sum + fraction * 100, 0),
      };
      if (!found.has(slug)) found.set(slug, { event, markets });
    }
    return [...found.values()];
  });

test('packed events and their markets are found by all their names', () => {
  fc.assert(
    fc.property(overs, fc.boolean(), (all, isRestored) => {
      const added = new PastEvents();
      const packed = all.filter(({ event, markets }) => added.add(event, markets));
      for (const { event, markets } of all) {
        const isDerived = [event, ...markets].every(({ slug }) =>
          slug.split('-').includes(String(event.startMs / 1_000)),
        );
        expect(packed.some((each) => each.event === event)).toBe(isDerived);
      }
      const events = isRestored ? restored(added) : added;
      for (const { event, markets } of all) {
        const isPacked = packed.some((each) => each.event === event);
        expect(events.event(event.slug)).toEqual(isPacked ? event : undefined);
        expect(events.hasEventId(event.eventId)).toBe(isPacked);
        for (const market of markets) {
          expect(events.market(market.instrumentId)).toEqual(isPacked ? market : undefined);
          expect(events.marketIdOf(market.slug)).toBe(isPacked ? market.instrumentId : undefined);
        }
      }
      const byId = (a: SettledMarket, b: SettledMarket): number => a.instrumentId - b.instrumentId;
      expect([...events.markets()].toSorted(byId)).toEqual(
        packed.flatMap(({ markets }) => markets).toSorted(byId),
      );
      expect([...events.events()].toSorted((a, b) => a.eventId - b.eventId)).toEqual(
        packed.map(({ event }) => event).toSorted((a, b) => a.eventId - b.eventId),
      );
      expect([...events.marketIds()].toSorted((a, b) => a - b)).toEqual(
        packed.flatMap(({ event }) => event.instrumentIds).toSorted((a, b) => a - b),
      );
    }),
  );
});

/** Converts the events to JSON and back, as in a snapshot. */
function restored(events: PastEvents): PastEvents {
  const copy = new PastEvents();
  copy.restore(JSON.parse(JSON.stringify(events.dump())));
  expect(copy.dump()).toEqual(events.dump());
  return copy;
}

test('a thousand markets of a series take only a few characters each', () => {
  const events = new PastEvents();
  for (let n = 0; n < 1_000; n += 1) {
    const slug = `btc-15m-${1_800_000_000 + n * 900}`;
    const startMs = (1_800_000_000 + n * 900) * 1_000;
    const ids = { eventId: 3 * n + Math.floor(n / 4), instrumentIds: [100_000 + 3 * n] };
    const times = { startMs, endMs: startMs + 900_000, mutuallyExclusive: false };
    const fraction = (n * 7_919) % 3 === 0 ? UNIT : 0;
    const event = { ...ids, ...times, slug, resolved: 1, fractionSum: fraction * 100 };
    const [instrumentId = 0] = ids.instrumentIds;
    events.add(event, [{ instrumentId, slug, eventSlug: slug, szDecimals: 2, fraction }]);
  }
  expect(JSON.stringify(events.dump()).length).toBeLessThan(5_000);
});

test('run lengths decode back to the original numbers', () => {
  fc.assert(
    fc.property(fc.array(fc.nat()), (numbers) => {
      expect(fromRunLengths(toRunLengths(numbers))).toEqual(numbers);
    }),
  );
});
