import { expect, test } from 'vitest';
import { sharedVenueWithHeldClock } from '../support/actors.ts';
import { eventually, type Json } from '../support/client.ts';
import { Deployer, shareTrader, type OutcomeMarket } from '../support/deployer.ts';
import {
  bet,
  marketMeta,
  openBets,
  operate,
  OUTCOMES,
  placed,
  fundsOf,
  untilPhase,
} from '../support/outcomes.ts';
import { succeeded, expectRefusal, refusalOf } from '../support/perps.ts';

const world = sharedVenueWithHeldClock(OUTCOMES);
const deployer = new Deployer(world);

const MINUTE_MS = 60_000;

async function listed(opensInMs: number, closesInMs: number): Promise<OutcomeMarket> {
  const now = world.nowMs();
  const [startTime, endTime] = [now + opensInMs, now + closesInMs];
  const event = await deployer.event({ startTime: now - MINUTE_MS, endTime: endTime + MINUTE_MS });
  return deployer.list({ startTime, endTime }, event);
}

const metaOf = async (fields: object): Promise<Json> =>
  world.client.data({ type: 'outcomeMeta', ...fields });

test('R-phases: a market is upcoming until its start time and is closed at its end time', async () => {
  const bob = await shareTrader(world, 'bob');
  const market = await listed(MINUTE_MS, 2 * MINUTE_MS);
  expect(await marketMeta(world, market)).toMatchObject({
    phase: 'upcoming',
    trading: { enabled: true, accepting_orders: false },
  });
  expect(await metaOf({ eventSlug: market.eventSlug })).toMatchObject({ status: 'upcoming' });
  expectRefusal(await bob.place(bet(market, 'buy Yes 10 at 0.4')), 10011, 'Market is closed');
  expect(refusalOf(await operate(bob, 'split', [market, '10'])).message).toBe('Market is closed');
  await world.passTime(MINUTE_MS);
  await untilPhase(world, market, 'open');
  succeeded(await operate(bob, 'split', [market, '10']));
  await placed(bob, market, 'buy Yes 10 at 0.4');
  const socket = await world.socket();
  await socket.subscribe({ type: 'outcomeOrderUpdates', user: bob.address });
  await placed(bob, market, 'sell No 10 at 0.7');
  await world.passTime(MINUTE_MS);
  await untilPhase(world, market, 'closed');
  expect(await openBets(bob)).toEqual([]);
  // Stream frames may arrive after the reply.
  await eventually(() => {
    const updates = socket.of('outcomeOrderUpdates').flatMap(({ data }) => data);
    expect(updates.slice(1)).toMatchObject([
      { status: 'cancelled', reason: 'outcomeResolved' },
      { status: 'cancelled', reason: 'outcomeResolved' },
    ]);
  });
  expectRefusal(await bob.place(bet(market, 'buy Yes 10 at 0.4')), 10011, 'Market is closed');
  expect(refusalOf(await operate(bob, 'split', [market, '1'])).message).toBe('Market is closed');
  expect(await fundsOf(bob, market)).toBe('990, 10 Yes, 10 No');
  // A closed market still accepts merges.
  succeeded(await operate(bob, 'merge', [market, '4']));
  expect(await fundsOf(bob, market)).toBe('994, 6 Yes, 6 No');
  expect(await marketMeta(world, market)).toMatchObject({
    trading: { enabled: false, accepting_orders: false },
    settlement: { resolution_status: 'prepared' },
  });
});

test('R-tif: a Gtd order is cancelled when it expires, and its reserve is released', async () => {
  const owner = await shareTrader(world, 'owner');
  const market = await listed(-MINUTE_MS, 60 * MINUTE_MS);
  const socket = await world.socket();
  await socket.subscribe({ type: 'outcomeOrderUpdates', user: owner.address });
  const expireTime = world.nowMs() + MINUTE_MS;
  await placed(owner, market, 'buy Yes 10 at 0.30', { tif: 'Gtd', expireTime });
  await world.passTime(MINUTE_MS);
  await eventually(async () => expect(await openBets(owner)).toEqual([]));
  expect(await fundsOf(owner, market)).toBe('1000');
  await socket.next((frame) => frame.data?.[0]?.status === 'cancelled');
  const [open, cancelled] = socket.of('outcomeOrderUpdates').map(({ data }) => data[0]);
  expect(open).toMatchObject({ status: 'open', order: { tif: 'GTD', expireTime } });
  expect(cancelled).toMatchObject({ status: 'cancelled', reason: 'expired' });
  expect(cancelled.statusTimestamp).toBeGreaterThanOrEqual(expireTime);
});
