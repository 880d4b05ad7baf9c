import type { OutcomeEventMeta } from '@oddlot/sdk';
import { expect, test } from 'vitest';
import { comingOf, type Moment } from './queries.ts';

const event = (title: string, start: number, end: number): OutcomeEventMeta =>
  ({ title, start_time: start, end_time: end }) as OutcomeEventMeta;

// The events are in the venue's order, which is by end time. Two of them end at the same time.
const LISTED = [
  event('Snail derby', 30, 40),
  event('Harbour day', 10, 50),
  event('Snail weight', 5, 60),
  event('Harbour master', 20, 60),
];

const titles = (moment: Moment, wanted = ''): string[] =>
  comingOf(LISTED, { moment, wanted }).map(({ title }) => title);

test('the event that starts next comes first, regardless of its end time', () => {
  expect(titles('start_time')).toEqual([
    'Snail weight',
    'Harbour day',
    'Harbour master',
    'Snail derby',
  ]);
});

test("the event that ends next comes first, and events with the same end time keep the venue's order", () => {
  expect(titles('end_time')).toEqual(LISTED.map(({ title }) => title));
});

test('a search keeps the order of the events', () => {
  expect(titles('start_time', 'snail')).toEqual(['Snail weight', 'Snail derby']);
});
