import { afterEach, expect, test, vi } from 'vitest';
import { Metrics } from './metrics.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

test('several venues in one process share a single set of process metrics', async () => {
  const setInterval = vi.spyOn(globalThis, 'setInterval');
  const [first, second] = [new Metrics(), new Metrics(), new Metrics()];
  // There are no calls if an earlier test in this process has already created the metrics.
  expect(setInterval.mock.calls.length).toBeLessThanOrEqual(1);
  for (const [, everyMs] of setInterval.mock.calls) expect(everyMs).toBeGreaterThanOrEqual(10_000);
  first.orders('filled', 2);
  const [{ body }, { body: other }] = await Promise.all([first.text(), second.text()]);
  expect(body).toMatch(/^oddlot_orders_total\{state="filled"\} 2$/m);
  expect(other).not.toMatch(/^oddlot_orders_total\{/m);
  for (const text of [body, other]) {
    expect(text.match(/^nodejs_eventloop_lag_p99_seconds /gm)).toHaveLength(1);
    expect(text.match(/^process_cpu_seconds_total /gm)).toHaveLength(1);
    expect(text.endsWith('\n')).toBe(true);
  }
});
