import { beforeEach, describe, expect, test } from 'vitest';
import {
  aVenue,
  cancelAction,
  cancelByCloidAction,
  cloidOf,
  type Actor,
} from '../support/actors.ts';
import type { Json } from '../support/client.ts';
import {
  succeeded,
  newScene,
  Operator,
  OPERATED,
  perpOrder,
  type OwnPerp,
  type PerpOrder,
} from '../support/perps.ts';
import type { JsonObject } from '../support/wallet.ts';

const world = aVenue(OPERATED);
const operator = new Operator(world);

let perp: OwnPerp;
let alice: Actor;
let bob: Actor;

beforeEach(async () => {
  ({ perp, alice, bob } = await newScene(world, operator));
});

async function place(actor: Actor, changes: Partial<PerpOrder> = {}): Promise<Json> {
  const order = perpOrder({ market: perp, side: 'buy', price: '99', size: '3', ...changes });
  return succeeded(await actor.place(order)).orders[0];
}

/**
 * Returns a reply's entries. They must equal those in the receipt and in the reply to a repeated
 * request.
 */
async function entriesOf(action: JsonObject): Promise<Json[]> {
  const signed = await alice.sign(action);
  const { json } = await world.client.executed(signed);
  expect(json).toMatchObject({ status: 'ok', confirm: 'executed' });
  const { orders } = json.data.data;
  const receipt = await world.client.data({ type: 'actionStatus', txHash: signed.txHash });
  expect(receipt.result.orders).toEqual(orders);
  expect((await world.client.executed(signed)).json).toEqual(json);
  return orders;
}

const hit = (size: string) => place(bob, { side: 'sell', price: '99', size, tif: 'Ioc' });

test('R-modify: a rejected amend returns the unchanged order alongside the error', async () => {
  const cloid = cloidOf('amended');
  const { oid } = await place(alice, { tif: 'Alo', cloid });
  await hit('1');
  await place(bob, { side: 'sell', price: '101' });
  const stands = { i: 0, oid, cloid, state: 'open', filledSz: '1', avgPx: '99' };
  const error = 'Post only order would have immediately matched';
  const amend = { type: 'modify2', a: perp.id, o: oid, p: '101', s: '3' };
  expect(await entriesOf(amend)).toEqual([{ ...stands, error }]);
  const foreseen = await world.client.data({
    type: 'simulate',
    user: alice.address,
    action: amend,
  });
  expect(foreseen).toMatchObject({
    accepted: true,
    orders: [{ ...stands, error, restingSz: '2' }],
  });
});

describe("a cancel returns its order's final state", () => {
  const error = () => `Order was never placed, already canceled, or filled. asset=${perp.id}`;
  const rejected = { cloid: null, state: 'rejected', filledSz: '0', avgPx: null };

  test('cancelling an unknown or foreign order is rejected, and the error has the id as sent', async () => {
    const { oid } = await place(bob);
    const cancels = [987_654_321, oid].map((o) => ({ a: perp.id, o }));
    expect(await entriesOf(cancelAction(...cancels))).toEqual([
      { i: 0, oid: 987_654_321, ...rejected, error: error() },
      { i: 1, oid, ...rejected, error: error() },
    ]);
    const cloid = cloidOf('nobody’s');
    expect(await entriesOf(cancelByCloidAction({ asset: perp.id, cloid }))).toEqual([
      { i: 0, oid: null, ...rejected, cloid, error: error() },
    ]);
  });

  test('cancelling an ended order returns its final state, by either id and even after a restart', async () => {
    const cloid = cloidOf('filled');
    const filled = await place(alice, { cloid });
    await hit('3');
    const partly = await place(alice);
    await hit('1');
    const cancels = [filled, partly, partly].map(({ oid }) => ({ a: perp.id, o: oid }));
    const asFilled = { oid: filled.oid, cloid, state: 'filled', filledSz: '3', avgPx: '99' };
    const asCancelled = { state: 'cancelled', filledSz: '1', avgPx: '99', cloid: null };
    const cancelled = { oid: partly.oid, ...asCancelled };
    expect(await entriesOf(cancelAction(...cancels))).toEqual([
      { i: 0, ...asFilled, error: error() },
      { i: 1, ...cancelled, error: null },
      { i: 2, ...cancelled, error: error() },
    ]);
    const byName = cancelByCloidAction({ asset: perp.id, cloid });
    expect(await entriesOf(byName)).toEqual([{ i: 0, ...asFilled, error: error() }]);
    const simulation = { type: 'simulate', user: alice.address, action: byName };
    const { orders } = await world.client.data(simulation);
    expect(orders).toMatchObject([{ i: 0, ...asFilled, error: error(), restingSz: '0' }]);
    await world.venue.stop();
    await world.venue.startAgain();
    expect(await entriesOf(byName)).toEqual([{ i: 0, ...asFilled, error: error() }]);
  });
});
