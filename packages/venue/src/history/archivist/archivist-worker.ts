import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { present } from '@oddlot/units';
import { openHistoryStore, setHistoryAside } from '../store/history-store.ts';
import type { ArchivistOrder, ArchivistReport, ArchivistSettings } from './archivist-messages.ts';
import { Recorder } from './recorder.ts';
import { RowBuffer } from './row-buffer.ts';

/**
 * A thread of the archivist. It opens the store and says how far that is; the main thread then says where
 * the log ends, and from there on it follows by itself. An error that is not caught ends the thread, and
 * the main thread reports it.
 */

const port = present(parentPort ?? undefined, 'the archivist runs in a thread');
const settings = workerData as ArchivistSettings;
const { data, database } = settings;
const where = database === undefined ? { file: join(data, 'history.sqlite') } : { url: database };

type Start = Extract<ArchivistOrder, { type: 'start' }>;

const started = Promise.withResolvers<Start>();
const waiting: ArchivistOrder[] = [];
let take = (order: ArchivistOrder): void => void waiting.push(order);
port.on('message', (order: ArchivistOrder) => {
  if (order.type === 'start') started.resolve(order);
  else take(order);
});

const store = await openHistoryStore({
  ...where,
  onDamaged: (damage) => tell({ type: 'damaged', ...damage, isMended: true }),
});
// Of a stored block the time is known; a new store is of no time.
const last = await store.ask('block', { height: store.height });
const rows = new RowBuffer(store, last?.timeMs ?? 0);
tell({ type: 'opened', height: store.height });

const start = await started.promise;
const recorder = new Recorder({
  settings,
  rows,
  tell,
  onDamaged: async (error) => {
    await store.close();
    const movedTo = await setHistoryAside(where);
    tell({ type: 'damaged', why: error.message, movedTo, isMended: false });
  },
});
const running = recorder.run(start.head);
take = (order) => recorder.take(order);
for (const order of waiting.splice(0)) recorder.take(order);
await running;
tell({ type: 'stopped' });
port.close();

function tell(report: ArchivistReport): void {
  port.postMessage(report);
}
