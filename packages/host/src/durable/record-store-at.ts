import { RecordFile } from './record-file.ts';
import type { RecordStore } from './record-store.ts';

/** The file of that name, or the store itself. */
export function recordStoreAt(place: string | RecordStore): RecordStore {
  return typeof place === 'string' ? new RecordFile(place) : place;
}
