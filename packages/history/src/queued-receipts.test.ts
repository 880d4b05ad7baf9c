import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command, OrderRequest } from '@oddlot/engine';
import { address, hash, instrumentId, timeMs, type Hash } from '@oddlot/units';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type IndexedVenue, openIndexed } from '@oddlot/testing/venue/indexed-venue';

/**
 * These tests use the real journal, snapshots and store in a temporary folder with a controlled
 * clock (R-tx, R-delay).
 */

const [alice, bob] = [address(`0x${'a1'.repeat(20)}`), address(`0x${'b2'.repeat(20)}`)];
const START_MS = 1_800_000_000_000;
const DELAY_MS = 250;
const MARKET = instrumentId(100_000);
const TAKER = hashOf(2);

let folder: string;
let nowMs: number;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'oddlot-queued-'));
  nowMs = START_MS;
});
afterEach(() => rm(folder, { recursive: true }));

function hashOf(n: number): Hash {
  return hash(`0x${String(n).repeat(64)}`);
}

function start(): Promise<IndexedVenue> {
  return openIndexed({ folder, clock: { nowMs: () => nowMs } });
}

/** Deletes the store, as if the process had ended before its first write. */
async function loseHistory(): Promise<void> {
  for (const end of ['', '-wal', '-shm']) {
    await rm(join(folder, `history.sqlite${end}`), { force: true });
  }
}

const grid = { szDecimals: 2, priceTick: 100, minOrderSize: 500, maxOrderSize: 1_000_000 };
const times = { startMs: timeMs(START_MS), endMs: timeMs(START_MS + 86_400_000) };
const SETUP: readonly Command[] = [
  {
    type: 'registerEvent',
    event: {
      slug: 'weather',
      title: 'Weather',
      description: '',
      category: '',
      tags: [],
      image: null,
      icon: null,
      mutuallyExclusive: false,
      ...times,
    },
  },
  {
    type: 'registerMarket',
    market: {
      eventSlug: 'weather',
      slug: 'rain',
      question: 'Will it rain?',
      groupTitle: null,
      description: '',
      resolutionSource: '',
      outcomes: ['Yes', 'No'],
      underlying: null,
      takerFeeE8: 7_000_000,
      orderDelayMs: DELAY_MS,
      ...grid,
      ...times,
    },
  },
  ...[alice, bob].map((account): Command => ({
    type: 'creditFaucet',
    account,
    subAccount: 'outcome',
    amountMicroUsdc: 1_000_000_000,
  })),
];

function place(signer: typeof alice, n: number, ...orders: Partial<OrderRequest>[]): Command {
  const plain = {
    instrumentId: MARKET,
    reduceOnly: false,
    timeInForce: 'gtc',
    size: 1_000,
  } as const;
  return {
    type: 'placeOrders',
    authority: { signer, nonce: START_MS + n, txHash: hashOf(n) },
    orders: orders.map((order) => ({ ...plain, isBuy: false, price: 4_000, ...order })),
  };
}

/**
 * Submits an action by alice with two orders: the first rests; the second, a taker order, is
 * queued.
 */
async function queue({ replica }: IndexedVenue): Promise<void> {
  for (const command of SETUP) await replica.propose(command);
  await replica.propose(place(bob, 1, { isBuy: true, price: 6_000 }));
  await replica.propose(place(alice, 2, { price: 1_000 }, {}));
}

const KEY = { by: 'txHash', txHash: TAKER } as const;

async function release({ replica }: IndexedVenue): Promise<void> {
  nowMs += DELAY_MS;
  await replica.tick();
}

test(
  'a queued action gets the same receipt after any number of restarts',
  { timeout: 60_000 },
  async () => {
    const first = await start();
    await queue(first);
    const executed = first.replica.head;
    expect(await first.receipts.find(KEY)).toBeUndefined();
    const queued = first.receipts.queued(KEY);
    expect(queued?.entries).toMatchObject([{ order: { i: 0, state: 'open' } }, null]);
    await first.stop();

    const fromSnapshot = await start();
    expect(fromSnapshot.snapshotHeight).toBe(executed.height);
    expect(fromSnapshot.receipts.queued(KEY)).toEqual(queued);
    const waiting = fromSnapshot.receipts.completed(TAKER);
    await release(fromSnapshot);
    const receipt = await fromSnapshot.receipts.find(KEY);
    expect(receipt).toMatchObject({
      user: alice,
      actionType: 'order',
      block: { height: executed.height, time: executed.timeMs, hash: executed.hash },
      outcome: {
        error: null,
        isTraced: true,
        result: {
          statuses: ['success'],
          orders: [
            { i: 0, state: 'open' },
            { i: 1, state: 'filled', filledSz: '10', avgPx: '0.4' },
          ],
        },
      },
    });
    expect(await waiting).toEqual(receipt);
    expect(fromSnapshot.receipts.queued(KEY)).toBeUndefined();
    expect(await fromSnapshot.receipts.completed(TAKER)).toEqual(receipt);
    await fromSnapshot.crash();

    // The snapshot was written while the order was queued, and the store already contains later
    // blocks.
    const again = await start();
    expect(again.snapshotHeight).toBe(executed.height);
    expect(again.receipts.queued(KEY)).toBeUndefined();
    expect(await again.receipts.find(KEY)).toEqual(receipt);
    await again.crash();

    // Without the store, the receipt is recomputed from the log.
    await loseHistory();
    const recovered = await start();
    expect(recovered.snapshotHeight).toBe(executed.height);
    await expect
      .poll(() => recovered.indexer.storedHeight, { timeout: 60_000 })
      .toBe(recovered.replica.head.height);
    expect(await recovered.receipts.find(KEY)).toEqual(receipt);
    await recovered.crash();
  },
);

test(
  'a nonce returns the receipt of its first execution, even if another execution was completed earlier',
  { timeout: 60_000 },
  async () => {
    const running = await start();
    await queue(running);
    // The nonce has already been used, so this request is not executed and must not replace the
    // queued one.
    await running.replica.propose({
      ...place(alice, 2, { price: 2_000 }),
      authority: { signer: alice, nonce: START_MS + 2, txHash: hashOf(3) },
    } as Command);
    const key = { by: 'nonce', signer: alice, nonce: START_MS + 2 } as const;
    expect(running.receipts.queued(key)).toBeDefined();
    await release(running);
    expect((await running.receipts.find(key))?.txHash).toBe(TAKER);
    await running.crash();
  },
);
