import { join } from 'node:path';
import { genesisCommands } from '../packages/venue/src/genesis-commands.ts';
import { Archivist } from '../packages/venue/src/history/archivist/archivist.ts';
import { receiptArchiveOf } from '../packages/venue/src/history/open-history.ts';
import { Receipts } from '../packages/venue/src/history/receipts.ts';
import { EraStore, SnapshotStore } from '../packages/venue/src/log/checked-stores.ts';
import { FileJournal } from '../packages/venue/src/log/file-journal.ts';
import { LocalReplica } from '../packages/venue/src/replica/local-replica.ts';
import { instrumentLookup } from '../packages/venue/src/translate/action-to-command.ts';

/** A venue without doors on a folder: journal, engine, receipts and the archivist's thread. */
export type DoorlessVenue = {
  readonly replica: LocalReplica;
  readonly archivist: Archivist;
  /** How many snapshots were written. */
  readonly snapshots: () => number;
  /** Ends as by a crash: what is not written yet is only in the log. */
  readonly crash: () => Promise<void>;
};

const START_MS = 1_767_225_600_000;

export async function openDoorless(
  folder: string,
  snapshotEveryCommands: number,
): Promise<DoorlessVenue> {
  let nowMs = START_MS;
  const clock = { nowMs: () => (nowMs += 1) };
  const onFatal = (error: unknown): never => {
    throw error;
  };
  const journal = await FileJournal.open({ directory: join(folder, 'journal'), clock, onFatal });
  let snapshots = 0;
  const archivist = await Archivist.open({
    settings: {
      data: folder,
      snapshotEveryBlocks: Number.MAX_SAFE_INTEGER,
      snapshotEveryCommands,
      shortBlocks: Number.MAX_SAFE_INTEGER,
      receiptsKeptMs: Number.MAX_SAFE_INTEGER,
    },
    hasRoom: () => true,
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
    archive: receiptArchiveOf(() => archivist),
  });
  replica.attach(receipts);
  const { snapshotHeight } = await replica.start();
  await archivist.start(replica.head, { seenFrom: snapshotHeight });
  replica.onBlock((block) => archivist.follow(block));
  return {
    replica,
    archivist,
    snapshots: () => snapshots,
    crash: async () => {
      await archivist.terminate();
      await journal.close();
    },
  };
}
