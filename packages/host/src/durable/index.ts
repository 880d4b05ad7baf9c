/** Functions for files that survive a power loss. */
export { chainedCheck, type LineForm, type ReadLine } from './record-lines.ts';
export {
  isDiskFull,
  JournalFullError,
  makeFolder,
  makeOwnFile,
  OWNER_ONLY_MODE,
  OWN_UMASK,
  syncDirectory,
  writeFully,
} from './own-files.ts';
export { RecordFile, type RecordLines, type RecordStore, recordStoreAt } from './record-file.ts';
export {
  createWholeFile,
  moveFile,
  readTextFile,
  secretFile,
  SecretFileError,
  writeWholeFile,
  writeWholeFileBy,
} from './whole-file.ts';
