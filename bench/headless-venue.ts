import { join } from 'node:path';
import { genesisCommands } from '../packages/replica/src/genesis-commands.ts';
import { Indexer } from '../packages/history/src/indexer/indexer.ts';
import { receiptArchiveOf } from '../packages/history/src/open-history.ts';
import { Receipts } from '../packages/history/src/receipts.ts';
import { EraStore, SnapshotStore } from '../packages/replica/src/log/checked-stores.ts';
import { FileJournal } from '../packages/replica/src/log/file-journal.ts';
import { LocalReplica } from '../packages/replica/src/local-replica.ts';
import { instrumentLookup } from '../packages/translate/src/action-to-command.ts';

/**
 * A venue without network servers, consisting of the journal, engine, receipts and the indexer's
 * thread.
 */
export type HeadlessVenue = {
  readonly replica: LocalReplica;
  readonly indexer: Indexer;
  readonly snapshots: () => number;
  /** Ends the process without closing files, so that unwritten state exists only in the log. */
  readonly crash: () => Promise<void>;
};

const START_MS = 1_767_225_600_000;

export async function openHeadless(
  folder: string,
  snapshotEveryCommands: number,
): Promise<HeadlessVenue> {
  let nowMs = START_MS;
  const clock = { nowMs: () => (nowMs += 1) };
  const onFatal = (error: unknown): never => {
    throw error;
  };
  const journal = await FileJournal.open({ directory: join(folder, 'journal'), clock, onFatal });
  let snapshots = 0;
  const indexer = await Indexer.open({
    settings: {
      data: folder,
      snapshotEveryBlocks: Number.MAX_SAFE_INTEGER,
      snapshotEveryCommands,
      shortBlocks: Number.MAX_SAFE_INTEGER,
      receiptsKeptMs: Number.MAX_SAFE_INTEGER,
    },
    hasSpace: () => true,
    onFatal,
    onStored: (height) => receipts.archived(height),
    onSnapshot: () => void (snapshots += 1),
    onSnapshotFailed: onFatal,
  });
  const replica: LocalReplica = await LocalReplica.create({
    log: journal,
    snapshots: new SnapshotStore({ directory: join(folder, 'snapshots') }),
    eras: new EraStore({ directory: join(folder, 'eras') }),
    clock,
    genesis: genesisCommands('Oddlot-Testnet'),
  });
  const receipts: Receipts = new Receipts({
    instruments: instrumentLookup(() => replica.state),
    archive: receiptArchiveOf(() => indexer),
  });
  replica.attach(receipts);
  const { snapshotHeight } = await replica.start();
  await indexer.start(replica.head, { seenFrom: snapshotHeight });
  replica.onBlock((block) => indexer.follow(block));
  return {
    replica,
    indexer,
    snapshots: () => snapshots,
    crash: async () => {
      await indexer.terminate();
      await journal.close();
    },
  };
}
