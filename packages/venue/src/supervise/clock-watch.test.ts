import { createLogger } from '@oddlot/host/log';
import { expect, test } from 'vitest';
import { ClockWatch } from './clock-watch.ts';

/**
 * Returns a watch, a function that sets the difference between the wall clock and the venue's time,
 * and the logged messages (R-clock).
 */

function watching(): { watch: ClockWatch; be: (ms: number) => void; messages: string[] } {
  const messages: string[] = [];
  let distanceMs = 0;
  const write = (line: string): void => {
    messages.push((JSON.parse(line) as { msg: string }).msg);
  };
  const clock = { distanceMs: () => distanceMs, startAfter: () => {} };
  const watch = new ClockWatch(clock, createLogger({ destination: { write } }));
  return { watch, messages, be: (ms) => (distanceMs = ms) };
}

test.each<[number, string, boolean, string | undefined]>([
  [0, 'right', true, undefined],
  [2_000, 'right', true, undefined],
  [-2_001, 'off', true, undefined],
  [5_000, 'off', true, undefined],
  [-5_001, 'far', false, undefined],
  [30_000, 'far', false, undefined],
  [30_001, 'lost', false, 'Clock is off by 30001 ms'],
  [-60_000, 'lost', false, 'Clock is off by 60000 ms'],
])('R-clock: %i ms apart is %s', (distanceMs, state, isReady, refused) => {
  const { be, watch } = watching();
  be(distanceMs);
  expect(watch.look()).toEqual({ state, distanceMs });
  expect(watch.check().ok).toBe(isReady);
  expect(watch.restriction()?.stops).toBe(refused === undefined ? undefined : 'risk');
  expect(watch.restriction()?.error).toEqual(
    refused === undefined ? undefined : expect.objectContaining({ code: 10503, message: refused }),
  );
});

test('R-clock: new risk is rejected until the clock difference is gone', () => {
  const { be, messages, watch } = watching();
  const states = [3_000, 31_000, 29_000, 2_001, 2_000, 6_000].map((distanceMs) => {
    be(distanceMs);
    return watch.look().state;
  });
  expect(states).toEqual(['off', 'lost', 'lost', 'lost', 'right', 'far']);
  expect(messages).toEqual([
    'clock deviates from the venue time',
    'clock deviates too far from the venue time: accepting only cancels, reducing orders and operator actions',
    'clock agrees with the venue time again',
    'clock deviates from the venue time: not ready',
  ]);
});
