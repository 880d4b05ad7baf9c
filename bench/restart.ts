import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { present } from '@oddlot/units';
import { atMost, median, noted, same, show, sized, type Row, type Scale } from './report.ts';
import type { SnapshotStall } from './resting-venue-process.ts';
import { ServerProcess } from './server-process.ts';

/**
 * Measures a venue with a million resting orders: how long the main thread stalls while the
 * snapshot is written, and how long a restarted venue takes to serve the orders from the snapshot
 * and the log after it. An empty venue's start is the baseline.
 */

const STALL_RATIO = 1.5;
const START_SECONDS = 3;
const EMPTY_SECONDS = 1;
/** The number of starts that the median is computed from. */
const EMPTY_STARTS = 5;
const MILLION = 1_000_000;
const MIB = 2 ** 20;
const VENUE = join(import.meta.dirname, '../packages/venue');
const FLAGS = ['--no-web', '--port', '0', '--ops-port', '0', '--log-level', 'warn'];

export async function restartSection(scale: Scale): Promise<readonly Row[]> {
  const orders = sized(scale, { full: MILLION, quick: 200_000, tiny: 1_000 });
  const accounts = sized(scale, { full: 256, quick: 256, tiny: 4 });
  // The programs are bundled first, as they would be on a machine that has started the venue
  // before.
  execFileSync(process.execPath, [join(VENUE, 'build/build-programs.ts'), '--if-stale']);
  const empty = await emptyRows();
  const folder = await mkdtemp(join(tmpdir(), 'oddlot-bench-'));
  try {
    const stall = await stallOf(folder, orders, accounts);
    return [stallRow(stall, orders), await startRow(folder, orders, stall.height), ...empty];
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
    `meanwhile; ${show(stallMs)} ms against ${show(otherMs)} ms without a snapshot; ${show(busyMs)} ms of CPU at most`;
  const ratio = stallMs / otherMs;
  return atMost('longest stall of the main loop in a snapshot', words, ratio, STALL_RATIO);
}

async function startRow(folder: string, orders: number, height: number): Promise<Row> {
  const { cpuMs, found, seconds } = await startOf(folder, ['--oracle', 'still']);
  same('blocks of the log that it has', found >= height, true);
  const log = await bytesIn(join(folder, 'journal'));
  const words =
    `wall-clock, from the start of the process; ${show(orders)} orders, ` +
    `${show(height)} blocks and ${show(log / MIB)} MiB of log; ${show(cpuMs / 1_000)} s of CPU`;
  return atMost('start with resting orders', words, seconds, START_SECONDS, ' s');
}

/**
 * Measures starts without a chain, and starts with a chain, a relay and simulated traders, as under
 * `npm start`.
 */
async function emptyRows(): Promise<readonly Row[]> {
  const bare = await emptyStart(['--oracle', 'still', '--chain', 'none']);
  const whole = await emptyStart([]);
  const words = 'wall-clock, from the start of the process to its first answer, the middle of five';
  const noteOf = ({ cpuMs }: Start): string => `${words}; ${show(cpuMs / 1_000)} s of CPU`;
  return [
    atMost('start of an empty venue', noteOf(bare), bare.seconds, EMPTY_SECONDS, ' s'),
    noted('the same with a chain and traders', noteOf(whole), whole.seconds, ' s'),
  ];
}

async function emptyStart(flags: readonly string[]): Promise<Start> {
  const starts: Start[] = [];
  for (let count = 0; count < EMPTY_STARTS; count++) {
    const folder = await mkdtemp(join(tmpdir(), 'oddlot-bench-'));
    try {
      starts.push(await startOf(folder, flags));
    } finally {
      await rm(folder, { recursive: true });
    }
  }
  const middle = median(starts.map(({ seconds }) => seconds));
  return present(
    starts.find(({ seconds }) => seconds === middle),
    'the middle one',
  );
}

type Start = {
  readonly seconds: number;
  /** The CPU time of all threads up to the first response, in milliseconds. */
  readonly cpuMs: number;
  readonly found: number;
};

/** Starts the program directly and measures the time to its first response. */
async function startOf(folder: string, flags: readonly string[]): Promise<Start> {
  const startedMs = performance.now();
  const args = [...FLAGS, ...flags, '--data', folder];
  const venue = await ServerProcess.start('packages/venue/src/start.ts', args);
  try {
    const answer = await fetch(`http://127.0.0.1:${venue.port}/info`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ type: 'stateHash' }),
    });
    const found = Number(/"height":(\d+)/.exec(await answer.text())?.[1]);
    const seconds = (performance.now() - startedMs) / 1_000;
    return { seconds, cpuMs: venue.cpuMs(), found };
  } finally {
    await venue.stop();
  }
}

async function bytesIn(directory: string): Promise<number> {
  let bytes = 0;
  for (const name of await readdir(directory)) bytes += (await stat(join(directory, name))).size;
  return bytes;
}
