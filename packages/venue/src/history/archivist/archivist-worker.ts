import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { present } from '@oddlot/units';
import { openHistoryStore, setHistoryAside } from '../store/history-store.ts';
import { type HistoryDamagedError, HistoryForeignError } from '../store/store-errors.ts';
import type { ArchivistOrder, ArchivistReport, ArchivistSettings } from './archivist-messages.ts';
import { Recorder } from './recorder.ts';
import { RowBuffer } from './row-buffer.ts';

/**
 * A thread of the archivist. It opens the store and says how far that is; the main thread then says what
 * the log holds and where it ends, and from there on it follows by itself. An error that is not caught
 * ends the thread, and the main thread reports it.
 */

const port = present(parentPort ?? undefined, 'the archivist runs in a thread');
const settings = workerData as ArchivistSettings;
const { data, database } = settings;
const where = database === undefined ? { file: join(data, 'history.sqlite') } : { url: database };

type Start = Extract<ArchivistOrder, { type: 'start' }>;
type Verify = Extract<ArchivistOrder, { type: 'verify' }>;

const verified = Promise.withResolvers<Verify | undefined>();
const started = Promise.withResolvers<Start>();
const waiting: ArchivistOrder[] = [];
let take = (order: ArchivistOrder): void => void waiting.push(order);
port.on('message', (order: ArchivistOrder) => {
  if (order.type === 'verify') verified.resolve(order);
  else if (order.type === 'start') {
    verified.resolve(undefined);
    started.resolve(order);
  } else take(order);
});

let isOpen = false;
try {
  await record();
} catch (error) {
  const isOfServer = database !== undefined && error instanceof Error;
  // The rest is a fault of the program, which is told with its stack.
  if (!isOfServer || (isOpen && !(error instanceof HistoryForeignError))) throw error;
  const isForeign = error instanceof HistoryForeignError;
  const more = isForeign ? '; it is the history of another venue, and stays as it is' : '';
  tell({ type: 'unusable', why: error.message + more });
}
port.close();

async function record(): Promise<void> {
  const opened = await openRows();
  isOpen = true;
  tell({ type: 'opened', height: opened.store.height });
  const rows = await verify(opened, await verified.promise);
  const start = await started.promise;
  const onDamaged = async (error: HistoryDamagedError): Promise<void> => {
    const movedTo = await leave(rows, error);
    tell({ type: 'damaged', why: error.message, movedTo, isMended: false });
  };
  const recorder = new Recorder({ settings, rows, tell, onDamaged });
  const running = recorder.run(start.head);
  take = (order) => recorder.take(order);
  for (const order of waiting.splice(0)) recorder.take(order);
  await running;
  tell({ type: 'stopped' });
}

async function openRows(): Promise<RowBuffer> {
  const store = await openHistoryStore({
    ...where,
    onDamaged: (damage) => tell({ type: 'damaged', ...damage, isMended: true }),
  });
  return RowBuffer.on(store);
}

/** The store, or a new one in the place of one that is of another log. */
async function verify(rows: RowBuffer, asked: Verify | undefined): Promise<RowBuffer> {
  if (asked === undefined) return rows;
  const { firstSeq, head } = asked;
  if (head !== undefined) await rows.compare(head);
  rows.expectAdjacent(firstSeq);
  const { foreign } = rows;
  let own = rows;
  if (foreign !== undefined) {
    const movedTo = await leave(rows, foreign);
    tell({ type: 'damaged', why: foreign.message, movedTo, isMended: true });
    own = await openRows();
  }
  tell({ type: 'verified', height: own.store.height });
  return own;
}

/** Sets the store aside, and says where. On a server nothing that is of others is touched. */
async function leave({ store }: RowBuffer, error: HistoryDamagedError): Promise<string> {
  await store.close();
  if (database !== undefined && error instanceof HistoryForeignError) throw error;
  return setHistoryAside(where);
}

function tell(report: ArchivistReport): void {
  port.postMessage(report);
}
