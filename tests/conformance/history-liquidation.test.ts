import { beforeEach, describe, expect, test } from 'vitest';
import { aVenue, type Actor } from '../support/actors.ts';
import { eventually, type Json } from '../support/client.ts';
import { exact, show, sum } from '../support/exact.ts';
import { queryHistory } from '../support/history.ts';
import {
  act,
  succeeded,
  groupAction,
  newScene,
  Operator,
  OPERATED,
  perpOrder,
  put,
  trade,
  triggerOrder,
  type OwnPerp,
} from '../support/perps.ts';

const world = aVenue(OPERATED);
const operator = new Operator(world);

let perp: OwnPerp;
let alice: Actor;
let bob: Actor;

beforeEach(async () => {
  ({ perp, alice, bob } = await newScene(world, operator));
});

async function rowsOf(type: string, { address }: Actor): Promise<Json[]> {
  return (await queryHistory(world.client, { type, user: address })).data;
}

/**
 * Computes the balance from fills and ledger rows. The PnL of a closing fill is net of its fee; an
 * opening fill has only a fee.
 */
async function moneyByRows(actor: Actor): Promise<string> {
  const fills = (await rowsOf('userFills', actor)).map((fill) =>
    fill.entryPrice === undefined ? -exact(fill.fee) : exact(fill.closedPnl),
  );
  const ledger = (await rowsOf('userNonFundingLedgerUpdates', actor)).map(({ delta }) => {
    if (delta.type === 'faucet' || delta.type === 'receive') return exact(delta.amount);
    return delta.type === 'send' ? -exact(delta.amount) - exact(delta.fee) : exact('0');
  });
  return show(sum([...fills, ...ledger]));
}

describe('R-adl, R-liquidation: the history explains forced closes', () => {
  test('auto-deleveraging is a fill for both accounts, and the rows add up to the balances', async () => {
    await trade(alice, bob, { market: perp, price: '100', size: '100' });
    await perp.push('91');
    const [lost] = await rowsOf('userFills', alice);
    const [won] = await rowsOf('userFills', bob);
    const common = { px: '90.045', sz: '100', oid: 0, tid: 0, crossed: null, tradeSide: null };
    expect(lost).toMatchObject({ ...common, dir: 'Sell', closedPnl: '-995.5', entryPrice: '100' });
    expect(won).toMatchObject({ ...common, dir: 'Buy', closedPnl: '995.5', startPosition: '-100' });
    expect(await moneyByRows(alice)).toBe(await alice.balance());
    expect(await moneyByRows(bob)).toBe(await bob.balance());
  });

  test('R-deficit: the fund covers the deficit after a price gap, with ledger rows', async () => {
    await trade(alice, bob, { market: perp, price: '100', size: '100' });
    await perp.push('80');
    expect(await moneyByRows(alice)).toBe(await alice.balance());
    expect(await moneyByRows(bob)).toBe(await bob.balance());
  });
});

test('R-trigger, R-grouping: a stop is listed as open, then triggered, then filled', async () => {
  const exit = { market: perp, side: 'sell', size: '2' } as const;
  const parent = { market: perp, side: 'buy', price: '100', size: '2' } as const;
  const stop = triggerOrder({ ...exit, kind: 'sl', at: '99' });
  const { orders } = succeeded(
    await act(alice, groupAction('normalTpsl', perpOrder(parent), stop)),
  );
  const [parentId, stopId] = orders.map(({ oid }: Json) => oid);
  const row = async (wanted: number): Promise<Json> =>
    (await rowsOf('historicalOrders', alice)).find(({ order }) => order.oid === wanted);
  expect((await row(parentId)).order.children).toMatchObject([
    { oid: stopId, triggerCondition: 'Price below 99', isTrigger: true, orderType: 'Market' },
  ]);
  await put(bob, { market: perp, side: 'sell', price: '100', size: '2' });
  expect((await row(parentId)).status).toBe('filled');
  expect((await row(stopId)).status).toBe('open');
  await perp.push('98.9');
  expect((await row(stopId)).status).toBe('triggered');
  await put(bob, { market: perp, side: 'buy', price: '98.5', size: '2' });
  await eventually(async () => {
    expect(await row(stopId)).toMatchObject({
      status: 'filled',
      order: { pnl: '-3', entryPrice: '100', filledAmount: '197', sz: '0' },
    });
  });
});
