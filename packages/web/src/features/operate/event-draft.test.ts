import { expect, test } from 'vitest';
import { eventOf, marketsOf, NEW_EVENT, slugOf, timeOf } from './events.tsx';

const NOW_MS = Date.UTC(2026, 10, 15, 12);
const draft = {
  ...NEW_EVENT,
  title: 'Rain in Oslo',
  markets: [{ question: 'Will it rain in Oslo on Monday?', name: '' }],
  endsAt: '2026-11-16T22:00',
};

test.each([
  ['Will it rain in Oslo?', 'will-it-rain-in-oslo'],
  ['  Größe & Höhe  ', 'gro-e-hohe'],
  ['<b>1%</b>', 'b-1-b'],
  ['???', ''],
  ['a'.repeat(80), 'a'.repeat(60)],
])('the text %j becomes the slug %j', (text, slug) => {
  expect(slugOf(text)).toBe(slug);
});

test('the times of a draft are entered in UTC', () => {
  expect(timeOf('2026-11-16T22:00')).toBe(Date.UTC(2026, 10, 16, 22));
  expect(timeOf('')).toBeUndefined();
});

test('an event and its market have the same times', () => {
  const event = eventOf(draft, NOW_MS)!;
  expect(event).toMatchObject({ slug: 'rain-in-oslo-2026-11-16', startTime: NOW_MS - 5_000 });
  expect(event.mutuallyExclusive).toBe(false);
  expect(marketsOf(draft, event)).toMatchObject([
    {
      eventSlug: 'rain-in-oslo-2026-11-16',
      slug: 'will-it-rain-in-oslo-on-monday-2026-11-16',
      groupTitle: null,
      startTime: event.startTime,
      endTime: event.endTime,
    },
  ]);
});

test('a draft with an end time in the past or without a name is not sent', () => {
  expect(eventOf({ ...draft, endsAt: '2026-11-15T11:00' }, NOW_MS)).toBeUndefined();
  expect(eventOf({ ...draft, title: '?' }, NOW_MS)).toBeUndefined();
  const markets = [{ question: '', name: '' }];
  expect(marketsOf({ ...draft, markets }, eventOf(draft, NOW_MS)!)).toBeUndefined();
});

test('the markets in a set must have different names', () => {
  const set = (...names: string[]) => ({
    ...draft,
    markets: names.map((name) => ({ name, question: `Will ${name} win?` })),
  });
  const event = eventOf(set('Heron', 'Gannet'), NOW_MS)!;
  expect(event.mutuallyExclusive).toBe(true);
  expect(marketsOf(set('Heron', 'Gannet'), event)).toMatchObject([
    { groupTitle: 'Heron' },
    { groupTitle: 'Gannet' },
  ]);
  expect(marketsOf(set('Heron', ''), event)).toBeUndefined();
  expect(marketsOf(set('Heron', 'Heron'), event)).toBeUndefined();
});
