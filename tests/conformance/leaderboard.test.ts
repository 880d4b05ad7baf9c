import { beforeAll, describe, expect, test } from 'vitest';
import { aVenue, type Actor } from '../support/actors.ts';
import type { Json } from '../support/client.ts';
import { queryHistory } from '../support/history.ts';
import { tokenSend } from '../support/keys.ts';
import { succeeded, newScene, Operator, OPERATED, trade, type OwnPerp } from '../support/perps.ts';

const WINDOWS = ['day', 'week', 'month', 'all'] as const;
const PATIENCE = { timeout: 30_000 };

describe('the leaderboard lists the leading accounts', () => {
  const world = aVenue(OPERATED);
  const operator = new Operator(world);
  let perp: OwnPerp;
  let winner: Actor;
  let loser: Actor;
  let idle: Actor;

  const ask = (query: object): Promise<Json> => queryHistory(world.client, query);
  const leaders = async (query: object = {}): Promise<Json> =>
    (await ask({ type: 'leaderboard', ...query })).data;
  const usersOf = async (query: object = {}): Promise<string[]> =>
    (await leaders(query)).rows.map(({ user }: Json) => user);

  beforeAll(async () => {
    const scene = await newScene(world, operator);
    ({ perp, alice: winner, bob: loser, carol: idle } = scene);
    // Deposits and transfers count neither as profit nor as volume.
    succeeded(await tokenSend(idle, { to: idle.address, amount: '300', into: 'outcome' }));
    await trade(winner, loser, { market: perp, price: '100', size: '20' });
    const [other, another] = [await world.trader('other'), await world.trader('another')];
    await trade(other, another, { market: perp, price: '100', size: '3' });
    await perp.push('104');
  });

  test.each(WINDOWS)("a row matches the account's portfolio: %s", async (window) => {
    // The mark can change between two responses, so the queries are retried until both responses
    // come from the same block.
    await expect
      .poll(async () => {
        const board = await ask({ type: 'leaderboard', window });
        const own = await Promise.all(
          board.data.rows.map(async ({ user }: Json) => ({
            user,
            answer: await ask({ type: 'portfolio', user, window }),
          })),
        );
        if (own.some(({ answer }) => answer.asOf.height !== board.asOf.height)) return 'moved on';
        expect(board.data.rows).toEqual(
          own.map(({ answer, user }) => {
            const { accountValue, pnl, volume } = answer.data.points.at(-1);
            return { user, accountValue, pnl, volume };
          }),
        );
        return board.data.rows.length;
      }, PATIENCE)
      .toBe(4);
  });

  test('the leaderboard sorts accounts by profit or by volume, highest first', async () => {
    const byPnl = await leaders({ sortBy: 'pnl' });
    expect(byPnl).toMatchObject({ window: 'week', sortBy: 'pnl', rankedTime: expect.any(Number) });
    expect(byPnl.rows[0]).toMatchObject({ user: winner.address, volume: '2000' });
    expect(Number(byPnl.rows[0].pnl)).toBeGreaterThan(0);
    expect(byPnl.rows.at(-1).user).toBe(loser.address);
    const gains = byPnl.rows.map(({ pnl }: Json) => Number(pnl));
    expect(gains).toEqual(gains.toSorted((a: number, b: number) => b - a));
    const byVolume = await leaders({ sortBy: 'volume', window: 'all' });
    const volumes = byVolume.rows.map(({ volume }: Json) => volume);
    expect(volumes).toEqual(['2000', '2000', '300', '300']);
    expect(await usersOf({ sortBy: 'volume', limit: 1 })).toEqual([byVolume.rows[0].user]);
    expect(await usersOf()).not.toContain(idle.address);
    // The insurance fund receives a share of all fees, but it is not a trader.
    const { json } = await world.client.info({ type: 'settings' });
    expect(await usersOf()).not.toContain(json.data.insurance_fund_address);
  });

  test('an account that trades appears on the leaderboard at the next update', async () => {
    const newcomer = await world.trader('late');
    await perp.push('104');
    await trade(newcomer, idle, { market: perp, price: '104', size: '1' });
    await expect.poll(() => usersOf({ sortBy: 'volume' }), PATIENCE).toContain(newcomer.address);
  });

  test('the settings describe the leaderboard', async () => {
    const { json } = await world.client.info({ type: 'settings' });
    expect(json.data.has_leaderboard).toBe(true);
  });
});

describe('the leaderboard can be disabled', () => {
  const world = aVenue([...OPERATED, '--no-leaderboard']);

  test('with the leaderboard disabled, the query is rejected and the settings say so', async () => {
    const { json, status } = await world.client.info({ type: 'leaderboard' });
    expect(status).toBe(403);
    expect(json).toMatchObject({
      message: 'This action is not allowed.',
      details: { why: expect.stringContaining('disabled the leaderboard') },
    });
    const { json: settings } = await world.client.info({ type: 'settings' });
    expect(settings.data.has_leaderboard).toBe(false);
  });
});
