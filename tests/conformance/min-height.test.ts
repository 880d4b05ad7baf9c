import { beforeAll, describe, expect, test } from 'vitest';
import { aSharedVenue, type Actor } from '../support/actors.ts';
import { OUTCOMES } from '../support/outcomes.ts';
import { newScene, Operator, type OwnPerp } from '../support/perps.ts';

/**
 * A client that has seen a block on one replica can require another replica's answer to include
 * that block.
 */

const world = aSharedVenue(OUTCOMES);
const operator = new Operator(world);

let perp: OwnPerp;
let alice: Actor;

const height = async (): Promise<number> => (await world.client.data({ type: 'stateHash' })).height;

beforeAll(async () => {
  ({ perp, alice } = await newScene(world, operator));
});

describe('minHeight applies to queries about the state', () => {
  const queries = [
    { type: 'venueStatus' },
    { type: 'perpMeta' },
    { type: 'settings' },
    { type: 'rateLimit' },
    { type: 'venueHealth' },
  ];

  test('a query with minHeight answers immediately for an existing block', async () => {
    const minHeight = await height();
    for (const query of [
      ...queries,
      { type: 'frontendOpenOrders', user: alice.address },
      { type: 'l2Book', coin: perp.coin },
    ]) {
      const reply = await world.client.info({ ...query, minHeight });
      expect(reply, query.type).toMatchObject({ status: 200, json: { success: true } });
    }
  });

  test('a query with minHeight waits for a block that is about to arrive', async () => {
    const minHeight = (await height()) + 3;
    const waiting = world.client.data({ type: 'venueStatus', minHeight });
    for (let at = 0; at < 3; at += 1) {
      await alice.placed({ market: perp, side: 'buy', price: '50', size: '1' });
    }
    expect((await waiting).height).toBeGreaterThanOrEqual(minHeight);
  });

  test('a query with minHeight is rejected with the current height if the block does not arrive', async () => {
    const before = await height();
    const minHeight = before + 1_000_000;
    for (const query of queries) {
      const reply = await world.client.info({ ...query, minHeight });
      expect(reply, query.type).toMatchObject({
        status: 503,
        json: {
          success: false,
          code: 10503,
          name: 'UNAVAILABLE',
          message: expect.stringMatching(/^State is at block \d+$/),
          details: { field: 'minHeight', got: minHeight },
        },
      });
      expect(reply.json.details.allowed.max).toBeGreaterThanOrEqual(before);
      expect(reply.headers.get('retry-after')).toBe('1');
    }
  });

  test('a query rejects an invalid minHeight just as history queries do', async () => {
    for (const minHeight of ['5', -1, 1.5, null, true]) {
      const [state, history] = await Promise.all(
        [{ type: 'venueStatus' }, { type: 'userFills', user: alice.address }].map((query) =>
          world.client.info({ ...query, minHeight }),
        ),
      );
      expect(state, String(minHeight)).toMatchObject({
        status: 400,
        json: { success: false, message: history!.json.message, code: history!.json.code },
      });
    }
  });
});
