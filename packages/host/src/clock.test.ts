import { expect, test } from 'vitest';
import { bootClock, ClockBehindError, slewed, systemTime, VenueClock } from './clock.ts';
import { ManualTime, CLOCK_START_MS } from '@oddlot/testing/host/manual-time';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

test.each<[string, number, number]>([
  ['set back by a minute', -60_000, 990],
  ['set back by an hour', -HOUR_MS, 990],
  ['set forward by three days and a half', 3.5 * DAY_MS, 1_010],
  ['a moment behind', -4, 996],
  ['a moment ahead', 4, 1_004],
  ['right', 0, 1_000],
])('R-clock: with a wall clock that is %s a second is about a second', (_, setMs, passedMs) => {
  const time = new ManualTime();
  const clock = new VenueClock(time);
  time.set(setMs);
  time.pass(1_000);
  expect(clock.nowMs() - CLOCK_START_MS).toBe(passedMs);
});

test('R-clock: a wall clock that was far ahead has almost no lasting effect once it is corrected', () => {
  const time = new ManualTime();
  const clock = new VenueClock(time);
  time.set(3.5 * DAY_MS);
  time.pass(60_000);
  clock.nowMs();
  time.set(-3.5 * DAY_MS);
  expect(clock.distanceMs()).toBe(-600);
  for (let second = 0; second < 61; second += 1) {
    time.pass(1_000);
    clock.nowMs();
  }
  expect(clock.distanceMs()).toBe(0);
});

test('R-clock: the slew rate is the same for steps of a hundredth of a millisecond', () => {
  const time = new ManualTime();
  const clock = new VenueClock(time);
  time.set(HOUR_MS);
  for (let step = 0; step < 100_000; step += 1) {
    time.pass(0.01);
    clock.nowMs();
  }
  // The expected time is 1,000 ms plus one percent.
  expect(clock.nowMs() - CLOCK_START_MS).toBeGreaterThanOrEqual(1_009);
  expect(clock.nowMs() - CLOCK_START_MS).toBeLessThanOrEqual(1_010);
});

test('R-clock: slewing stops when the time equals the wall clock', () => {
  expect(slewed({ elapsedMs: 1_000, distanceMs: 3 })).toBe(1_003);
  expect(slewed({ elapsedMs: 1_000, distanceMs: -3 })).toBe(997);
  expect(slewed({ elapsedMs: 1_000, distanceMs: -700, slowest: 0.5 })).toBe(500);
  expect(slewed({ elapsedMs: 0, distanceMs: 3 })).toBe(0);
});

test('R-clock: on startup, time is taken from the wall clock, no matter how long the venue was stopped', () => {
  const clock = new VenueClock(new ManualTime());
  clock.startAfter(CLOCK_START_MS - 30 * DAY_MS, { isAccepted: false });
  expect(clock.nowMs()).toBe(CLOCK_START_MS);
});

test('R-clock: if the wall clock is slightly behind the log on startup, time continues from the log without standing still', () => {
  const time = new ManualTime();
  const clock = new VenueClock(time);
  clock.startAfter(CLOCK_START_MS + 30_000, { isAccepted: false });
  expect([clock.nowMs(), clock.distanceMs()]).toEqual([CLOCK_START_MS + 30_000, -30_000]);
  time.pass(1_000);
  expect(clock.nowMs()).toBe(CLOCK_START_MS + 30_990);
});

test('R-clock: if the wall clock is more than 30 s behind the log on startup, the venue does not start, and both times are reported', () => {
  const clock = new VenueClock(new ManualTime());
  const start = (): void => clock.startAfter(CLOCK_START_MS + 30_001, { isAccepted: false });
  expect(start).toThrow(ClockBehindError);
  expect(start).toThrow(
    'the clock shows 2027-01-15T08:00:00.000Z, but the log ends at 2027-01-15T08:00:30.001Z, 30001 ms later',
  );
});

test('R-clock: after the operator has accepted a log in the future, time runs at half speed until the wall clock has caught up', () => {
  const time = new ManualTime();
  const clock = new VenueClock(time);
  clock.startAfter(CLOCK_START_MS + HOUR_MS, { isAccepted: true });
  time.pass(HOUR_MS);
  expect(clock.nowMs()).toBe(CLOCK_START_MS + 1.5 * HOUR_MS);
  time.pass(HOUR_MS);
  expect(clock.nowMs()).toBe(CLOCK_START_MS + 2 * HOUR_MS);
  expect(clock.distanceMs()).toBe(0);
  // Once the clock has been correct, the next difference is slewed at the normal rate.
  time.pass(1);
  clock.nowMs();
  time.set(-HOUR_MS);
  time.pass(1_000);
  expect(clock.nowMs()).toBe(CLOCK_START_MS + 2 * HOUR_MS + 991);
});

test('R-clock: time continues while the machine sleeps, unlike the monotonic clock', () => {
  let [monotonicMs, uptimeMs] = [5_000, 77_770];
  const boot = bootClock(
    () => monotonicMs,
    () => uptimeMs,
  );
  const startMs = boot();
  monotonicMs += 99.5;
  uptimeMs += 90;
  expect(boot() - startMs).toBe(99.5);
  // The machine has slept for eight hours.
  uptimeMs += 8 * HOUR_MS + 10;
  monotonicMs += 0.5;
  expect(boot() - startMs).toBe(8 * HOUR_MS + 100);
  monotonicMs += 1_000;
  uptimeMs += 1_000;
  expect(boot() - startMs).toBe(8 * HOUR_MS + 1_100);
});

test('the clocks of the host advance, and the wall clock shows a time after 2025', async () => {
  const [wallMs, bootMs] = [systemTime.wallMs(), systemTime.bootMs()];
  expect(wallMs).toBeGreaterThan(Date.UTC(2025, 0, 1));
  await new Promise((resolve) => setTimeout(resolve, 150));
  expect(systemTime.bootMs() - bootMs).toBeGreaterThanOrEqual(149);
});
