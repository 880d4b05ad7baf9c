/** Files that survive a power loss. */
export type { LineForm, ReadLine } from './line-form.ts';
export { makeOwnFile, OWN_FILE } from './own-files.ts';
export { isNoRoom, JournalFullError } from './no-room.ts';
export { RecordFile } from './record-file.ts';
export { chainedCheck } from './record-lines.ts';
export type { RecordLines, RecordStore } from './record-store.ts';
export { recordStoreAt } from './record-store-at.ts';
export { secretFile, SecretFileError } from './secret-file.ts';
export { makeFolder, OWN_UMASK, syncDirectory, writeFully } from './sync-folder.ts';
export {
  createWholeFile,
  moveFile,
  readTextFile,
  writeWholeFile,
  writeWholeFileBy,
} from './whole-file.ts';
