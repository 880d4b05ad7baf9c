import { present } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import { createClosing } from '../state/sampled-hours.ts';
import { alice, bob, PERP, Scenario } from '@oddlot/testing/engine/scenario';
import { checkRestarts } from '@oddlot/testing/engine/waiting';
import { closingMark, settlementPrice } from './mark-price.ts';

const ID = PERP.instrumentId;
const MINUTE_MS = 60_000;
const markOf = ({ state }: Scenario): number => present(state.perps.get(ID), 'the perp').mark;

describe('R-delist: the mark in the closing hour approaches the settlement price', () => {
  const hour = (looked: number, samples: number, sum: number) => ({
    ...createClosing(0, false),
    looked,
    samples,
    sum,
  });

  // The average of 360 samples at 100 and 360 future ones at 90 is 95. If 60 of the first 360 were
  // missed, they are excluded from both sums: (300 × 100 + 360 × 90) / 660 = 94.5454….
  test.each([
    { looked: 0, samples: 0, mark: 900_000 },
    { looked: 360, samples: 360, mark: 950_000 },
    { looked: 360, samples: 300, mark: 945_455 },
    { looked: 720, samples: 372, mark: 1_000_000 },
    { looked: 720, samples: 0, mark: undefined },
  ])('with $samples of $looked samples the closing mark is $mark', ({ looked, mark, samples }) => {
    expect(closingMark(hour(looked, samples, samples * 1_000_000), 900_000)).toBe(mark);
  });

  test.each([
    { samples: 360, price: 1_000_000 },
    { samples: 359, price: undefined },
  ])('$samples samples settle at $price', ({ price, samples }) => {
    expect(settlementPrice(hour(720, samples, samples * 1_000_000))).toBe(price);
  });

  /**
   * A price of 100 for 31 minutes gives 372 samples. The next price, 90, goes stale after 30 s and
   * gives 6 or 7 more samples; no other price arrives. The mark moves with every sample time and
   * ends at the settlement price: (372 × 100 + 7 × 90) / 379 = 99.8153.
   */
  test.each([false, true])(
    'the closing mark reaches the settlement price without a jump (halted: %s)',
    (halted) => {
      const venue = Scenario.open({ funds: 100_000_000_000 });
      venue.one(alice, { price: 1_000_000, size: 1_000 });
      venue.one(bob, { isBuy: false, price: 1_000_000, size: 1_000 });
      venue.block({ type: 'setPerp', instrumentId: ID, delisted: true, changes: {} });
      for (let at = 0; at < 31 * MINUTE_MS - 5_000; at += 5_000)
        venue.wait(5_000).oracle(1_000_000);
      venue.wait(5_000).oracle(900_000);
      if (halted) venue.block({ type: 'setPerp', instrumentId: ID, halted: true, changes: {} });
      const marks = [markOf(venue)];
      for (let at = 0; at < 28 * MINUTE_MS; at += MINUTE_MS) {
        venue.wait(MINUTE_MS).block();
        marks.push(markOf(venue));
      }
      // The mark is (372 × 100 + 348 × 90) / 720 = 95.1667 at first and a little nearer each
      // minute.
      expect(marks[0]).toBe(951_667);
      for (const [at, mark] of marks.slice(1).entries()) {
        expect(mark).toBeGreaterThan(present(marks[at], 'the one before'));
      }
      venue.wait(MINUTE_MS - 1_000).block();
      const last = markOf(venue);
      expect(last).toBe(998_153);
      const { events } = venue.wait(1_000).block();
      expect(events.find(({ type }) => type === 'perpSettled')).toMatchObject({ price: last });
      checkRestarts(venue);
    },
  );
});
