import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromRunLengths, PastEvents, toRunLengths } from './past-events.ts';
import type { MarketEvent, SettledMarket } from './outcome-market.ts';

/** What is packed is found again, to the letter, as from maps that keep every object. */

type Over = { readonly event: MarketEvent; readonly markets: readonly SettledMarket[] };

const UNIT = 10_000;

/** Events of a few programmes, some of whose names say when they started and some do not. */
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

test('past events and their markets are found by every name they have', () => {
  fc.assert(
    fc.property(overs, fc.boolean(), (all, isRestored) => {
      const added = new PastEvents();
      const kept = all.filter(({ event, markets }) => added.add(event, markets));
      for (const { event, markets } of all) {
        const isTold = [event, ...markets].every(({ slug }) =>
          slug.split('-').includes(String(event.startMs / 1_000)),
        );
        expect(kept.some((each) => each.event === event)).toBe(isTold);
      }
      const past = isRestored ? restored(added) : added;
      for (const { event, markets } of all) {
        const isKept = kept.some((each) => each.event === event);
        expect(past.event(event.slug)).toEqual(isKept ? event : undefined);
        expect(past.hasEventId(event.eventId)).toBe(isKept);
        for (const market of markets) {
          expect(past.market(market.instrumentId)).toEqual(isKept ? market : undefined);
          expect(past.marketIdOf(market.slug)).toBe(isKept ? market.instrumentId : undefined);
        }
      }
      const byId = (a: SettledMarket, b: SettledMarket): number => a.instrumentId - b.instrumentId;
      expect([...past.markets()].toSorted(byId)).toEqual(
        kept.flatMap(({ markets }) => markets).toSorted(byId),
      );
      expect([...past.events()].toSorted((a, b) => a.eventId - b.eventId)).toEqual(
        kept.map(({ event }) => event).toSorted((a, b) => a.eventId - b.eventId),
      );
      expect([...past.marketIds()].toSorted((a, b) => a - b)).toEqual(
        kept.flatMap(({ event }) => event.instrumentIds).toSorted((a, b) => a - b),
      );
    }),
  );
});

/** Through text, as in a snapshot. */
function restored(past: PastEvents): PastEvents {
  const copy = new PastEvents();
  copy.restore(JSON.parse(JSON.stringify(past.dump())));
  expect(copy.dump()).toEqual(past.dump());
  return copy;
}

test('a thousand markets of a series take a few characters each', () => {
  const past = new PastEvents();
  for (let n = 0; n < 1_000; n += 1) {
    const slug = `btc-15m-${1_800_000_000 + n * 900}`;
    const startMs = (1_800_000_000 + n * 900) * 1_000;
    const ids = { eventId: 3 * n + Math.floor(n / 4), instrumentIds: [100_000 + 3 * n] };
    const times = { startMs, endMs: startMs + 900_000, mutuallyExclusive: false };
    const fraction = (n * 7_919) % 3 === 0 ? UNIT : 0;
    const event = { ...ids, ...times, slug, resolved: 1, fractionSum: fraction * 100 };
    const [instrumentId = 0] = ids.instrumentIds;
    past.add(event, [{ instrumentId, slug, eventSlug: slug, szDecimals: 2, fraction }]);
  }
  expect(JSON.stringify(past.dump()).length).toBeLessThan(5_000);
});

test('run lengths give the numbers back', () => {
  fc.assert(
    fc.property(fc.array(fc.nat()), (numbers) => {
      expect(fromRunLengths(toRunLengths(numbers))).toEqual(numbers);
    }),
  );
});
