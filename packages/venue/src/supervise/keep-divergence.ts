import { createReadStream } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { makeFolder, writeFully, writeWholeFile, writeWholeFileBy } from '@oddlot/host/durable';
import { VERSION } from '@oddlot/host/version';
import type { LogEntry } from '../block/block.ts';
import type { Log } from '../log/log.ts';
import { SnapshotStore } from '../log/checked-stores.ts';
import type { Standing } from '../replica/attestations.ts';
import type { LocalReplica } from '../replica/local-replica.ts';
import { encodeSnapshot } from '../replica/snapshot-codec.ts';

/** Folders that are kept: who starts again where it went wrong soon has more of the same. */
const KEPT = 3;

type Parts = {
  /** The data folder. */
  readonly data: string;
  readonly name: string;
  readonly replica: Pick<LocalReplica, 'head' | 'payload'>;
  readonly log: Pick<Log, 'firstSeq' | 'lastSeq' | 'replay'>;
};

/**
 * Keeps what a developer needs to find out why a replica has diverged: the hashes and who has which, the block, the state
 * as it is now, and the newest snapshot before the block, from which the log can be applied again.
 */
export async function keepDivergence(parts: Parts, standing: Standing): Promise<string> {
  const { data, log, name, replica } = parts;
  const { height, own, votes } = standing;
  const root = join(data, 'divergence');
  const folder = join(root, `block-${String(height).padStart(16, '0')}`);
  await makeFolder(folder);
  const before = (await new SnapshotStore({ directory: join(data, 'snapshots') }).list()).find(
    (snapshot) => snapshot.height < height,
  );
  if (before !== undefined) await copyOf(before.path, join(folder, basename(before.path)));
  const { hash, height: headHeight } = replica.head;
  const report = {
    replica: name,
    version: VERSION,
    height,
    own,
    votes: Object.fromEntries(votes),
    head: { height: headHeight, hash },
    snapshotBefore: before?.height ?? null,
  };
  writeWholeFile(join(folder, 'report.json'), `${JSON.stringify(report, undefined, 2)}\n`);
  const block = await entryOf(log, height);
  writeWholeFile(join(folder, 'block.json'), `${JSON.stringify(block)}\n`);
  const state = new SnapshotStore({ directory: join(folder, 'state') });
  await state.write({ height: headHeight, pieces: encodeSnapshot(replica.payload()) });
  const folders = (await readdir(root)).toSorted().reverse();
  for (const old of folders.slice(KEPT)) await rm(join(root, old), { recursive: true });
  return folder;
}

async function copyOf(from: string, to: string): Promise<void> {
  await writeWholeFileBy(to, async (handle) => {
    let at = 0;
    for await (const piece of createReadStream(from) as AsyncIterable<Buffer>) {
      await writeFully(handle, piece, at);
      at += piece.length;
    }
  });
}

async function entryOf(log: Parts['log'], seq: number): Promise<LogEntry | null> {
  let found: LogEntry | null = null;
  if (seq < log.firstSeq || seq > log.lastSeq) return null;
  await log.replay(seq, (entry) => (found = entry), { untilSeq: seq, withRequests: true });
  return found;
}
