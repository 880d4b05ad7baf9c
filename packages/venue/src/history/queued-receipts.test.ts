import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command, OrderRequest } from '@oddlot/engine';
import { address, hash, instrumentId, timeMs, type Hash } from '@oddlot/units';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { genesisCommands } from '../genesis.ts';
import { ReceiptRebuild } from './receipt-rebuild.ts';
import { ReceiptStore } from './receipt-store.ts';
import { FileJournal } from '../log/file-journal.ts';
import { EraStore } from '../log/era-store.ts';
import { SnapshotStore } from '../log/snapshot-store.ts';
import { instrumentLookup } from '../translate/action-to-command.ts';
import { LocalReplica } from '../replica/local-replica.ts';
import { Receipts } from './receipts.ts';

/**
 * Receipts of actions that wait in the delay queue, across restarts: the real journal, snapshots and
 * store on a temporary folder; only the clock is in hand (R-tx, R-delay).
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

async function start() {
  const clock = { nowMs: () => nowMs };
  const onFatal = (error: unknown): void => expect.unreachable(String(error));
  const journal = await FileJournal.open({ directory: join(folder, 'journal'), clock, onFatal });
  const store = await ReceiptStore.open({ file: join(folder, 'receipts.sqlite'), onFatal });
  const receipts: Receipts = new Receipts({
    instruments: instrumentLookup(() => replica.state),
    archive: store,
  });
  const replica: LocalReplica = await LocalReplica.create({
    log: journal,
    snapshots: new SnapshotStore({ directory: join(folder, 'snapshots') }),
    eras: new EraStore({ directory: join(folder, 'eras') }),
    clock,
    genesis: genesisCommands('Oddlot-Testnet'),
    snapshotEveryBlocks: 1_000_000,
    snapshotEveryCommands: 1_000_000,
    onFatal,
  });
  replica.attach(receipts);
  const { snapshotHeight } = await replica.start();
  return { journal, receipts, replica, store, snapshotHeight };
}

type Running = Awaited<ReturnType<typeof start>>;

/** Ends without a snapshot; what the log and the store have is there again at the next start. */
async function crash({ journal, store }: Running): Promise<void> {
  await journal.close();
  await store.close();
}

/** Computes what the store has lost beside the running replica. */
function recompute({ store }: Running): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const rebuild = new ReceiptRebuild({
      data: folder,
      store,
      onDone: resolve,
      onFailed: reject,
    });
    rebuild.start().catch(reject);
  });
}

/** The store is lost, as if the process had ended before it wrote anything. */
async function loseReceipts(): Promise<void> {
  for (const end of ['', '-wal', '-shm']) {
    await rm(join(folder, `receipts.sqlite${end}`), { force: true });
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

/** Alice's order that rests and her order that takes, of one action; the second waits. */
async function queue({ replica }: Running): Promise<void> {
  for (const command of SETUP) await replica.propose(command);
  await replica.propose(place(bob, 1, { isBuy: true, price: 6_000 }));
  await replica.propose(place(alice, 2, { price: 1_000 }, {}));
}

const KEY = { by: 'txHash', txHash: TAKER } as const;

async function release({ replica }: Running): Promise<void> {
  nowMs += DELAY_MS;
  await replica.tick();
}

test('a queued action is complete after any number of restarts, and its receipt is the same', async () => {
  const first = await start();
  await queue(first);
  const executed = first.replica.head;
  expect(await first.receipts.find(KEY)).toBeUndefined();
  const queued = first.receipts.queued(KEY);
  expect(queued?.entries).toMatchObject([{ order: { i: 0, state: 'open' } }, null]);
  // Snapshots of the first version have nothing but queued actions.
  const old = new Receipts({ instruments: () => undefined });
  old.restore((first.receipts.dump() as { queued: unknown }).queued, 1);
  expect(old.queued(KEY)).toEqual(queued);
  await first.replica.stop();
  await crash(first);

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
  await crash(fromSnapshot);

  // The snapshot was made while the order waited, and the store has blocks after it.
  const again = await start();
  expect(again.snapshotHeight).toBe(executed.height);
  expect(again.receipts.queued(KEY)).toBeUndefined();
  expect(await again.receipts.find(KEY)).toEqual(receipt);
  await crash(again);

  // Without the store the log alone makes the receipt again.
  await loseReceipts();
  const recovered = await start();
  expect(recovered.snapshotHeight).toBe(executed.height);
  await recompute(recovered);
  expect(await recovered.receipts.find(KEY)).toEqual(receipt);
  await crash(recovered);
});

test('the first of a nonce is told, although its receipt was completed after another', async () => {
  const running = await start();
  await queue(running);
  // Not even a second request with the nonce of the queued one hides it.
  await running.replica.propose({
    ...place(alice, 2, { price: 2_000 }),
    authority: { signer: alice, nonce: START_MS + 2, txHash: hashOf(3) },
  } as Command);
  const key = { by: 'nonce', signer: alice, nonce: START_MS + 2 } as const;
  expect(running.receipts.queued(key)).toBeDefined();
  await release(running);
  expect((await running.receipts.find(key))?.txHash).toBe(TAKER);
  await crash(running);
});
