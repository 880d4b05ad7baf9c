import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atMost, same, show, sized, type Row, type Scale } from './report.ts';
import type { SnapshotStall } from './resting-venue-process.ts';
import { ServerProcess } from './server-process.ts';

/**
 * A million resting orders: how long the main thread stands still while their snapshot is written, and
 * how long a venue takes until it serves them again, from that snapshot and the log behind it.
 */

const STALL_MS = 10;
const START_SECONDS = 5;
const MILLION = 1_000_000;
const MIB = 2 ** 20;

export async function restartSection(scale: Scale): Promise<readonly Row[]> {
  const orders = sized(scale, { full: MILLION, quick: 200_000, tiny: 1_000 });
  const accounts = sized(scale, { full: 256, quick: 256, tiny: 4 });
  const folder = await mkdtemp(join(tmpdir(), 'oddlot-bench-'));
  try {
    const stall = await stallOf(folder, orders, accounts);
    return [stallRow(stall, orders), await startRow(folder, orders, stall.height)];
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function stallOf(folder: string, orders: number, accounts: number): Promise<SnapshotStall> {
  const program = join(import.meta.dirname, 'resting-venue-process.ts');
  const args = [folder, String(orders), String(accounts)];
  const child = fork(program, args, { execArgv: ['--expose-gc'] });
  const ended = once(child, 'exit').then(() => {
    throw new Error('the venue ended before it had measured');
  });
  const [stall] = (await Promise.race([once(child, 'message'), ended])) as [SnapshotStall];
  await ended.catch(() => undefined);
  return stall;
}

function stallRow(stall: SnapshotStall, orders: number): Row {
  const { blocks, busyMs, otherMs, snapshotMs, stallMs } = stall;
  const words =
    `wall-clock; ${show(orders)} orders in ${show(snapshotMs / 1_000)} s, ${show(blocks)} blocks ` +
    `meanwhile; ${show(otherMs)} ms without a snapshot; ${show(busyMs)} ms of CPU at most`;
  return atMost('longest stall of the main loop in a snapshot', words, stallMs, STALL_MS, ' ms');
}

/** The program itself, from its start to the line that says that it serves. */
async function startRow(folder: string, orders: number, height: number): Promise<Row> {
  const flags = ['--port', '0', '--ops-port', '0', '--oracle', 'still', '--log-level', 'warn'];
  const startedMs = performance.now();
  const venue = await ServerProcess.start('packages/venue/src/main.ts', [
    '--no-web',
    ...flags,
    '--data',
    folder,
  ]);
  const seconds = (performance.now() - startedMs) / 1_000;
  try {
    const head = await fetch(`http://127.0.0.1:${venue.port}/info`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ type: 'stateHash' }),
    });
    const found = /"height":(\d+)/.exec(await head.text())?.[1];
    same('blocks of the log that it has', Number(found) >= height, true);
    const log = await bytesIn(join(folder, 'journal'));
    const words =
      `wall-clock, from the start of the process; ${show(orders)} orders, ` +
      `${show(height)} blocks and ${show(log / MIB)} MiB of log`;
    return atMost('start with resting orders', words, seconds, START_SECONDS, ' s');
  } finally {
    await venue.stop();
  }
}

async function bytesIn(directory: string): Promise<number> {
  let bytes = 0;
  for (const name of await readdir(directory)) bytes += (await stat(join(directory, name))).size;
  return bytes;
}
