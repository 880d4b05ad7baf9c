import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { askAfterChanges } from './live.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Returns queries whose responses the test controls. */
function questions() {
  const open: { readonly resolve: (answer: 'whole' | 'partial') => void; reject(): void }[] = [];
  let count = 0;
  const ask = (): Promise<'whole' | 'partial'> => {
    count += 1;
    const { promise, reject, resolve } = Promise.withResolvers<'whole' | 'partial'>();
    open.push({ resolve, reject: () => reject(new Error('away')) });
    return promise;
  };
  const answer = async (given: 'whole' | 'partial' | 'failure'): Promise<void> => {
    const question = open.shift()!;
    if (given === 'failure') question.reject();
    else question.resolve(given);
    await vi.advanceTimersByTimeAsync(0);
  };
  return { ask, answer, count: () => count };
}

test('a query is sent immediately, and once more for all changes made while it is pending', async () => {
  const { answer, ask, count } = questions();
  const asking = askAfterChanges(ask);
  expect(count()).toBe(1);
  for (let time = 0; time < 3; time++) asking.again();
  expect(count()).toBe(1);
  await answer('whole');
  await vi.advanceTimersByTimeAsync(250);
  expect(count()).toBe(2);
  await answer('whole');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(count()).toBe(2);
  asking.again();
  expect(count()).toBe(3);
});

test('changes between the first response and the opening of the stream are queried', async () => {
  const { answer, ask, count } = questions();
  const asking = askAfterChanges(ask);
  const { promise: ready, resolve } = Promise.withResolvers<void>();
  asking.onceReady({ ready });
  await answer('whole');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(count()).toBe(1);
  resolve();
  await vi.advanceTimersByTimeAsync(0);
  expect(count()).toBe(2);
});

test.each(['failure', 'partial'] as const)(
  'a query is repeated after a %s response',
  async (given) => {
    const { answer, ask, count } = questions();
    askAfterChanges(ask);
    await answer(given);
    await vi.advanceTimersByTimeAsync(1_999);
    expect(count()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(count()).toBe(2);
    await answer('whole');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(count()).toBe(2);
  },
);

test('no query is sent after the component stops', async () => {
  const { answer, ask, count } = questions();
  const asking = askAfterChanges(ask);
  const { promise: ready, resolve } = Promise.withResolvers<void>();
  asking.onceReady({ ready });
  asking.onceReady({ ready: Promise.reject(new Error('refused')) });
  asking.stop();
  resolve();
  asking.again();
  await answer('failure');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(count()).toBe(1);
});
