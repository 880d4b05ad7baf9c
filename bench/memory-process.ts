import { applyBlock, createState, type Command, type OrderRequest } from '@oddlot/engine';
import { address, hash, instrumentId, timeMs } from '@oddlot/units';
import { genesisCommands } from '../packages/replica/src/genesis-commands.ts';
import { collectGarbage, same } from './report.ts';

/** Rests orders, `memory-process.ts ORDERS ACCOUNTS`, and tells what that took. */

export type MemoryUse = {
  /** The state: heap and array buffers beyond those of the process before it. */
  readonly liveMib: number;
  /** The whole process, Node and its code included. */
  readonly residentMib: number;
};

const MIB = 2 ** 20;
const START_MS = 1_767_225_600_000;
const PRICE = 900_000;
const LEVELS = 1_000;
const PER_ACTION = 50;

const orders = Number(process.argv[2]);
const accounts = Number(process.argv[3]);
const before = liveBytes();
const state = createState();
/** Above the time of the first block (R-nonce). */
let nonce = START_MS + 1_000;
apply(...genesisCommands('Oddlot-Testnet'));
const prices = [{ instrumentId: instrumentId(1), oracle: 970_000 }];
apply({ type: 'pushOracle', prices, observedMs: timeMs(START_MS) });
for (let index = 0; index < accounts; index++) {
  const account = accountOf(index);
  apply({ type: 'creditFaucet', account, subAccount: 'perp', amountMicroUsdc: 1_000_000_000_000 });
}
for (let from = 0; from < orders; from += PER_ACTION) {
  const length = Math.min(PER_ACTION, orders - from);
  const placed = Array.from({ length }, (_, index) => order(from + index));
  const signer = accountOf((from / PER_ACTION) % accounts);
  const txHash = hash(`0x${nonce.toString(16).padStart(64, '0')}`);
  apply({ type: 'placeOrders', authority: { signer, nonce: nonce++, txHash }, orders: placed });
}
same('orders that rest', state.pool.size, orders);
const use: MemoryUse = {
  liveMib: (liveBytes() - before) / MIB,
  residentMib: process.memoryUsage().rss / MIB,
};
process.send?.(use, () => process.disconnect());

function accountOf(index: number) {
  return address(`0x${(index + 1).toString(16).padStart(40, '0')}`);
}

function order(count: number): OrderRequest {
  const price = PRICE + (count % LEVELS);
  const shape = { instrumentId: instrumentId(1), isBuy: true, price, size: 20 };
  return { ...shape, reduceOnly: false, timeInForce: 'gtc' };
}

function apply(...commands: readonly Command[]): void {
  const { outcomes } = applyBlock(state, {
    height: state.height + 1,
    timeMs: timeMs(START_MS),
    commands,
  });
  const all = outcomes.flatMap((outcome) => [outcome, ...(outcome.entries ?? [])]);
  const refused = all.find(({ reject }) => reject !== undefined);
  if (refused !== undefined) throw new Error(`refused: ${refused.reject?.reason}`);
}

function liveBytes(): number {
  // The second one frees the buffers whose views the first one found dead.
  collectGarbage();
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
