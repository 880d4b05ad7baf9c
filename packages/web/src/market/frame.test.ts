import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createStore } from 'zustand/vanilla';
import { inNextFrame, notInNextFrame, onFrame } from './frame.ts';

/** A screen whose frames the test controls. */
const frames = new Map<number, () => void>();
const reported: unknown[] = [];
let asked = 0;

function drawFrame(): void {
  const due = [...frames.values()];
  frames.clear();
  for (const callback of due) callback();
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('requestAnimationFrame', (callback: () => void) => {
    asked += 1;
    frames.set(asked, callback);
    return asked;
  });
  vi.stubGlobal('cancelAnimationFrame', (id: number) => frames.delete(id));
  vi.stubGlobal('reportError', (error: unknown) => reported.push(error));
});
afterEach(() => {
  drawFrame();
  vi.runAllTimers();
  reported.length = 0;
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test('listeners are called once per frame, however many changes there are', () => {
  const store = createStore(() => ({ price: 0 }));
  const prices: number[] = [];
  const leave = onFrame(store, () => prices.push(store.getState().price));
  for (const price of [1, 2, 3]) store.setState({ price });
  expect(prices).toEqual([]);
  drawFrame();
  expect(prices).toEqual([3]);
  vi.advanceTimersByTime(5_000);
  expect(prices).toEqual([3]);
  leave();
  store.setState({ price: 4 });
  drawFrame();
  expect(prices).toEqual([3]);
});

test('a tab that is hidden before its frame uses a timer instead, once', () => {
  const calls: string[] = [];
  inNextFrame(() => calls.push('first'));
  vi.advanceTimersByTime(1_000);
  expect(calls).toEqual(['first']);
  inNextFrame(() => calls.push('second'));
  vi.advanceTimersByTime(1_000);
  expect(calls).toEqual(['first', 'second']);
  // The tab becomes visible again.
  drawFrame();
  expect(calls).toEqual(['first', 'second']);
});

test('removed listeners are not called, and a failing listener affects no others', () => {
  const calls: string[] = [];
  const taken = (): void => void calls.push('taken back');
  inNextFrame(() => {
    throw new Error('no canvas');
  });
  inNextFrame(taken);
  inNextFrame(() => calls.push('drawn'));
  notInNextFrame(taken);
  drawFrame();
  expect(calls).toEqual(['drawn']);
  expect(reported).toEqual([new Error('no canvas')]);
});
