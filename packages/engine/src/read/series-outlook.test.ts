import { instrumentId } from '@oddlot/units';
import { expect, test } from 'vitest';
import { decide, setPhase } from '@oddlot/testing/engine/outcomes';
import { feed, FIRST_ID, push, seriesVenue, to } from '@oddlot/testing/engine/series';
import { seriesOutlook } from './read-outcome.ts';

/** The tests read the outlook for the first market, which starts at 900 s and ends at 1,800 s. */
const outlook = (venue: ReturnType<typeof seriesVenue>) => seriesOutlook(venue.state, FIRST_ID);

test('R-series: the strike of a market is pending before it is fixed', () => {
  const venue = seriesVenue();
  feed(venue, 840, 899, 100);
  expect(outlook(venue)).toEqual({ strike: 'pending', decidedBy: 'series' });
  to(venue, 904.999).block();
  expect(outlook(venue)).toEqual({ strike: 'pending', decidedBy: 'series' });
  to(venue, 905).block();
  expect(outlook(venue)).toEqual({ strike: 'fixed', decidedBy: 'series' });
});

test.each([
  ['none at all', 900],
  ['53 seconds of 60', 847],
])(
  'R-series: a strike without prices before the start (%s) is missing from the start',
  (_n, from) => {
    const venue = seriesVenue();
    feed(venue, from, 899, 100);
    to(venue, 899.999).block();
    expect(outlook(venue)).toEqual({ strike: 'pending', decidedBy: 'series' });
    for (const second of [900, 905, 1_300, 1_805]) {
      to(venue, second).block();
      expect(outlook(venue)).toEqual({ strike: 'missing', decidedBy: 'operator' });
    }
  },
);

test('R-series: prices that arrive within five seconds can restore a missing strike', () => {
  const venue = seriesVenue();
  feed(venue, 840, 885, 100);
  to(venue, 900).block();
  expect(outlook(venue)?.strike).toBe('missing');
  for (let at = 892; at < 900; at++) push(venue, [at, 100]);
  expect(outlook(venue)?.strike).toBe('pending');
  to(venue, 905).block();
  expect(outlook(venue)?.strike).toBe('fixed');
});

test('R-series: if there are no prices before the end, the operator decides five seconds after it', () => {
  const venue = seriesVenue();
  feed(venue, 840, 899, 100);
  to(venue, 1_804.999).block();
  expect(outlook(venue)).toEqual({ strike: 'fixed', decidedBy: 'series' });
  to(venue, 1_805).block();
  expect(outlook(venue)).toEqual({ strike: 'fixed', decidedBy: 'operator' });
});

test('a market that the operator resolves before its start never gets a strike', () => {
  const venue = seriesVenue();
  setPhase(venue, 'closed', FIRST_ID);
  decide(venue, 5_000, FIRST_ID);
  expect(outlook(venue)).toBeUndefined();
  expect(seriesOutlook(venue.state, instrumentId(1))).toBeUndefined();
});
