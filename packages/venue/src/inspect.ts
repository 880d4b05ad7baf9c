/** The door for whoever looks through the files of a venue that does not run. Nothing behind it changes them. */
export { dumpHistory } from './history/store/dump-history.ts';
export { decodeProgress } from './history/store/progress.ts';
export { sqliteFault, sqliteShape } from './history/store/sqlite-shape.ts';
export { readChecked } from './log/checked-file.ts';
export { type BlockPlace, inspectJournal } from './log/inspect-journal.ts';
export { JournalDamagedError } from './log/journal-error.ts';
export { readJournal } from './log/read-journal.ts';
export { readServiceNames } from './log/service-names.ts';
export { replayInto } from './rebuild-history.ts';
export { openingOf } from './replica/bases.ts';
export { ContentHasher, decodeSnapshot, encodeSnapshot } from './replica/snapshot-codec.ts';
export type { SnapshotPayload } from './replica/snapshot-payload.ts';
