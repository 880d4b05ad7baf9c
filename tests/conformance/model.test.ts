import { expect, test } from 'vitest';
import {
  aSharedVenue,
  cancelByCloidAction,
  cloidOf,
  order,
  type Actor,
} from '../support/actors.ts';
import { eventually, type Json } from '../support/client.ts';
import { exact, MICRO, show } from '../support/exact.ts';
import { seededRandom } from '../support/seeded.ts';
import { ModelVenue, type ModelOrder, type Side, type Tif } from '../support/model-venue.ts';

/**
 * Three traders send random orders and cancels from a seeded generator. A model that shares no code
 * with the venue receives the same actions. Answers, orders and positions must agree, money must
 * agree to the micro-USDC, and the streams must be consistent with them.
 */

const world = aSharedVenue();

const SEED = Number(process.env['MODEL_SEED'] ?? 7);
const STEPS = Number(process.env['MODEL_STEPS'] ?? 500);

test(`the venue and the model agree on ${STEPS} random steps (MODEL_SEED=${SEED})`, async () => {
  const { sol } = world;
  const random = seededRandom(SEED);
  const unit = MICRO * (exact(1) / sol.lot);
  const rate = (value: bigint) => value / (exact(1) / 100_000_000n);
  const model = new ModelVenue({ taker: rate(sol.takerRate), maker: rate(sol.makerRate) });
  const traders = new Map<string, Actor>();
  const socket = await world.socket();
  await socket.subscribe({ type: 'trades', coin: sol.coin });
  for (const name of ['alice', 'bob', 'carol']) {
    const actor = await world.trader(name);
    traders.set(actor.address, actor);
    model.open(actor.address, 1_000_000_000n);
    await socket.subscribe({ type: 'orderUpdates', user: actor.address });
  }
  const actors = [...traders.values()];
  const sent: string[] = [];

  const place = async (actor: Actor, step: number) => {
    const side: Side = random.pick(['buy', 'sell']);
    const tif: Tif = random.pick(['Gtc', 'Gtc', 'Gtc', 'Alo', 'Ioc']);
    const reduceOnly = random.next() < 0.25;
    const lean = side === 'buy' ? -1 : 1;
    const price = sol.ticks(sol.at(0), random.below(7) - 3 + lean);
    const size = sol.lots(Number(exact(sol.worth(11)) / sol.lot) + random.below(40));
    const cloid = cloidOf(`model ${step}`);
    sent.push(cloid);
    const wanted = {
      cloid,
      owner: actor.address,
      side,
      price: exact(price) / unit,
      size: exact(size) / sol.lot,
      reduceOnly,
    };
    const expected = model.place(wanted, tif);
    const reply = await actor.place(
      order({ market: sol, side, price, size, tif, reduceOnly, cloid }),
    );
    const what = `step ${step}: ${actor.name} ${side} ${size} at ${price} ${tif} ${reduceOnly} ${reply.text}`;
    if (expected.state === 'refused') {
      expect(reply.json.message, what).toBe('Reduce only order would increase position');
      return;
    }
    const [result] = reply.json.data.data.orders;
    expect([result.state, result.filledSz], what).toEqual([
      expected.state,
      show(expected.filled * sol.lot),
    ]);
  };

  const cancel = async (actor: Actor, step: number) => {
    const cloid = random.pick(sent);
    const owns = model.resting.some((one) => one.cloid === cloid && one.owner === actor.address);
    if (owns) model.cancel(cloid);
    const action = cancelByCloidAction({ asset: sol.id, cloid });
    const reply = await world.client.executed(await actor.sign(action));
    const [status] = reply.json.data.data.statuses;
    expect(status === 'success', `step ${step}: ${reply.text}`).toBe(owns);
  };

  const compare = async (step: number) => {
    for (const actor of actors) {
      const account = model.accounts.get(actor.address)!;
      const mine = model.resting.filter((one) => one.owner === actor.address);
      const [rows, state] = [await actor.openOrders(), await actor.state()];
      const shown = (one: ModelOrder) => [
        one.cloid,
        show(one.price * unit),
        show(one.size * sol.lot),
      ];
      const what = `step ${step}: ${actor.name}`;
      expect(
        new Set(rows.map((row) => JSON.stringify([row.cloid, row.limitPx, row.sz]))),
        what,
      ).toEqual(new Set(mine.map((one) => JSON.stringify(shown(one)))));
      const position = state.assetPositions[0]?.position;
      expect(position?.szi ?? '0', what).toBe(show(account.size * sol.lot));
      // Balance minus cost is the account value without the mark value of the positions.
      expect(state.marginSummary.totalRawUsd, what).toBe(
        show((account.balance - account.cost) * MICRO),
      );
    }
  };

  for (let step = 0; step < STEPS; step++) {
    const actor = random.pick(actors);
    if (sent.length > 0 && random.next() < 0.2) await cancel(actor, step);
    else await place(actor, step);
    if (step % 10 === 9) await compare(step);
  }
  await compare(STEPS);
  expect(model.trades.length).toBeGreaterThan(STEPS / 10);

  const trades = await eventually(() => {
    const rows = socket.of('trades').flatMap((frame) => frame.data);
    expect(rows).toHaveLength(model.trades.length);
    return rows;
  });
  expect(trades.map((row: Json) => [row.px, row.sz, row.side, row.users])).toEqual(
    model.trades.map((trade) => [
      show(trade.price * unit),
      show(trade.size * sol.lot),
      trade.aggressor === 'buy' ? 'B' : 'A',
      [trade.buyer, trade.seller],
    ]),
  );
  await eventually(() => {
    const live = new Map<string, string>();
    for (const row of socket.of('orderUpdates').flatMap((frame) => frame.data)) {
      if (row.status === 'open') live.set(row.order.cloid, row.order.sz);
      else live.delete(row.order.cloid);
    }
    expect(live).toEqual(
      new Map(model.resting.map((one) => [one.cloid, show(one.size * sol.lot)])),
    );
  });
});
