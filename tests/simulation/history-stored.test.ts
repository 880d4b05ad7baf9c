import type { HistOrder, HistOrderRow } from '@oddlot/protocol';
import type { Address } from '@oddlot/units';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { anyCommand, changeConditions, openEverything } from '../support/engine/any-command.ts';
import { randomIntegers } from '../support/engine/steps.ts';
import type { Page, UserPage } from '../../packages/history/src/history.ts';
import type { RowPosition } from '../../packages/history/src/rows/block-rows.ts';
import {
  type HistoryStore,
  openHistoryStore,
} from '../../packages/history/src/store/history-store.ts';
import { freshSeed } from '../support/fresh-seed.ts';
import { RowRig } from './row-rig.ts';

/**
 * Goal: the store returns the projector's rows for a random history, page by page. Method: rows are
 * written in batches, and all pages for all users are read back.
 */

let directory: string;
let store: HistoryStore;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'oddlot-rows-'));
  store = await openHistoryStore({ file: join(directory, 'history.sqlite') });
});

afterEach(async () => {
  await store.close();
  await rm(directory, { recursive: true, force: true });
});

const TYPES = { accountTypes: ['perp', 'outcome'] } as const;

/** Returns the rows of all pages, oldest first. */
async function pages<Row>(ask: (page: UserPage) => Promise<Page<Row>>, user: Address) {
  const rows: Row[] = [];
  let cursor: RowPosition | undefined;
  do {
    const from = cursor === undefined ? {} : { cursor };
    const page = await ask({ user, limit: 7, order: 'oldestFirst', ...from });
    rows.push(...page.rows);
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  return rows;
}

const SEEDS = [freshSeed('FC_SEED'), ...(process.env['TEST_LONG'] === undefined ? [] : [1, 2, 3])];

test.each(SEEDS)('the store returns the rows of seed %i unchanged', async (seed) => {
  const pick = randomIntegers(seed);
  const scenario = openEverything(300_000_000);
  for (let step = 0; step < 150; step++) {
    changeConditions(scenario, pick);
    scenario.block(anyCommand(scenario, pick).command);
  }
  const rig = new RowRig();
  for (const [at, block] of scenario.blocks.entries()) {
    rig.play(block);
    if (at % 40 === 0) await store.write(rig.rows);
    if (at % 50 === 25) rig.restart();
  }
  await store.write(rig.rows);
  const live = rig.projector.liveRows;
  const users = rig.state.accounts.map(({ address }) => address);
  let count = 0;
  for (const user of users) {
    const own = <Record extends { readonly user: Address }>(records: readonly Record[]) =>
      records.filter((record) => record.user === user);
    const fills = rig.rows.flatMap((rows) => own(rows.fills)).map(({ row }) => row);
    expect(await pages((page) => store.ask('fills', { ...page, ...TYPES }), user)).toEqual(fills);
    const fundings = rig.rows.flatMap((rows) => own(rows.fundings)).map(({ row }) => row);
    expect(await pages((page) => store.ask('fundings', page), user)).toEqual(fundings);
    const ledger = new Map(
      rig.rows
        .flatMap((rows) => own(rows.ledger))
        .map(({ first, row }) => [`${first.height} ${first.index}`, row]),
    );
    expect(await pages((page) => store.ask('ledger', { ...page, ...TYPES }), user)).toEqual([
      ...ledger.values(),
    ]);
    const orders = new Map<number, HistOrderRow>();
    for (const { orderId, row } of rig.rows.flatMap((rows) => own(rows.orders))) {
      orders.delete(orderId);
      orders.set(orderId, row);
    }
    // A parent order is returned with the current states of its children.
    const newest = (child: HistOrder): HistOrder => orders.get(child.oid)?.order ?? child;
    const expected = [...orders.values()].map((row) => ({
      ...row,
      order: { ...row.order, children: row.order.children.map(newest) },
    }));
    expect(await pages((page) => store.ask('orders', { ...page, ...TYPES }, live), user)).toEqual(
      expected,
    );
    count += fills.length + ledger.size + orders.size;
  }
  expect(count).toBeGreaterThan(100);
});
