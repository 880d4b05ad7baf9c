import type { OutcomeEventMeta } from '@oddlot/sdk';
import { expect, test } from 'vitest';
import { runningOf } from './series-cards.tsx';

const event = (slug: string | null, start: number, end: number): OutcomeEventMeta =>
  ({
    slug: `${slug}-${start}`,
    series_slug: slug,
    start_time: start,
    end_time: end,
    markets: [{ instrument_id: start }],
  }) as OutcomeEventMeta;

const shown = (nowMs: number, ...events: OutcomeEventMeta[]): string[] =>
  runningOf(events, nowMs).map((series) => series.event.slug);

test('each series appears once, with the market that ends next', () => {
  const events = [event('btc', 15, 30), event('btc', 30, 45), event('eth', 0, 60)];
  expect(shown(20, ...events)).toEqual(['btc-15', 'eth-0']);
  expect(shown(30, ...events)).toEqual(['btc-30', 'eth-0']);
});

test('an upcoming market represents its series until one is open', () => {
  expect(shown(5, event('btc', 15, 30))).toEqual(['btc-15']);
});

test('events outside a series and markets that have ended have no card', () => {
  expect(shown(40, event(null, 0, 90), event('btc', 15, 30))).toEqual([]);
});
