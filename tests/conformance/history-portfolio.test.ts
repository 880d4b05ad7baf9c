import { beforeAll, describe, expect, test } from 'vitest';
import { aSharedVenue, type Actor } from '../support/actors.ts';
import type { Json } from '../support/client.ts';
import { expectRefusals, queryHistory } from '../support/history.ts';
import { send, tokenSend } from '../support/keys.ts';
import { succeeded, newScene, Operator, OPERATED, type OwnPerp } from '../support/perps.ts';
import { HOLDING } from '../support/venue-process.ts';

const world = aSharedVenue([...OPERATED, ...HOLDING]);
const operator = new Operator(world);
let perp: OwnPerp;
let alice: Actor;
let bob: Actor;

beforeAll(async () => {
  ({ perp } = await newScene(world, operator));
  alice = await world.resident('alice');
  bob = await world.resident('bob');
});

const portfolioOf = async ({ address: user }: Actor, window?: string): Promise<Json> => {
  const query = { type: 'portfolio', user, ...(window === undefined ? {} : { window }) };
  return (await queryHistory(world.client, query)).data;
};

const SPANS = { day: 86_400_000, week: 7 * 86_400_000, month: 30 * 86_400_000 };

describe('the last point has the current values', () => {
  test('deposits and withdrawals do not count as profit', async () => {
    succeeded(await tokenSend(alice, { to: alice.address, amount: '300', into: 'outcome' }));
    succeeded(await tokenSend(alice, { to: bob.address, amount: '40' }));
    succeeded(await send(alice, 'withdraw3', { destination: bob.address, amount: '10' }));
    const mine = await portfolioOf(alice);
    expect(mine).toMatchObject({ window: 'week', deposits: '1000' });
    // The account value still includes a pending withdrawal.
    const last = mine.points.at(-1);
    expect(last.accountValue).toBe('960');
    expect(mine.withdrawals).toBe('40');
    expect(last).toMatchObject({ pnl: '0', volume: '0', fees: '0', funding: '0' });
    expect(await portfolioOf(bob)).toMatchObject({ deposits: '1040', withdrawals: '0' });
  });

  test('a trade changes volume, fees and profit', async () => {
    await bob.placed({ market: perp, side: 'sell', price: '100', size: '2' });
    await alice.placed({ market: perp, side: 'buy', price: '100', size: '2' });
    const before = (await portfolioOf(alice)).points.at(-1);
    expect(before).toMatchObject({ volume: '200', fees: '0.09', pnl: '-0.09' });
    await perp.push('101');
    const after = (await portfolioOf(alice)).points.at(-1);
    const { markPx } = await alice.position(perp);
    const gain = (Number(markPx) - 100) * 2 - 0.09;
    expect(gain).toBeGreaterThan(0);
    expect(Number(after.pnl)).toBeCloseTo(gain, 6);
  });
});

describe('the points in a window are evenly spaced', () => {
  test.each(Object.entries(SPANS))(
    'the points of a %s are at multiples of one interval, and the last point is now',
    async (window, spanMs) => {
      const { asOf, data } = await queryHistory(world.client, {
        type: 'portfolio',
        user: alice.address,
        window,
      });
      const times = data.points.map(({ time }: Json) => time);
      expect(times.length).toBeGreaterThan(100);
      expect(times.length).toBeLessThanOrEqual(500);
      expect(times.at(-1)).toBe(asOf.time);
      const [step = 0, ...others] = new Set<number>(
        times.slice(1, -1).map((time: number, index: number) => time - times[index]),
      );
      expect(others).toEqual([]);
      expect(times.slice(0, -1).every((time: number) => time % step === 0)).toBe(true);
      expect(step % 300_000).toBe(0);
      expect(times.at(-1)).toBeGreaterThan(times.at(-2));
      // The first point is less than one interval before the start of the window, or exactly at it.
      expect(times[0]).toBeLessThanOrEqual(times.at(-1) - spanMs);
      expect(times[0]).toBeGreaterThan(times.at(-1) - spanMs - step);
      // The account value is zero before the first deposit.
      expect(data.points[0]).toMatchObject({ accountValue: '0', pnl: '0' });
    },
  );

  test("the window `all` starts at the account's first entry", async () => {
    const { points } = await portfolioOf(alice, 'all');
    expect(points.length).toBeGreaterThan(1);
    expect(points.length).toBeLessThanOrEqual(500);
    expect(points[0]).toMatchObject({ accountValue: '0', volume: '0', pnl: '0' });
  });
});

test('the portfolio handles an empty account and rejects invalid queries', async () => {
  const nobody = world.unfunded('nobody');
  expect(await portfolioOf(nobody)).toMatchObject({ deposits: '0', withdrawals: '0' });
  expect((await portfolioOf(nobody, 'all')).points).toMatchObject([
    { accountValue: '0', pnl: '0' },
  ]);
  await expectRefusals(world.client, { type: 'portfolio' });
  const { json } = await world.client.info({
    type: 'portfolio',
    user: nobody.address,
    window: 'year',
  });
  expect(json).toMatchObject({
    code: 10002,
    details: { allowed: ['day', 'week', 'month', 'all'] },
  });
});
