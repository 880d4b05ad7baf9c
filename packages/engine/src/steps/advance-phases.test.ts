import { instrumentId, timeMs } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import { checkCommand } from '../commands/commands.ts';
import type { EventListing, MarketListing } from '../messages/command.ts';
import { LIMITS } from '../messages/limits.ts';
import { nextDueMs } from '../read/read-health.ts';
import {
  decide,
  EVENT,
  later,
  MARKET,
  MARKET_ID,
  marketOf,
  openMarket,
  operate,
  fundsOf,
  setPhase,
  share,
  describeEvents,
} from '@oddlot/testing/engine/outcomes';
import { alice, bob, type Scenario, START_MS } from '@oddlot/testing/engine/scenario';
import { checkRestarts } from '@oddlot/testing/engine/waiting';

const MINUTE_MS = 60_000;
const TO = ['open', 'halted', 'closed'] as const;

describe('R-phases: markets open and close at their times', () => {
  test('a market is upcoming before its start, open until its end, and closed afterwards', () => {
    const startMs = timeMs(START_MS + MINUTE_MS);
    const endMs = timeMs(START_MS + 2 * MINUTE_MS);
    const venue = openMarket({ startMs, endMs });
    expect(marketOf(venue).phase).toBe('upcoming');
    expect(nextDueMs(venue.state)).toBe(startMs);
    expect(describeEvents(later(venue, MINUTE_MS - 1))).toEqual([]);
    expect(describeEvents(later(venue, 1))).toEqual(['upcoming to open']);
    expect(nextDueMs(venue.state)).toBe(endMs);
    expect(describeEvents(later(venue, MINUTE_MS - 1))).toEqual([]);
    expect(describeEvents(later(venue, 1))).toEqual(['open to closed']);
    expect(nextDueMs(venue.state)).toBeUndefined();
    checkRestarts(venue);
  });

  test('a market whose start and end have passed is closed directly', () => {
    const venue = openMarket({
      startMs: timeMs(START_MS + MINUTE_MS),
      endMs: timeMs(START_MS + 2 * MINUTE_MS),
    });
    expect(describeEvents(later(venue, 3 * MINUTE_MS))).toEqual(['upcoming to closed']);
  });

  test('a halted market closes at its end, and one that was opened early stays open at its start', () => {
    const venue = openMarket({ startMs: timeMs(START_MS + MINUTE_MS) });
    expect(describeEvents(setPhase(venue, 'open'))).toEqual(['upcoming to open']);
    setPhase(venue, 'halted');
    expect(describeEvents(later(venue, MINUTE_MS))).toEqual([]);
    expect(describeEvents(later(venue, 24 * 60 * MINUTE_MS))).toEqual(['halted to closed']);
    checkRestarts(venue);
  });

  test('closing a market cancels its resting orders by order id and releases their reserves', () => {
    const venue = openMarket();
    operate(venue, bob, 'split', 1_000);
    share(venue, bob, { sell: true, price: 7_000, size: 1_000 });
    share(venue, alice, { price: 4_000, size: 1_000 });
    share(venue, bob, { leg: 'no', sell: true, price: 5_500, size: 1_000 });
    share(venue, alice, { price: 5_000, size: 1_000 });
    expect(describeEvents(setPhase(venue, 'closed'))).toEqual([
      'open to closed',
      '#1 cancelled outcomeResolved',
      '#2 cancelled outcomeResolved',
      '#3 cancelled outcomeResolved',
      '#4 cancelled outcomeResolved',
    ]);
    expect(fundsOf(venue, alice)).toBe('1000');
    expect(fundsOf(venue, bob)).toBe('990, 10 yes, 10 no');
  });

  test('a halt keeps resting orders, which can be cancelled', () => {
    const venue = openMarket();
    share(venue, alice, { price: 5_000, size: 1_000 });
    expect(describeEvents(setPhase(venue, 'halted'))).toEqual(['open to halted']);
    const cancels = [{ instrumentId: MARKET_ID, orderId: 1 }];
    const authority = venue.authority(alice);
    expect(describeEvents(venue.block({ type: 'cancelOrders', authority, cancels }))).toEqual([
      '#1 cancelled userCanceled',
    ]);
  });
});

describe('setTrading permits only certain phase changes', () => {
  const reach: Record<string, (venue: Scenario) => unknown> = {
    upcoming: () => undefined,
    open: (venue) => setPhase(venue, 'open'),
    halted: (venue) => [setPhase(venue, 'open'), setPhase(venue, 'halted')],
    closed: (venue) => setPhase(venue, 'closed'),
    resolved: (venue) => [setPhase(venue, 'closed'), decide(venue, 0)],
  };
  const allowed = ['upcoming open', 'upcoming closed', 'open halted', 'open closed'];
  allowed.push('halted open', 'halted closed');
  const rows = Object.keys(reach).flatMap((from) => TO.map((to) => [from, to] as const));

  test.each(rows)(
    'a change of phase is accepted or rejected according to the rules: %s to %s',
    (from, to) => {
      const venue = openMarket({ startMs: timeMs(START_MS + MINUTE_MS) });
      reach[from]?.(venue);
      const command = { type: 'setTrading', instrumentIds: [MARKET_ID], to } as const;
      const admitted = checkCommand(venue.state, command, venue.nowMs);
      const outcome = venue.outcome(command);
      expect(admitted).toEqual(outcome);
      const refused = {
        reject: { reason: 'phaseChangeInvalid', instrumentId: MARKET_ID, from, to },
      };
      expect(outcome).toEqual(allowed.includes(`${from} ${to}`) ? {} : refused);
    },
  );

  test('a phase change applies to all markets or to none', () => {
    const venue = openMarket();
    const other = instrumentId(100_001);
    venue.block({ type: 'registerMarket', market: { ...MARKET, slug: 'other' } });
    setPhase(venue, 'halted', other);
    const both = { type: 'setTrading', instrumentIds: [MARKET_ID, other] } as const;
    expect(venue.outcome({ ...both, to: 'halted' }).reject?.reason).toBe('phaseChangeInvalid');
    expect(marketOf(venue).phase).toBe('open');
    expect(venue.outcome({ ...both, to: 'closed' })).toEqual({});
    expect(marketOf(venue, other).phase).toBe('closed');
    const unknown = [MARKET_ID, instrumentId(100_009)];
    expect(venue.outcome({ ...both, instrumentIds: unknown, to: 'open' })).toMatchObject({
      reject: { reason: 'phaseChangeInvalid' },
    });
    expect(venue.outcome({ ...both, instrumentIds: unknown.slice(1), to: 'open' })).toMatchObject({
      reject: { reason: 'instrumentUnknown' },
    });
  });
});

describe('registerEvent lists an event or changes its texts', () => {
  const listed = (event: Partial<EventListing>) => {
    const venue = openMarket();
    const command = { type: 'registerEvent', event: { ...EVENT, ...event } } as const;
    expect(checkCommand(venue.state, command, venue.nowMs).reject).toEqual(
      venue.outcome(command).reject,
    );
    const result = venue.block({ ...command, event: { ...command.event, title: 'Again' } });
    return { venue, result };
  };

  test('event ids are consecutive and skip requested ones', () => {
    const venue = openMarket();
    const ids = (['a', 'b', 'c'] as const).map((slug, at) => {
      const event = { ...EVENT, slug, ...(at === 0 ? { eventId: 2 } : {}) };
      return venue.outcome({ type: 'registerEvent', event }).created?.eventId;
    });
    expect(ids).toEqual([2, 3, 4]);
  });

  test('registering a known slug changes only the texts of the event', () => {
    const { result, venue } = listed({ endMs: timeMs(1), mutuallyExclusive: true, eventId: 77 });
    expect(result.events).toMatchObject([
      {
        type: 'outcomeEventListed',
        eventId: 1,
        event: { title: 'Again', endMs: EVENT.endMs, mutuallyExclusive: false },
      },
    ]);
    expect(venue.state.outcomes.events.live.size).toBe(1);
  });

  test('an event with a resolved market cannot be registered again', () => {
    const venue = openMarket();
    setPhase(venue, 'closed');
    decide(venue, 10_000);
    const outcome = venue.outcome({ type: 'registerEvent', event: EVENT });
    expect(outcome.reject).toEqual({ reason: 'slugUsed', slug: 'event' });
  });

  test.each([
    ['it ends before it starts', { slug: 'new', endMs: EVENT.startMs }, 'endTime'],
    ['its id is used', { slug: 'new', eventId: 1 }, 'eventId'],
  ])('an event is rejected because %s', (_name, event, field) => {
    expect(listed(event).result.outcomes[0]?.reject).toMatchObject({
      reason: 'definitionInvalid',
      field,
    });
  });
});

describe('registerMarket lists a market in an event', () => {
  const rows: [string, Partial<MarketListing>, string][] = [
    ['an event that is not there', { eventSlug: 'nowhere', slug: 'market' }, 'eventUnknown'],
    ['a slug that is used', { slug: 'market', startMs: timeMs(0) }, 'slugUsed'],
    ['a start before the event’s', { startMs: timeMs(START_MS - 1) }, 'startTime'],
    ['a start at its end', { startMs: EVENT.endMs }, 'startTime'],
    ['an end after the event’s', { endMs: timeMs(EVENT.endMs + 1) }, 'endTime'],
    ['an end that is past', { endMs: timeMs(START_MS + 1) }, 'endTime'],
    ['too many decimals', { szDecimals: 5 }, 'sizeDecimals'],
    ['no tick', { priceTick: 0 }, 'priceTick'],
    ['a tick of 1.00', { priceTick: 10_000 }, 'priceTick'],
    ['a tick that does not divide 1.00', { priceTick: 300 }, 'priceTick'],
    ['no minimum', { minOrderSize: 0 }, 'minOrderSize'],
    ['a maximum below the minimum', { maxOrderSize: 499 }, 'maxOrderSize'],
    ['a maximum that is not exact', { maxOrderSize: 10 ** 12 }, 'maxOrderSize'],
    ['a fee of 1', { takerFeeE8: 100_000_000 }, 'takerFeeRate'],
    ['a delay above 10 s', { orderDelayMs: 10_001 }, 'orderDelayMs'],
    ['the id of a perp', { instrumentId: instrumentId(99_999) }, 'instrumentId'],
    ['an id beyond 31 bits', { instrumentId: instrumentId(2 ** 31) }, 'instrumentId'],
    ['an id that is used', { instrumentId: MARKET_ID }, 'instrumentIdUsed'],
  ];
  test.each(rows)('a market with %s is rejected', (_name, change, why) => {
    const venue = openMarket();
    venue.wait(1);
    const market = { ...MARKET, slug: 'new', ...change };
    const command = { type: 'registerMarket', market } as const;
    const admitted = checkCommand(venue.state, command, venue.nowMs);
    const { reject } = venue.outcome(command);
    expect(admitted.reject).toEqual(reject);
    expect(reject?.reason === 'definitionInvalid' ? reject.field : reject?.reason).toBe(why);
  });

  test('market ids are consecutive, and the coarsest and finest grids can trade', () => {
    const venue = openMarket();
    const list = (market: Partial<MarketListing>) =>
      venue.outcome({ type: 'registerMarket', market: { ...MARKET, ...market } }).created
        ?.instrumentId;
    expect(list({ slug: 'a', instrumentId: instrumentId(100_001) })).toBe(100_001);
    expect(list({ slug: 'b' })).toBe(100_002);
    const largest = instrumentId(LIMITS.instrumentIdMax);
    const fine = { szDecimals: 0, priceTick: 1, minOrderSize: 1, instrumentId: largest };
    expect(list({ slug: 'c', ...fine })).toBe(largest);
    share(venue, alice, { price: 333_333, size: 3, instrumentId: largest });
    share(venue, bob, { leg: 'no', price: 666_667, size: 3, instrumentId: largest });
    expect(marketOf(venue, largest)).toMatchObject({ pairs: 3, locked: 3_000_000n });
    checkRestarts(venue);
  });

  test('R-event-sets: markets cannot be added to an exclusive event after its first resolution', () => {
    for (const mutuallyExclusive of [true, false]) {
      const venue = openMarket({ event: { mutuallyExclusive } });
      venue.block({ type: 'registerMarket', market: { ...MARKET, slug: 'second' } });
      setPhase(venue, 'closed');
      decide(venue, 0);
      const market = { ...MARKET, slug: 'third' };
      const { reject } = venue.outcome({ type: 'registerMarket', market });
      expect(reject?.reason).toBe(mutuallyExclusive ? 'alreadyResolved' : undefined);
    }
  });
});
