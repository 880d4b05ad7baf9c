import { applyBlock, type Block, type Command, type State } from '@oddlot/engine';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalReplica } from '../packages/replica/src/local-replica.ts';
import { EraStore, SnapshotStore } from '../packages/replica/src/log/checked-stores.ts';
import { FileJournal } from '../packages/replica/src/log/file-journal.ts';
import { createEngineFlow, type EngineFlow, stateAfter } from './engine-flow.ts';
import {
  atLeast,
  atMost,
  collectGarbage,
  cpuMs,
  cpuMsOf,
  median,
  noted,
  type Row,
  same,
  type Scale,
  show,
  sized,
} from './report.ts';

/** Measures the engine alone: validation, margin, matching, ledger, digest and events. */

const TARGET = 250_000;

export async function engineSection(scale: Scale): Promise<readonly Row[]> {
  const orders = sized(scale, { full: 300_000, quick: 60_000, tiny: 500 });
  const rounds = sized(scale, { full: 6, quick: 4, tiny: 2 });
  const many = measure(createEngineFlow({ orders, ordersPerAction: 50 }), rounds);
  const single = measure(
    createEngineFlow({ orders: Math.ceil(orders / 2), ordersPerAction: 1, actionsPerBlock: 200 }),
    rounds,
  );
  return [
    atLeast('engine, 50-order actions', many.words, many.rate, TARGET, ' orders/s'),
    noted('engine, 1-order actions', single.words, single.rate, ' orders/s'),
  ];
}

function measure(flow: EngineFlow, rounds: number): { rate: number; words: string } {
  const spent: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const state = stateAfter(flow.setUp);
    collectGarbage();
    const ms = cpuMs(() => run(state, flow));
    same('the digest after a log', state.digest.hex(), flow.digest);
    if (round > 0) spent.push(ms);
  }
  const ms = median(spent);
  const { orders, cancels, trades } = flow;
  const words =
    `${show((ms * 1_000) / (orders + cancels))} µs an operation; ` +
    `${show(orders)} orders, ${show(cancels)} cancels, ${show(trades)} trades`;
  return { rate: (orders * 1_000) / ms, words };
}

function run(state: State, flow: EngineFlow): void {
  for (const block of flow.blocks) applyBlock(state, block);
}

/**
 * Measures how long a replica takes to start from a log without a snapshot: reading, checking,
 * parsing, applying and hashing.
 */

const REPLAY_SECONDS_MAX = 10;
const MILLION = 1_000_000;
/**
 * The approximate number of bytes that a signed order adds to a request, which the log stores along
 * with the command.
 */
const REQUEST_BYTES_PER_ORDER = 90;
const REQUEST_BYTES_HEAD = 250;
const BLOCKS_AT_ONCE = 64;

export async function replaySection(scale: Scale): Promise<readonly Row[]> {
  const orders = sized(scale, { full: MILLION, quick: 100_000, tiny: 1_000 });
  return [await measureReplay(orders, 50, 20), await measureReplay(orders, 1, 200)];
}

async function measureReplay(
  orders: number,
  ordersPerAction: number,
  perBlock: number,
): Promise<Row> {
  const directory = await mkdtemp(join(tmpdir(), 'oddlot-bench-'));
  try {
    const written = await writeLog(directory, orders, ordersPerAction, perBlock);
    const journal = await FileJournal.open({ directory, clock: written.clock });
    const replica = await LocalReplica.create({
      log: journal,
      snapshots: new SnapshotStore({ directory: join(directory, 'snapshots') }),
      eras: new EraStore({ directory: join(directory, 'eras') }),
      clock: written.clock,
      genesis: [],
    });
    const startedMs = performance.now();
    const cpu = await cpuMsOf(async () => void (await replica.start()));
    const wallMs = performance.now() - startedMs;
    await journal.close();
    same('the digest after the replay', replica.state.digest.hex(), written.digest);
    const seconds = (cpu / 1_000) * (MILLION / written.orders);
    const words = `${show(written.orders)} orders and ${show(written.cancels)} cancels`;
    const took = `${show(wallMs / 1_000)} s by the clock`;
    const what = `replay of a million orders, ${ordersPerAction} an action`;
    return atMost(what, `CPU; ${words}, ${took}`, seconds, REPLAY_SECONDS_MAX, ' s');
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** Writes the flow to a log, with a clock that gives each block its time in the flow. */
async function writeLog(
  directory: string,
  orders: number,
  ordersPerAction: number,
  actionsPerBlock: number,
) {
  const flow = createEngineFlow({ orders, ordersPerAction, actionsPerBlock });
  const blocks = [...flow.setUp, ...flow.blocks];
  let nowMs = 0;
  const clock = { nowMs: () => nowMs };
  const journal = await FileJournal.open({ directory, clock });
  // All blocks in a write get the same time, so only blocks with equal times can share one.
  let batch: Promise<unknown>[] = [];
  for (const block of blocks) {
    if (block.timeMs !== nowMs || batch.length === BLOCKS_AT_ONCE) {
      await Promise.all(batch);
      batch = [];
    }
    nowMs = block.timeMs;
    batch.push(journal.append(loggedCommands(block)));
  }
  await Promise.all(batch);
  await journal.close();
  return { clock, orders: flow.orders, cancels: flow.cancels, digest: flow.digest };
}

/** Adds requests of typical size to the commands. */
export function loggedCommands(block: Block): { command: Command; request?: string }[] {
  return block.commands.map((command) => {
    if (!('authority' in command)) return { command };
    const entries = command.type === 'placeOrders' ? command.orders.length : 1;
    return { command, request: 'r'.repeat(REQUEST_BYTES_HEAD + entries * REQUEST_BYTES_PER_ORDER) };
  });
}
