import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { address } from '@oddlot/units';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AppliedBlock, Projection } from './block.ts';
import { genesisCommands } from './genesis-commands.ts';
import { FileJournal } from './log/file-journal.ts';
import { EraStore, SnapshotStore } from './log/checked-stores.ts';
import { LocalReplica } from './local-replica.ts';
import { LogBehindError, ReplicaDivergedError } from './replica.ts';
import { ContentHasher, encodeSnapshot, type WrittenSnapshot } from './snapshot-codec.ts';
import { forgeSnapshot } from '@oddlot/testing/venue/forge-snapshot';

/**
 * These tests use the real journal, snapshots and engine in a temporary folder; only the clock is
 * simulated.
 */

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
};

type Options = {
  readonly projections?: readonly Projection[];
  readonly knownHeight?: number;
  readonly passedOver?: string[];
};

const snapshots = (): SnapshotStore => new SnapshotStore({ directory: join(folder, 'snapshots') });

async function open(options: Options = {}): Promise<Running> {
  const clock = { nowMs: () => (nowMs += 1) };
  const failures: unknown[] = [];
  const journal = await FileJournal.open({
    directory: join(folder, 'journal'),
    clock,
    onFatal: (error) => failures.push(error),
  });
  const { knownHeight } = options;
  const replica = await LocalReplica.create({
    log: journal,
    snapshots: snapshots(),
    eras: new EraStore({ directory: join(folder, 'eras') }),
    clock,
    genesis: genesisCommands('Oddlot-Testnet'),
    onPassedOver: (what, why) => void options.passedOver?.push(`${what}: ${why}`),
    ...(knownHeight === undefined ? {} : { knownHeight: async () => knownHeight }),
  });
  for (const projection of options.projections ?? []) replica.attach(projection);
  return { replica, journal, failures };
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

function watched({ replica }: Running): string[] {
  const seen: string[] = [];
  replica.publish();
  replica.onBlock(({ height }) => seen.push(`applied ${height}`));
  replica.onPublish(({ height }) => seen.push(`published ${height}`));
  return seen;
}

/** Writes a snapshot of the current state, as the follower on another thread does. */
async function snapshot({ replica }: Running): Promise<WrittenSnapshot> {
  const payload = replica.payload();
  const { height } = replica.head;
  const pieces = [...encodeSnapshot(payload)];
  await snapshots().write({ height, pieces });
  const hasher = await ContentHasher.create();
  return { height, content: hasher.of(payload, Buffer.concat(pieces)) };
}

class Heights implements Projection {
  readonly name = 'heights';
  readonly version: number;
  readonly blocks: number[] = [];
  readonly restored: [data: unknown, version: number][] = [];

  constructor(options: { version?: number } = {}) {
    this.version = options.version ?? 1;
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
}

const credit = (replica: LocalReplica, amountMicroUsdc: number) =>
  replica.propose({ type: 'creditFaucet', account: alice, subAccount: 'perp', amountMicroUsdc });

describe("restoring a local replica's state from its log", () => {
  test('a replica starts with its genesis, and later from the log alone with the same hash', async () => {
    const first = await started();
    await credit(first.replica, 5);
    const { head } = first.replica;
    await first.journal.close();
    const second = await started();
    expect(second.replica.head).toMatchObject({ height: head.height, hash: head.hash });
    expect(second.replica.state.accounts.at(-1)?.perpBalance).toBe(5n);
    await second.journal.close();
  });

  test('a replica starts from a snapshot and continues as if it had never stopped', async () => {
    const first = await started();
    await credit(first.replica, 5);
    await snapshot(first);
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

  test('R-snapshots: a replica ignores a snapshot that the log contradicts, and replays the log', async () => {
    const first = await started();
    await credit(first.replica, 5);
    await first.replica.attestSnapshot(await snapshot(first));
    await credit(first.replica, 7);
    const { head } = first.replica;
    await first.journal.close();
    expect(await forgeSnapshot(snapshots())).toBe(2);
    const passedOver: string[] = [];
    const second = await open({ passedOver });
    const { snapshotHeight } = await second.replica.start();
    expect(snapshotHeight).toBe(0);
    expect(passedOver).toEqual([
      expect.stringMatching(/^the snapshot of block 2: its content has the hash 0x.* attests 0x/),
    ]);
    expect(second.replica.state.accounts.at(-1)?.perpBalance).toBe(12n);
    expect(second.replica.head.hash).toBe(head.hash);
    await second.journal.close();
  });

  test('R-snapshots: a replica starts from its own snapshot if the log attests it or does not mention it', async () => {
    const first = await started();
    await credit(first.replica, 5);
    await first.replica.attestSnapshot(await snapshot(first));
    await credit(first.replica, 7);
    await first.journal.close();
    const second = await open();
    expect((await second.replica.start()).snapshotHeight).toBe(2);
    await credit(second.replica, 7);
    await snapshot(second);
    await second.journal.close();
    const third = await open();
    expect((await third.replica.start()).snapshotHeight).toBe(5);
    await third.journal.close();
  });

  test('commands proposed together are put in one block and keep their order', async () => {
    const { journal, replica } = await started();
    const amounts = Array.from({ length: 100 }, (_, index) => index + 1);
    const executed = await Promise.all(amounts.map((amount) => credit(replica, amount)));
    expect(new Set(executed.map(({ block }) => block.height)).size).toBeLessThan(5);
    expect(replica.state.accounts.at(-1)?.perpBalance).toBe(5_050n);
    await journal.close();
  });

  test('a replica does not start on a log that lacks blocks recorded in the history', async () => {
    const { journal, replica } = await started();
    await credit(replica, 5);
    await journal.close();
    await expect(startedWith({ knownHeight: 3 })).rejects.toThrow(LogBehindError);
  });

  test('a replica does not start on a journal that is older than its snapshots', async () => {
    const first = await started();
    await first.journal.close();
    await cp(join(folder, 'journal'), join(folder, 'old'), { recursive: true });
    const second = await started();
    await credit(second.replica, 5);
    await snapshot(second);
    await second.journal.close();
    await rm(join(folder, 'journal'), { recursive: true });
    await cp(join(folder, 'old'), join(folder, 'journal'), { recursive: true });
    await expect(started()).rejects.toThrow(/The log ends at block 1, .* contain block 2/);
  });

  test('a replica compares attested hashes on every replay and stops if one differs', async () => {
    const first = await started();
    await credit(first.replica, 5);
    await snapshot(first);
    await first.journal.close();
    // The journal now contains a different history of the same length, and the stored snapshot does
    // not belong to it.
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

  test('a projection receives every block once, or restores it from a snapshot', async () => {
    const first = new Heights();
    const running = await started(first);
    await credit(running.replica, 5);
    await snapshot(running);
    await credit(running.replica, 6);
    await running.journal.close();
    expect(first.blocks).toEqual([1, 2, 3]);
    const second = new Heights({ version: 2 });
    const again = await started(second);
    await again.journal.close();
    expect(second.restored).toEqual([[[1, 2], 1]]);
    expect(second.blocks).toEqual([3]);
  });

  test('a replica ignores a snapshot that has a later projection version, and replays the log', async () => {
    const first = await started(new Heights({ version: 2 }));
    await credit(first.replica, 5);
    await snapshot(first);
    await first.journal.close();
    const older = new Heights();
    const second = await started(older);
    expect(older.blocks).toEqual([1, 2]);
    expect(second.replica.head.hash).toBe(first.replica.head.hash);
    await second.journal.close();
  });
});

describe('blocks are published in order', () => {
  const credit = (amountMicroUsdc: number) =>
    ({ type: 'creditFaucet', account: alice, subAccount: 'perp', amountMicroUsdc }) as const;

  test('callers that wait for a block get their results before listeners are notified', async () => {
    const running = await started();
    const { journal, replica } = running;
    const seen = watched(running);
    const { height } = replica.head;
    const proposed = replica.propose(credit(1)).then(({ block }) => {
      seen.push(`answered ${block.height}`);
      return undefined;
    });
    await proposed;
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    const next = height + 1;
    expect(seen).toEqual([`applied ${next}`, `answered ${next}`, `published ${next}`]);
    await journal.close();
  });

  test('every block is published once, in order, and before the next one is applied', async () => {
    const running = await started();
    const { journal, replica } = running;
    const seen = watched(running);
    const { height } = replica.head;
    for (let block = 0; block < 20; block += 1) {
      const both = [replica.propose(credit(1)), replica.tick()];
      // A caller that needs the newest block can have it published immediately.
      if (block % 3 === 0) replica.publish();
      await Promise.all(both);
      if (block % 2 === 0) replica.publish();
    }
    replica.publish();
    const heights = Array.from(
      { length: replica.head.height - height },
      (_, at) => height + at + 1,
    );
    expect(seen).toEqual(heights.flatMap((each) => [`applied ${each}`, `published ${each}`]));
    await journal.close();
  });
});
