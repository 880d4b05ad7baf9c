/** The door for whoever looks through the files of a venue that does not run. Nothing behind it changes them. */
export { dumpHistory } from './history/store/dump-history.ts';
export { decodeProgress } from './history/store/history-store.ts';
export { sqliteFault, sqliteShape } from './history/store/sqlite-driver.ts';
export { readChecked } from './log/checked-stores.ts';
export { type BlockPlace, inspectJournal } from './log/inspect-journal.ts';
export { JournalDamagedError } from './log/log.ts';
export { readJournal } from './log/journal-reader.ts';
export { readServiceNames } from './log/data-folder.ts';
export { replayInto } from './rebuild-history.ts';
export { openingOf } from './replica/bases.ts';
export {
  ContentHasher,
  decodeSnapshot,
  encodeSnapshot,
  type SnapshotPayload,
} from './replica/snapshot-codec.ts';
