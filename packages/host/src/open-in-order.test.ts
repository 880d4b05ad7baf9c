import { expect, test, vi } from 'vitest';
import { openInOrder } from './open-in-order.ts';

const unexpected = (error: unknown): never => expect.unreachable(String(error));

test('what was opened before a step that fails is closed, the last one first', async () => {
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

test('what can not be closed hides neither why it had to be nor those below it', async () => {
  const steps: string[] = [];
  const told: unknown[] = [];
  const stuck = new Error('the second does not close');
  const opening = openInOrder(
    async (opened) => {
      opened.defer(() => void steps.push('first'));
      opened.defer(() => Promise.reject(stuck));
      throw new Error('the third does not open');
    },
    (error) => told.push(error),
  );
  await expect(opening).rejects.toThrow('the third does not open');
  expect(steps).toEqual(['first']);
  expect(told).toEqual([stuck]);
});

test('what does not end hides no reason either', async () => {
  vi.useFakeTimers();
  const told: unknown[] = [];
  const opening = openInOrder(
    async (opened) => {
      opened.defer(() => new Promise<void>(() => undefined));
      throw new Error('the second does not open');
    },
    (error) => told.push(error),
  );
  const why = opening.catch(String);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await why).toBe('Error: the second does not open');
  expect(told).toEqual([new Error('not closed after 10 s')]);
  vi.useRealTimers();
});

test('whoever closes them a second time waits for the first', async () => {
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

test('when all are open, they stay so until their owner closes them', async () => {
  const steps: string[] = [];
  const opened = await openInOrder(async (stack) => {
    stack.defer(() => void steps.push('closed'));
    return stack;
  }, unexpected);
  expect(steps).toEqual([]);
  await opened.disposeAsync();
  expect(steps).toEqual(['closed']);
});
