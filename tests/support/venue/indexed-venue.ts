import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from '@oddlot/engine';
import type { Projection } from '../../../packages/replica/src/block.ts';
import { genesisCommands } from '../../../packages/replica/src/genesis-commands.ts';
import type { IndexerOptions } from '../../../packages/history/src/indexer/indexer-thread.ts';
import { Indexer } from '../../../packages/history/src/indexer/indexer.ts';
import type { IndexerSettings } from '../../../packages/history/src/indexer/indexer-messages.ts';
import { receiptArchiveOf } from '../../../packages/history/src/open-history.ts';
import { Receipts } from '../../../packages/history/src/receipts.ts';
import { EraStore, SnapshotStore } from '../../../packages/replica/src/log/checked-stores.ts';
import { FileJournal } from '../../../packages/replica/src/log/file-journal.ts';
import { LocalReplica } from '../../../packages/replica/src/local-replica.ts';
import { instrumentLookup } from '../../../packages/translate/src/action-to-command.ts';

/**
 * A venue with a history indexer and a real folder, but no network ports. The only part that the
 * test controls is its clock.
 */

export type IndexedOptions = {
  readonly folder: string;
  readonly clock?: { nowMs(): number };
  readonly settings?: Partial<IndexerSettings>;
  readonly indexer?: Partial<IndexerOptions>;
  readonly projections?: (state: () => LocalReplica['state']) => readonly Projection[];
  readonly segmentBytes?: number;
  /**
   * True if the venue opens before the indexer has caught up, so that it can serve requests
   * immediately.
   */
  readonly isEarly?: boolean;
};

export type IndexedVenue = {
  readonly journal: FileJournal;
  readonly replica: LocalReplica;
  readonly receipts: Receipts;
  readonly indexer: Indexer;
  readonly snapshots: SnapshotStore;
  readonly snapshotHeight: number;
  readonly failures: unknown[];
  readonly messages: string[];
  propose(...commands: readonly Command[]): Promise<void>;
  /** Writes a final snapshot and stops the venue. */
  stop(): Promise<void>;
  /** Stops the venue without a final snapshot, so that recent rows exist only in the log. */
  crash(): Promise<void>;
};

export async function temporaryFolder(): Promise<{ folder: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'oddlot-archive-'));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

export async function openIndexed(options: IndexedOptions): Promise<IndexedVenue> {
  const { folder } = options;
  let nowMs = 1_767_225_600_000;
  const clock = options.clock ?? { nowMs: () => (nowMs += 1) };
  const failures: unknown[] = [];
  const messages: string[] = [];
  const onFatal = (error: unknown): void => void failures.push(error);
  await mkdir(folder, { recursive: true });
  const directory = join(folder, 'journal');
  // Small segments are quick to write and to scan.
  const { segmentBytes = 512 * 1024 } = options;
  const journal = await FileJournal.open({ directory, clock, onFatal, segmentBytes });
  const opening = Indexer.open({
    settings: {
      data: folder,
      snapshotEveryBlocks: 1_000_000,
      snapshotEveryCommands: 1_000_000,
      shortBlocks: 5_000,
      receiptsKeptMs: 1e12,
      ...options.settings,
    },
    hasSpace: () => true,
    onFatal,
    onStored: (height) => receipts.archived(height),
    onSnapshot: () => messages.push('snapshot'),
    onSnapshotFailed: () => messages.push('snapshotFailed'),
    onDamaged: () => messages.push('damaged'),
    onRebuild: () => messages.push('rebuild'),
    onRebuilt: () => messages.push('rebuilt'),
    onAway: () => messages.push('away'),
    onBack: () => messages.push('back'),
    onRebuildFailed: (error) => failures.push(error),
    ...options.indexer,
  });
  const indexer = await opening.catch(async (error: unknown) => {
    await journal.close();
    throw error;
  });
  const snapshots = new SnapshotStore({ directory: join(folder, 'snapshots') });
  const replica: LocalReplica = await LocalReplica.create({
    log: journal,
    snapshots,
    eras: new EraStore({ directory: join(folder, 'eras') }),
    clock,
    genesis: genesisCommands('Oddlot-Testnet'),
    knownHeight: () => indexer.verify(journal.firstSeq, replica),
  });
  const receipts: Receipts = new Receipts({
    instruments: instrumentLookup(() => replica.state),
    archive: receiptArchiveOf(() => indexer),
  });
  replica.attach(receipts);
  for (const each of options.projections?.(() => replica.state) ?? []) replica.attach(each);
  const end = async (): Promise<void> => {
    await indexer.terminate();
    await journal.close();
  };
  try {
    const { snapshotHeight } = await replica.start();
    const following = indexer.start(replica.head, { seenFrom: snapshotHeight });
    if (options.isEarly === true) following.catch(onFatal);
    else await following;
    replica.onBlock((block) => indexer.follow(block));
    return {
      journal,
      replica,
      receipts,
      indexer,
      snapshots,
      snapshotHeight,
      failures,
      messages,
      async propose(...commands) {
        for (const command of commands) await replica.propose(command);
      },
      async stop() {
        await replica.stop();
        await indexer.stop();
        await journal.close();
      },
      crash: end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}
