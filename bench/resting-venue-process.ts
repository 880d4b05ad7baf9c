import type { Command, OrderRequest } from '@oddlot/engine';
import { address, hash, instrumentId, timeMs, type Address } from '@oddlot/units';
import { genesisCommands } from '../packages/replica/src/genesis-commands.ts';
import { openHeadless, type HeadlessVenue } from './crowded-venue-process.ts';
import { collectGarbage, same } from './report.ts';

/**
 * Creates a venue with resting orders (`resting-venue-process.ts FOLDER ORDERS ACCOUNTS`). While
 * its indexer writes the snapshot, blocks continue at a low rate and a timer measures main-thread
 * stalls. The process ends without closing files, so the last blocks exist only in the part of the
 * log after the snapshot.
 */

export type SnapshotStall = {
  /**
   * The longest delay of a 1 ms timer during the snapshot, and over an equally long period without
   * a snapshot.
   */
  readonly stallMs: number;
  readonly otherMs: number;
  /** The main thread's highest CPU time between two ticks of that timer during the snapshot. */
  readonly busyMs: number;
  /** How long the snapshot took and how many blocks were created in that time. */
  readonly snapshotMs: number;
  readonly blocks: number;
  readonly height: number;
};

const START_MS = 1_767_225_600_000;
const PRICE = 900_000;
const LEVELS = 1_000;
const PER_ACTION = 50;
/** The number of actions proposed together during setup. */
const AT_ONCE = 200;
const TRICKLE_MS = 5;
/** The number of blocks before the snapshot is due. */
const TRICKLE_BEFORE = 100;
/**
 * The approximate number of bytes that a signed order adds to a request, which the log stores along
 * with the command.
 */
const REQUEST_BYTES = 90;

const folder = String(process.argv[2]);
const orders = Number(process.argv[3]);
const accounts = Number(process.argv[4]);
/** Nonces must be later than the first block (R-nonce). */
let nonce = START_MS + 1_000;

const oracle: Command = {
  type: 'pushOracle',
  prices: [{ instrumentId: instrumentId(1), oracle: 970_000 }],
  observedMs: timeMs(START_MS),
};
const credits = Array.from({ length: accounts }, (_, index): Command => {
  const account = accountOf(index);
  return { type: 'creditFaucet', account, subAccount: 'perp', amountMicroUsdc: 1_000_000_000_000 };
});
const actions = Math.ceil(orders / PER_ACTION);
const genesis = 1 + genesisCommands('Oddlot-Testnet').length;
const laidOut = genesis + 1 + credits.length + actions;

async function run(): Promise<void> {
  const venue = await openHeadless(folder, laidOut + TRICKLE_BEFORE);
  await venue.replica.propose(oracle);
  await Promise.all(credits.map((command) => venue.replica.propose(command)));
  for (let from = 0; from < actions; from += AT_ONCE) {
    const length = Math.min(AT_ONCE, actions - from);
    await Promise.all(Array.from({ length }, (_, index) => lay(venue, from + index)));
  }
  same('orders that rest', venue.replica.state.pool.size, orders);
  await caughtUp(venue);
  same('snapshots before the trickle', venue.snapshots(), 0);
  collectGarbage();
  const measured = await measure(venue);
  await venue.crash();
  process.send?.(measured, () => process.disconnect());
}

async function measure(of: HeadlessVenue): Promise<SnapshotStall> {
  const trickle = new Trickle(of);
  const watch = new StallWatch();
  // The indexer starts a snapshot only after a fixed number of commands.
  for (let count = 0; count < TRICKLE_BEFORE; count++) await trickle.next();
  const startedMs = performance.now();
  const { height } = of.replica.head;
  watch.take();
  while (of.snapshots() === 0) await trickle.next();
  const { busyMs, stallMs } = watch.take();
  const snapshotMs = performance.now() - startedMs;
  const blocks = of.replica.head.height - height;
  for (let count = 0; count < blocks; count++) await trickle.next();
  const { stallMs: otherMs } = watch.take();
  watch.stop();
  return { stallMs, otherMs, busyMs, snapshotMs, blocks, height: of.replica.head.height };
}

/** Proposes one order per block at a low rate. */
class Trickle {
  readonly #venue: HeadlessVenue;
  #count = 0;

  constructor(of: HeadlessVenue) {
    this.#venue = of;
  }

  async next(): Promise<void> {
    const signer = accountOf(this.#count % accounts);
    await this.#venue.replica.propose(placed(signer, [order(this.#count)]), request(1));
    this.#count += 1;
    await new Promise((resolve) => setTimeout(resolve, TRICKLE_MS));
  }
}

/** Records the longest delay of a 1 ms timer and the thread's CPU time. */
class StallWatch {
  readonly #timer = setInterval(() => this.#look(), 1);
  #last = { wallMs: performance.now(), cpuMs: threadCpuMs() };
  #worst = { stallMs: 0, busyMs: 0 };

  #look(): void {
    const now = { wallMs: performance.now(), cpuMs: threadCpuMs() };
    this.#worst = {
      stallMs: Math.max(this.#worst.stallMs, now.wallMs - this.#last.wallMs - 1),
      busyMs: Math.max(this.#worst.busyMs, now.cpuMs - this.#last.cpuMs),
    };
    this.#last = now;
  }

  /** Returns the maximum values since the last call. */
  take(): { readonly stallMs: number; readonly busyMs: number } {
    this.#look();
    const worst = this.#worst;
    this.#worst = { stallMs: 0, busyMs: 0 };
    return worst;
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

function threadCpuMs(): number {
  const { system, user } = process.threadCpuUsage();
  return (system + user) / 1_000;
}

async function lay(of: HeadlessVenue, action: number): Promise<void> {
  const from = action * PER_ACTION;
  const length = Math.min(PER_ACTION, orders - from);
  const list = Array.from({ length }, (_, index) => order(from + index));
  const command = placed(accountOf(action % accounts), list);
  const { outcome } = await of.replica.propose(command, request(length));
  same('an action that was refused', outcome.reject?.reason, undefined);
}

async function caughtUp(of: HeadlessVenue): Promise<void> {
  while (of.indexer.storedHeight < of.replica.head.height) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function placed(signer: Address, list: readonly OrderRequest[]): Command {
  const txHash = hash(`0x${nonce.toString(16).padStart(64, '0')}`);
  return { type: 'placeOrders', authority: { signer, nonce: nonce++, txHash }, orders: list };
}

function order(count: number): OrderRequest {
  const price = PRICE + (count % LEVELS);
  const shape = { instrumentId: instrumentId(1), isBuy: true, price, size: 20 };
  return { ...shape, reduceOnly: false, timeInForce: 'gtc' };
}

function accountOf(index: number): Address {
  return address(`0x${(index + 1).toString(16).padStart(40, '0')}`);
}

function request(entries: number): string {
  return 'r'.repeat(entries * REQUEST_BYTES);
}

await run();
