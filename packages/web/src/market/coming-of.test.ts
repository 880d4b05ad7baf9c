import type { OutcomeEventMeta } from '@oddlot/sdk';
import { expect, test } from 'vitest';
import { comingOf, type Moment } from './queries.ts';

const event = (title: string, start: number, end: number): OutcomeEventMeta =>
  ({ title, start_time: start, end_time: end }) as OutcomeEventMeta;

// As the venue lists them, by their end; two of them end at once.
const LISTED = [
  event('Snail derby', 30, 40),
  event('Harbour day', 10, 50),
  event('Snail weight', 5, 60),
  event('Harbour master', 20, 60),
];

const titles = (moment: Moment, wanted = ''): string[] =>
  comingOf(LISTED, { moment, wanted }).map(({ title }) => title);

test('what opens next comes first, whenever it ends', () => {
  expect(titles('start_time')).toEqual([
    'Snail weight',
    'Harbour day',
    'Harbour master',
    'Snail derby',
  ]);
});

test('what ends next comes first, and what ends at once stays as the venue lists it', () => {
  expect(titles('end_time')).toEqual(LISTED.map(({ title }) => title));
});

test('a search leaves the order as it is', () => {
  expect(titles('start_time', 'snail')).toEqual(['Snail weight', 'Snail derby']);
});
