import type { Command, OrderRequest } from '@oddlot/engine';
import { address, hash, instrumentId, timeMs, type Address } from '@oddlot/units';
import { genesisCommands } from '../packages/replica/src/genesis-commands.ts';
import { openDoorless, type DoorlessVenue } from './doorless-venue.ts';
import { collectGarbage, same } from './report.ts';

/**
 * A venue on a folder, `resting-venue-process.ts FOLDER ORDERS ACCOUNTS`, in which orders rest. While
 * its indexer writes the snapshot a trickle of blocks goes on, and a timer tells for how long the
 * main thread did not come to it. It ends as by a crash, so that the blocks of the trickle are behind
 * the snapshot.
 */

export type SnapshotStall = {
  /** The longest wait of a timer of 1 ms while the snapshot was written, and for as long without one. */
  readonly stallMs: number;
  readonly otherMs: number;
  /** The most CPU time that the main thread used between two looks of that timer, with the snapshot. */
  readonly busyMs: number;
  /** How long the snapshot took, and how many blocks were made meanwhile. */
  readonly snapshotMs: number;
  readonly blocks: number;
  readonly height: number;
};

const START_MS = 1_767_225_600_000;
const PRICE = 900_000;
const LEVELS = 1_000;
const PER_ACTION = 50;
/** Actions that are proposed together while the orders are laid out. */
const AT_ONCE = 200;
/** Between two blocks of the trickle. */
const TRICKLE_MS = 5;
/** Blocks of the trickle before the snapshot is due. */
const TRICKLE_BEFORE = 100;
/** About what a signed order takes in a request, which the log keeps beside the command. */
const REQUEST_BYTES = 90;

const folder = String(process.argv[2]);
const orders = Number(process.argv[3]);
const accounts = Number(process.argv[4]);
/** Above the time of the first block (R-nonce). */
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
  const venue = await openDoorless(folder, laidOut + TRICKLE_BEFORE);
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

async function measure(of: DoorlessVenue): Promise<SnapshotStall> {
  const trickle = new Trickle(of);
  const watch = new StallWatch();
  // The indexer counts commands: until it has counted enough nothing is written.
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

/** One order a block, now and then. */
class Trickle {
  readonly #venue: DoorlessVenue;
  #count = 0;

  constructor(of: DoorlessVenue) {
    this.#venue = of;
  }

  async next(): Promise<void> {
    const signer = accountOf(this.#count % accounts);
    await this.#venue.replica.propose(placed(signer, [order(this.#count)]), request(1));
    this.#count += 1;
    await new Promise((resolve) => setTimeout(resolve, TRICKLE_MS));
  }
}

/** A timer of 1 ms that remembers how late it was at worst, and how busy the thread. */
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

  /** The worst since the last time. */
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

async function lay(of: DoorlessVenue, action: number): Promise<void> {
  const from = action * PER_ACTION;
  const length = Math.min(PER_ACTION, orders - from);
  const list = Array.from({ length }, (_, index) => order(from + index));
  const command = placed(accountOf(action % accounts), list);
  const { outcome } = await of.replica.propose(command, request(length));
  same('an action that was refused', outcome.reject?.reason, undefined);
}

async function caughtUp(of: DoorlessVenue): Promise<void> {
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
