/** Files that survive a power loss. */
export { isNoRoom, JournalFullError } from './no-room.ts';
export { RecordFile } from './record-file.ts';
export { secretFile } from './secret-file.ts';
export { makeFolder, OWN_UMASK, syncDirectory, syncFolder, writeFully } from './sync-folder.ts';
export { createWholeFile, moveFile, writeWholeFile, writeWholeFileBy } from './whole-file.ts';
