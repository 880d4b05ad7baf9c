import fc from 'fast-check';
import { expect, test } from 'vitest';
import { VenueClock } from './clock.ts';
import { ManualTime, CLOCK_START_MS } from '@oddlot/testing/host/manual-time';

/** Properties of the venue's time under arbitrary adjustments to the wall clock (R-clock). */

const step = fc.record({
  /** The time elapsed on the boot clock, which sometimes includes a night of sleep. */
  passedMs: fc.oneof(
    fc.double({ min: 0.001, max: 2_000, noNaN: true }),
    fc.integer({ min: 1, max: 30_000_000 }),
  ),
  /** An additional adjustment to the wall clock. */
  setMs: fc.oneof(fc.constant(0), fc.integer({ min: -400_000_000, max: 400_000_000 })),
});
const steps = fc.array(step, { minLength: 1, maxLength: 60 });

function paces(
  clock: VenueClock,
  time: ManualTime,
  all: readonly (typeof step extends fc.Arbitrary<infer T> ? T : never)[],
): { slowest: number; fastest: number } {
  let [slowest, fastest] = [Infinity, -Infinity];
  let beforeMs = clock.nowMs();
  for (const { passedMs, setMs } of all) {
    time.pass(passedMs);
    time.set(setMs);
    const nowMs = clock.nowMs();
    // Times are whole milliseconds, so the elapsed time is accurate only to one millisecond.
    slowest = Math.min(slowest, (nowMs - beforeMs + 1) / passedMs);
    fastest = Math.max(fastest, (nowMs - beforeMs - 1) / passedMs);
    expect(nowMs).toBeGreaterThanOrEqual(beforeMs);
    beforeMs = nowMs;
  }
  return { slowest, fastest };
}

test("R-clock: the venue's time never goes back, and its rate differs from the boot clock's by at most 1%", () => {
  fc.assert(
    fc.property(steps, (all) => {
      const time = new ManualTime();
      const { fastest, slowest } = paces(new VenueClock(time), time, all);
      expect(slowest).toBeGreaterThanOrEqual(0.99);
      expect(fastest).toBeLessThanOrEqual(1.01 + 1e-9);
    }),
  );
});

test("R-clock: the venue's time runs at half speed or faster once a log ahead of the wall clock has been accepted", () => {
  fc.assert(
    fc.property(steps, fc.integer({ min: 0, max: 400_000_000 }), (all, aheadMs) => {
      const time = new ManualTime();
      const clock = new VenueClock(time);
      clock.startAfter(CLOCK_START_MS + aheadMs, { isAccepted: true });
      const { fastest, slowest } = paces(clock, time, all);
      expect(slowest).toBeGreaterThanOrEqual(0.5);
      expect(fastest).toBeLessThanOrEqual(1.01 + 1e-9);
    }),
  );
});

test("R-clock: the venue's time converges to the wall clock if the wall clock is not adjusted", () => {
  fc.assert(
    fc.property(fc.integer({ min: -100_000, max: 100_000 }), (setMs) => {
      const time = new ManualTime();
      const clock = new VenueClock(time);
      time.set(setMs);
      for (let second = 0; second < 10_010; second += 1) {
        time.pass(1_000);
        clock.nowMs();
      }
      expect(Math.abs(clock.distanceMs())).toBeLessThanOrEqual(1);
    }),
    { numRuns: 5 },
  );
});
