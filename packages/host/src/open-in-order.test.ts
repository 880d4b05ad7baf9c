import { expect, test } from 'vitest';
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
