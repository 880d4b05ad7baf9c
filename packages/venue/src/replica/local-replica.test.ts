import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { address } from '@oddlot/units';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { AppliedBlock } from '../block/applied-block.ts';
import type { Projection } from '../block/projection.ts';
import { genesisCommands } from '../genesis.ts';
import { FileJournal } from '../log/file-journal.ts';
import { EraStore } from '../log/era-store.ts';
import { SnapshotStore } from '../log/snapshot-store.ts';
import { LocalReplica } from './local-replica.ts';
import { LogBehindError, ReplicaDivergedError } from './replica-error.ts';

/** The real journal, snapshots and engine on a temporary folder; only the clock is in hand. */

const alice = address(`0x${'a1'.repeat(20)}`);
let folder: string;
let nowMs: number;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'oddlot-replica-'));
  nowMs = 1_767_225_600_000;
});
afterEach(() => rm(folder, { recursive: true }));

type Running = {
  readonly replica: LocalReplica;
  readonly journal: FileJournal;
  readonly failures: unknown[];
  readonly snapshotFailures: unknown[];
};

type Options = {
  readonly projections?: readonly Projection[];
  readonly snapshotEveryBlocks?: number;
  readonly logKeptMs?: number;
  readonly segmentBytes?: number;
};

async function open(options: Options = {}): Promise<Running> {
  const clock = { nowMs: () => (nowMs += 1) };
  const failures: unknown[] = [];
  const snapshotFailures: unknown[] = [];
  const journal = await FileJournal.open({
    directory: join(folder, 'journal'),
    clock,
    ...(options.segmentBytes === undefined ? {} : { segmentBytes: options.segmentBytes }),
    onFatal: (error) => failures.push(error),
  });
  const replica = await LocalReplica.create({
    log: journal,
    snapshots: new SnapshotStore({ directory: join(folder, 'snapshots') }),
    eras: new EraStore({ directory: join(folder, 'eras') }),
    clock,
    genesis: genesisCommands('Oddlot-Testnet'),
    snapshotEveryBlocks: options.snapshotEveryBlocks ?? 1_000,
    snapshotEveryCommands: 1_000_000,
    ...(options.logKeptMs === undefined ? {} : { logKeptMs: options.logKeptMs }),
    onSnapshotFailed: (error) => snapshotFailures.push(error),
    onFatal: (error) => failures.push(error),
  });
  for (const projection of options.projections ?? []) replica.attach(projection);
  return { replica, journal, failures, snapshotFailures };
}

async function started(...projections: readonly Projection[]): Promise<Running> {
  return startedWith({ projections });
}

async function startedWith(options: Options): Promise<Running> {
  const running = await open(options);
  try {
    await running.replica.start();
  } catch (error) {
    await running.journal.close();
    throw error;
  }
  return running;
}

/** Which blocks there were: a projection that rides in snapshots, and may store elsewhere too. */
class Heights implements Projection {
  readonly name = 'heights';
  readonly version: number;
  readonly flushedHeight: number | undefined;
  readonly blocks: number[] = [];
  readonly restored: [data: unknown, version: number][] = [];
  readonly #flushes: number[] | undefined;

  constructor(options: { version?: number; flushedHeight?: number; flushes?: number[] } = {}) {
    this.version = options.version ?? 1;
    this.flushedHeight = options.flushedHeight;
    this.#flushes = options.flushes;
  }

  onBlock({ height }: AppliedBlock): void {
    this.blocks.push(height);
  }

  dump(): unknown {
    return this.blocks;
  }

  restore(data: unknown, version: number): void {
    this.restored.push([data, version]);
  }

  reset(): void {
    this.blocks.length = 0;
  }

  async flushed(height: number): Promise<void> {
    this.#flushes?.push(height);
  }
}

const credit = (replica: LocalReplica, amountMicroUsdc: number) =>
  replica.propose({ type: 'creditFaucet', account: alice, subAccount: 'perp', amountMicroUsdc });

describe('a replica', () => {
  test('starts with its genesis, and again from the log alone with the same hash', async () => {
    const first = await started();
    await credit(first.replica, 5);
    const { head } = first.replica;
    await first.journal.close();
    const second = await started();
    expect(second.replica.head).toMatchObject({ height: head.height, hash: head.hash });
    expect(second.replica.state.accounts.at(-1)?.perpBalance).toBe(5n);
    await second.journal.close();
  });

  test('starts from a snapshot and goes on as if it had never stopped', async () => {
    const first = await started();
    await credit(first.replica, 5);
    await first.replica.stop();
    await credit(first.replica, 7);
    const { head } = first.replica;
    await first.journal.close();
    const second = await open();
    const { replayed, snapshotHeight } = await second.replica.start();
    expect({ replayed, snapshotHeight }).toEqual({ replayed: 1, snapshotHeight: 2 });
    expect(second.replica.head.hash).toBe(head.hash);
    expect(second.replica.headAt(1)?.height).toBe(1);
    await second.journal.close();
  });

  test('commands proposed together share a block and keep their order', async () => {
    const { journal, replica } = await started();
    const amounts = Array.from({ length: 100 }, (_, index) => index + 1);
    const executed = await Promise.all(amounts.map((amount) => credit(replica, amount)));
    expect(new Set(executed.map(({ block }) => block.height)).size).toBeLessThan(5);
    expect(replica.state.accounts.at(-1)?.perpBalance).toBe(5_050n);
    await journal.close();
  });

  test('does not start on a log that lacks blocks which receipts know', async () => {
    const { journal, replica } = await started();
    await credit(replica, 5);
    await journal.close();
    await expect(started(new Heights({ flushedHeight: 3 }))).rejects.toThrow(LogBehindError);
  });

  test('goes on when a snapshot cannot be written, and tries again later', async () => {
    const running = await startedWith({ snapshotEveryBlocks: 2 });
    const { failures, journal, replica, snapshotFailures } = running;
    const directory = join(folder, 'snapshots');
    await writeFile(directory, 'in the way');
    for (let block = 0; block < 10; block++) await credit(replica, 1);
    await expect.poll(() => snapshotFailures.length).toBe(1);
    await credit(replica, 1);
    expect(failures).toEqual([]);
    await rm(directory);
    nowMs += 30_000;
    await credit(replica, 1);
    await expect.poll(() => readdir(directory).catch(() => [])).toHaveLength(1);
    expect(snapshotFailures).toHaveLength(1);
    await rm(directory, { recursive: true });
    await writeFile(directory, 'in the way');
    nowMs += 60_000;
    await credit(replica, 1);
    await replica.stop();
    expect(failures).toEqual([]);
    await journal.close();
  });

  test('does not start on an older journal than its snapshots', async () => {
    const first = await started();
    await first.journal.close();
    await cp(join(folder, 'journal'), join(folder, 'old'), { recursive: true });
    const second = await started();
    await credit(second.replica, 5);
    await second.replica.stop();
    await second.journal.close();
    await rm(join(folder, 'journal'), { recursive: true });
    await cp(join(folder, 'old'), join(folder, 'journal'), { recursive: true });
    await expect(started()).rejects.toThrow(/the log ends at block 1, .* know block 2/);
  });

  test('an attested hash is compared at every replay, and another history stops it', async () => {
    const first = await started();
    await credit(first.replica, 5);
    await first.replica.stop();
    await first.journal.close();
    // Another history of the same length: the snapshot of the first does not belong to it.
    await cp(join(folder, 'snapshots'), join(folder, 'kept'), { recursive: true });
    await rm(join(folder, 'journal'), { recursive: true });
    await rm(join(folder, 'snapshots'), { recursive: true });
    const other = await started();
    await credit(other.replica, 6);
    await other.replica.attest();
    await other.journal.close();
    const again = await started();
    expect(again.replica.head.height).toBe(3);
    await again.journal.close();
    await cp(join(folder, 'kept'), join(folder, 'snapshots'), { recursive: true });
    expect(await readdir(join(folder, 'snapshots'))).toHaveLength(1);
    await expect(started()).rejects.toThrow(ReplicaDivergedError);
  });

  test('a projection sees every block once, and its snapshot waits until its rows are stored', async () => {
    const flushes: number[] = [];
    const first = new Heights({ flushes });
    const { journal, replica } = await started(first);
    await credit(replica, 5);
    expect(flushes).toEqual([]);
    await replica.stop();
    expect(flushes).toEqual([2]);
    await credit(replica, 6);
    await journal.close();
    expect(first.blocks).toEqual([1, 2, 3]);
    const second = new Heights({ version: 2 });
    const again = await started(second);
    await again.journal.close();
    expect(second.restored).toEqual([[[1, 2], 1]]);
    expect(second.blocks).toEqual([3]);
  });

  test('no snapshot is used beyond what a projection has stored', async () => {
    const first = await started(new Heights());
    await credit(first.replica, 5);
    await first.replica.stop();
    await first.journal.close();
    const behind = new Heights({ flushedHeight: 1 });
    const second = await started(new Heights({ flushedHeight: 2 }), behind);
    await second.journal.close();
    expect(behind.restored).toEqual([]);
    expect(behind.blocks).toEqual([1, 2]);
  });

  test('passes over a snapshot of a later version than its own, and replays', async () => {
    const first = await started(new Heights({ version: 2 }));
    await credit(first.replica, 5);
    await first.replica.stop();
    await first.journal.close();
    const older = new Heights();
    const second = await started(older);
    expect(older.blocks).toEqual([1, 2]);
    expect(second.replica.head.hash).toBe(first.replica.head.hash);
    await second.journal.close();
  });
});

describe('the length of the log', () => {
  const SMALL = { segmentBytes: 3_000, snapshotEveryBlocks: 10 } as const;

  async function grown(options: Options): Promise<Running> {
    const running = await startedWith({ ...SMALL, ...options });
    for (let count = 0; count < 120; count++) {
      await credit(running.replica, 1);
      if (count % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    }
    await running.replica.stop();
    return running;
  }

  const oldestSnapshot = async (): Promise<number> =>
    (await new SnapshotStore({ directory: join(folder, 'snapshots') }).list()).at(-1)!.height;

  const segments = async (): Promise<{ plain: number; compressed: number }> => {
    const names = await readdir(join(folder, 'journal'));
    const compressed = names.filter((name) => name.endsWith('.zst')).length;
    return { plain: names.length - compressed, compressed };
  };

  test('all of it is kept unless the operator wants otherwise, the old part compressed', async () => {
    const { journal, replica } = await grown({});
    const oldest = await oldestSnapshot();
    // Below the oldest kept snapshot all is compressed; what a start may need is not.
    await vi.waitFor(async () => expect((await segments()).compressed).toBeGreaterThan(5));
    expect((await segments()).plain).toBeGreaterThan(1);
    expect(journal.firstSeq).toBe(1);
    await journal.close();
    const heights = new Heights();
    await rm(join(folder, 'snapshots'), { recursive: true });
    const again = await startedWith({ ...SMALL, projections: [heights] });
    expect(again.replica.head.hash).toBe(replica.head.hash);
    expect(heights.blocks.length).toBeGreaterThan(oldest);
    await again.replica.stop();
    await again.journal.close();
  });

  test('what is younger than it is kept stays', async () => {
    const { journal } = await grown({ logKeptMs: 86_400_000 });
    await vi.waitFor(async () => expect((await segments()).compressed).toBeGreaterThan(5));
    expect(journal.firstSeq).toBe(1);
    await journal.close();
  });

  test('what no kept snapshot needs is dropped, and the next start is as before', async () => {
    const { journal, replica } = await grown({ logKeptMs: 0 });
    await vi.waitFor(() => expect(journal.firstSeq).toBeGreaterThan(10));
    expect(journal.firstSeq).toBeLessThanOrEqual((await oldestSnapshot()) + 1);
    await journal.close();
    const again = await startedWith({ ...SMALL, logKeptMs: 0 });
    expect(again.replica.head.hash).toBe(replica.head.hash);
    await again.replica.stop();
    await again.journal.close();
  });

  test('a projection that has stored less keeps what it lacks', async () => {
    const { journal } = await grown({
      logKeptMs: 0,
      projections: [new Heights(), new Heights({ flushedHeight: 0 })],
    });
    expect(journal.firstSeq).toBe(1);
    await journal.close();
  });

  test('nothing is dropped while receipts that were lost are computed again (R-tx)', async () => {
    const receipts = Object.assign(new Heights(), { needsWholeLog: true });
    const { journal } = await grown({ logKeptMs: 0, projections: [receipts] });
    expect(journal.firstSeq).toBe(1);
    await journal.close();
  });
});
