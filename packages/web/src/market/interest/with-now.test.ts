import { expect, test } from 'vitest';
import { withNow } from './interest-line.tsx';

const hour = (time: number, openInterest: string) => ({ time, openInterest, markPx: '10' });

test('the last point of the chart is the current open interest', () => {
  const now = { openInterest: '3', markPx: '11' };
  expect(withNow([hour(1, '1'), hour(2, '2')], now, 5)).toEqual([
    hour(1, '1'),
    hour(2, '2'),
    { time: 5, openInterest: '3', markPx: '11' },
  ]);
});

test('hours in the future of the local clock are omitted', () => {
  expect(withNow([hour(1, '1'), hour(9, '2')], { openInterest: '3', markPx: '11' }, 5)).toEqual([
    hour(1, '1'),
    { time: 5, openInterest: '3', markPx: '11' },
  ]);
});

test('only full hours are shown before the first stream event', () => {
  expect(withNow([hour(1, '1')], { openInterest: undefined, markPx: undefined }, 5)).toEqual([
    hour(1, '1'),
  ]);
  expect(withNow([hour(1, '1')], { openInterest: '', markPx: '11' }, 5)).toEqual([hour(1, '1')]);
});
