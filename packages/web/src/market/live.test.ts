import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createLive } from './live.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A live thing that notes when it is opened and closed. */
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

describe('what several panels show', () => {
  test('is subscribed once and seen by all of them', () => {
    const { live, log } = noted();
    const [first, second] = [live.acquire({ coin: '1' }), live.acquire({ coin: '1' })];
    expect(first.store).toBe(second.store);
    expect(second.store.getState()).toEqual({ price: '1.5' });
    expect(log).toEqual(['open 1']);
  });

  test('ends a moment after the last of them is gone', () => {
    const { live, log } = noted();
    const [first, second] = [live.acquire({ coin: '1' }), live.acquire({ coin: '1' })];
    first.release();
    // A panel that says twice that it is gone takes nothing from the others.
    first.release();
    vi.advanceTimersByTime(60_000);
    expect(log).toEqual(['open 1']);
    second.release();
    expect(log).toEqual(['open 1']);
    vi.advanceTimersByTime(60_000);
    expect(log).toEqual(['open 1', 'close 1']);
  });

  test('stays when the next screen wants it too', () => {
    const { live, log } = noted();
    live.acquire({ coin: '1' }).release();
    vi.advanceTimersByTime(1_000);
    live.acquire({ coin: '1' });
    vi.advanceTimersByTime(60_000);
    expect(log).toEqual(['open 1']);
  });

  test('is another one with other parameters, and a new one after it ended', () => {
    const { live, log } = noted();
    live.acquire({ coin: '1' }).release();
    live.acquire({ coin: '2' });
    vi.advanceTimersByTime(60_000);
    live.acquire({ coin: '1' });
    expect(log).toEqual(['open 1', 'open 2', 'close 1', 'open 1']);
  });
});
