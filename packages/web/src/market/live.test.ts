import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createLive } from './live.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Returns a subscription that logs its start and end. */
function noted() {
  const log: string[] = [];
  const live = createLive<{ readonly coin: string }, { readonly price: string }>({
    key: ({ coin }) => coin,
    initial: () => ({ price: '' }),
    open: ({ coin }, store) => {
      log.push(`open ${coin}`);
      store.setState({ price: `${coin}.5` });
      return () => log.push(`close ${coin}`);
    },
  });
  return { live, log };
}

describe('components share a subscription', () => {
  test('a shared subscription is opened once for all components', () => {
    const { live, log } = noted();
    const [first, second] = [live.acquire({ coin: '1' }), live.acquire({ coin: '1' })];
    expect(first.store).toBe(second.store);
    expect(second.store.getState()).toEqual({ price: '1.5' });
    expect(log).toEqual(['open 1']);
  });

  test('a shared subscription ends shortly after the last release', () => {
    const { live, log } = noted();
    const [first, second] = [live.acquire({ coin: '1' }), live.acquire({ coin: '1' })];
    first.release();
    // A second release by the same component has no effect.
    first.release();
    vi.advanceTimersByTime(60_000);
    expect(log).toEqual(['open 1']);
    second.release();
    expect(log).toEqual(['open 1']);
    vi.advanceTimersByTime(60_000);
    expect(log).toEqual(['open 1', 'close 1']);
  });

  test('a shared subscription continues if the next screen acquires it', () => {
    const { live, log } = noted();
    live.acquire({ coin: '1' }).release();
    vi.advanceTimersByTime(1_000);
    live.acquire({ coin: '1' });
    vi.advanceTimersByTime(60_000);
    expect(log).toEqual(['open 1']);
  });

  test('different parameters get a separate subscription, and an ended subscription is opened again', () => {
    const { live, log } = noted();
    live.acquire({ coin: '1' }).release();
    live.acquire({ coin: '2' });
    vi.advanceTimersByTime(60_000);
    live.acquire({ coin: '1' });
    expect(log).toEqual(['open 1', 'open 2', 'close 1', 'open 1']);
  });
});
