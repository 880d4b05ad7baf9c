import { expect, test, vi } from 'vitest';
import { openInOrder } from './open-in-order.ts';

const unexpected = (error: unknown): never => expect.unreachable(String(error));

test('after a failed step, the opened resources are closed in reverse order', async () => {
  const steps: string[] = [];
  const opening = openInOrder(async (opened) => {
    opened.defer(() => void steps.push('first'));
    opened.defer(async () => {
      await Promise.resolve();
      steps.push('second');
    });
    throw new Error('the third does not open');
  }, unexpected);
  await expect(opening).rejects.toThrow('the third does not open');
  expect(steps).toEqual(['second', 'first']);
});

test('a failure to close a resource neither hides the original error nor keeps other resources open', async () => {
  const steps: string[] = [];
  const errors: unknown[] = [];
  const stuck = new Error('the second does not close');
  const opening = openInOrder(
    async (opened) => {
      opened.defer(() => void steps.push('first'));
      opened.defer(() => Promise.reject(stuck));
      throw new Error('the third does not open');
    },
    (error) => errors.push(error),
  );
  await expect(opening).rejects.toThrow('the third does not open');
  expect(steps).toEqual(['first']);
  expect(errors).toEqual([stuck]);
});

test('a close that never completes does not hide the original error', async () => {
  vi.useFakeTimers();
  const errors: unknown[] = [];
  const opening = openInOrder(
    async (opened) => {
      opened.defer(() => new Promise<void>(() => undefined));
      throw new Error('the second does not open');
    },
    (error) => errors.push(error),
  );
  const why = opening.catch(String);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await why).toBe('Error: the second does not open');
  expect(errors).toEqual([new Error('not closed after 10 s')]);
  vi.useRealTimers();
});

test('a second close waits for the first one', async () => {
  const { promise: isLet, resolve } = Promise.withResolvers<void>();
  const steps: string[] = [];
  const opened = await openInOrder(async (stack) => {
    stack.defer(async () => {
      await isLet;
      steps.push('closed');
    });
    return stack;
  }, unexpected);
  const closings = [opened.disposeAsync(), opened.disposeAsync()];
  void closings[1]!.then(() => steps.push('second'));
  await Promise.resolve();
  expect(steps).toEqual([]);
  resolve();
  await Promise.all(closings);
  expect(steps).toEqual(['closed', 'second']);
});

test('if all resources were opened, they stay open until their owner closes them', async () => {
  const steps: string[] = [];
  const opened = await openInOrder(async (stack) => {
    stack.defer(() => void steps.push('closed'));
    return stack;
  }, unexpected);
  expect(steps).toEqual([]);
  await opened.disposeAsync();
  expect(steps).toEqual(['closed']);
});
