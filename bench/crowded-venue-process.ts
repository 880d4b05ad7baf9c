import { join } from 'node:path';
import type { Command, OrderRequest } from '@oddlot/engine';
import { address, type Address, hash, instrumentId, timeMs } from '@oddlot/units';
import { genesisCommands } from '../packages/replica/src/genesis-commands.ts';
import { Indexer } from '../packages/history/src/indexer/indexer.ts';
import { receiptArchiveOf } from '../packages/history/src/open-history.ts';
import { Receipts } from '../packages/history/src/receipts.ts';
import { EraStore, SnapshotStore } from '../packages/replica/src/log/checked-stores.ts';
import { FileJournal } from '../packages/replica/src/log/file-journal.ts';
import { LocalReplica } from '../packages/replica/src/local-replica.ts';
import { instrumentLookup } from '../packages/translate/src/action-to-command.ts';
import { type Crowding, FIRST_PERP, listing } from './crowd.ts';
import { same } from './report.ts';

/**
 * Fills a folder with a venue of the given size (`crowded-venue-process.ts FOLDER ACCOUNTS
 * INSTRUMENTS ORDERS`) and writes the snapshot that a start loads. The accounts are funded, the
 * perps have prices, and the orders rest.
 */

/** The oracle price is 180.00 USDC. */
const ORACLE = 1_800_000;
const LEVELS = 1_000;
const PER_ACTION = 50;
const AT_ONCE = 500;

const START_MS = 1_767_225_600_000;
/** Nonces must be later than the first block (R-nonce). */
let nonce = START_MS + 1_000;

async function fill(folder: string, size: Crowding): Promise<void> {
  const commands = [...perps(size), ...credits(size), ...quotes(size)];
  const venue = await openHeadless(folder, commands.length);
  const propose = async (command: Command): Promise<void> => {
    const { outcome } = await venue.replica.propose(command);
    same('a command that was refused', outcome.reject?.reason, undefined);
  };
  for (let from = 0; from < commands.length; from += AT_ONCE) {
    await Promise.all(commands.slice(from, from + AT_ONCE).map(propose));
  }
  same('orders that rest', venue.replica.state.pool.size, size.orders);
  // The snapshot is due after a fixed number of commands, including those in the genesis block.
  while (venue.snapshots() === 0) await new Promise((resolve) => setTimeout(resolve, 50));
  await venue.crash();
}

function perps({ instruments }: Crowding): Command[] {
  const ids = Array.from({ length: instruments }, (_, at) => FIRST_PERP + at);
  const listings = ids.slice(1).map((id): Command => ({ type: 'registerPerp', perp: listing(id) }));
  const prices = ids.map((id) => ({ instrumentId: instrumentId(id), oracle: ORACLE }));
  return [...listings, { type: 'pushOracle', prices, observedMs: timeMs(START_MS) }];
}

function credits({ accounts }: Crowding): Command[] {
  return Array.from({ length: accounts }, (_, index): Command => {
    const account = accountOf(index);
    return { type: 'creditFaucet', account, subAccount: 'perp', amountMicroUsdc: 1_000_000_000 };
  });
}

/** Returns bids far below the price, which match no other orders. */
function quotes({ accounts, orders }: Crowding): Command[] {
  return Array.from({ length: Math.ceil(orders / PER_ACTION) }, (_, action): Command => {
    const from = action * PER_ACTION;
    const length = Math.min(PER_ACTION, orders - from);
    const list = Array.from({ length }, (_order, index) => bid(from + index));
    const txHash = hash(`0x${nonce.toString(16).padStart(64, '0')}`);
    const authority = { signer: accountOf(action % accounts), nonce: nonce++, txHash };
    return { type: 'placeOrders', authority, orders: list };
  });
}

function bid(count: number): OrderRequest {
  const price = 1_000_000 + (count % LEVELS) * 10;
  const shape = { instrumentId: instrumentId(FIRST_PERP), isBuy: true, price, size: 11 };
  return { ...shape, reduceOnly: false, timeInForce: 'gtc' };
}

/** Returns addresses that differ from those of the traders' keys. */
function accountOf(index: number): Address {
  return address(`0x${(index + 1).toString(16).padStart(40, '0')}`);
}

/**
 * A venue without network servers. It consists of the journal, the engine, the receipts and the
 * indexer's thread.
 */
export type HeadlessVenue = {
  readonly replica: LocalReplica;
  readonly indexer: Indexer;
  readonly snapshots: () => number;
  /**
   * Ends the process without closing files, so that state not yet written exists only in the log.
   */
  readonly crash: () => Promise<void>;
};

export async function openHeadless(
  folder: string,
  snapshotEveryCommands: number,
): Promise<HeadlessVenue> {
  let nowMs = START_MS;
  const clock = { nowMs: () => (nowMs += 1) };
  const onFatal = (error: unknown): never => {
    throw error;
  };
  const journal = await FileJournal.open({ directory: join(folder, 'journal'), clock, onFatal });
  let snapshots = 0;
  const indexer = await Indexer.open({
    settings: {
      data: folder,
      snapshotEveryBlocks: Number.MAX_SAFE_INTEGER,
      snapshotEveryCommands,
      shortBlocks: Number.MAX_SAFE_INTEGER,
      receiptsKeptMs: Number.MAX_SAFE_INTEGER,
    },
    hasSpace: () => true,
    onFatal,
    onStored: (height) => receipts.archived(height),
    onSnapshot: () => void (snapshots += 1),
    onSnapshotFailed: onFatal,
  });
  const replica: LocalReplica = await LocalReplica.create({
    log: journal,
    snapshots: new SnapshotStore({ directory: join(folder, 'snapshots') }),
    eras: new EraStore({ directory: join(folder, 'eras') }),
    clock,
    genesis: genesisCommands('Oddlot-Testnet'),
  });
  const receipts: Receipts = new Receipts({
    instruments: instrumentLookup(() => replica.state),
    archive: receiptArchiveOf(() => indexer),
  });
  replica.attach(receipts);
  const { snapshotHeight } = await replica.start();
  await indexer.start(replica.head, { seenFrom: snapshotHeight });
  replica.onBlock((block) => indexer.follow(block));
  return {
    replica,
    indexer,
    snapshots: () => snapshots,
    crash: async () => {
      await indexer.terminate();
      await journal.close();
    },
  };
}

if (import.meta.main) {
  const [accounts = 0, instruments = 0, orders = 0] = process.argv.slice(3).map(Number);
  await fill(String(process.argv[2]), { accounts, instruments, orders });
  process.send?.('filled', () => process.disconnect());
}
