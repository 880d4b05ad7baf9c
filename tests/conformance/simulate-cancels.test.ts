import { expect, test } from 'vitest';
import {
  aSharedVenue,
  cancelAction,
  cancelByCloidAction,
  cloidOf,
  type Actor,
} from '../support/actors.ts';
import type { Json } from '../support/client.ts';
import { act } from '../support/perps.ts';
import type { JsonObject } from '../support/wallet.ts';

/**
 * If an action names the same order twice, the first entry ends the order and the second returns
 * its final state.
 */

const world = aSharedVenue();

async function resting(actor: Actor, cloid?: string): Promise<number> {
  const { btc } = world;
  const order = { market: btc, side: 'buy', price: btc.at(-5), size: btc.worth(20) } as const;
  const { oid } = await actor.placed(cloid === undefined ? order : { ...order, cloid });
  return oid;
}

const cases: [name: string, make: (actor: Actor) => Promise<JsonObject>][] = [
  [
    'by its id',
    async (actor) => {
      const o = await resting(actor);
      return cancelAction({ a: world.btc.id, o }, { a: world.btc.id, o });
    },
  ],
  [
    'by the id of its client, in two spellings',
    async (actor) => {
      const cloid = cloidOf('twice');
      await resting(actor, cloid);
      const spelled = [cloid, `0x${cloid.slice(2).toUpperCase()}`];
      return cancelByCloidAction(...spelled.map((c) => ({ asset: world.btc.id, cloid: c })));
    },
  ],
];

test.each(cases)('simulate predicts an action that cancels one order twice %s', async (_, make) => {
  const alice = await world.trader('alice');
  const action = await make(alice);
  const query = { type: 'simulate', user: alice.address, action };
  const foretold: Json = await world.client.data(query);
  const reply = await act(alice, action);
  const { orders } = reply.json.data.data;
  const notFound = `Order was never placed, already canceled, or filled. asset=${world.btc.id}`;
  expect(orders).toMatchObject([
    { i: 0, state: 'cancelled', error: null },
    { i: 1, state: 'cancelled', error: notFound, oid: orders[0].oid },
  ]);
  expect(foretold.accepted).toBe(true);
  expect(foretold.orders).toMatchObject(orders);
});
