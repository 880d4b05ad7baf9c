import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Block, Command } from '@oddlot/engine';
import { FileJournal } from '../packages/replica/src/log/file-journal.ts';
import { EraStore, SnapshotStore } from '../packages/replica/src/log/checked-stores.ts';
import { LocalReplica } from '../packages/replica/src/local-replica.ts';
import { createEngineFlow } from './engine-flow.ts';
import { atMost, cpuMsOf, same, show, sized, type Row, type Scale } from './report.ts';

/** A replica that starts from a log without a snapshot: read, check, parse, apply, chain hashes. */

const TARGET_SECONDS = 10;
const MILLION = 1_000_000;
/** About what a signed order takes in a request, which the log keeps beside the command. */
const REQUEST_BYTES_PER_ORDER = 90;
const REQUEST_BYTES_HEAD = 250;
/** Blocks that share a sync while the log is written. */
const BLOCKS_AT_ONCE = 64;

export async function replaySection(scale: Scale): Promise<readonly Row[]> {
  const orders = sized(scale, { full: MILLION, quick: 100_000, tiny: 1_000 });
  return [await measure(orders, 50, 20), await measure(orders, 1, 200)];
}

async function measure(orders: number, ordersPerAction: number, perBlock: number): Promise<Row> {
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
    return atMost(what, `CPU; ${words}, ${took}`, seconds, TARGET_SECONDS, ' s');
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** Writes a flow as the venue would; the clock gives each block the time that it was made for. */
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
  // One write has one time, so only blocks of one time may share it.
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

/** The commands of a block with requests of a likely size. */
export function loggedCommands(block: Block): { command: Command; request?: string }[] {
  return block.commands.map((command) => {
    if (!('authority' in command)) return { command };
    const entries = command.type === 'placeOrders' ? command.orders.length : 1;
    return { command, request: 'r'.repeat(REQUEST_BYTES_HEAD + entries * REQUEST_BYTES_PER_ORDER) };
  });
}
