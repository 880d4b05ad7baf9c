import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { present } from '@oddlot/units';
import { lastBlockOfRules1 } from '../../replica/last-block-of-rules-1.ts';
import { openHistoryStore, reachHistory, setHistoryAside } from '../store/history-store.ts';
import {
  type HistoryDamagedError,
  HistoryForeignError,
  HistoryFullError,
  HistoryLaterError,
  historyError,
} from '../store/store-errors.ts';
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
const where =
  database === undefined
    ? { file: join(data, 'history.sqlite') }
    : { url: database, isShared: settings.isShared };

type Start = Extract<ArchivistOrder, { type: 'start' }>;
type Verify = Extract<ArchivistOrder, { type: 'verify' }>;

/** How long a start waits for a database server that has gone away. */
const AWAY_MS_MAX = 30_000;
const AWAY_RETRY_MS = 200;

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
  const isLater = error instanceof HistoryLaterError;
  const isOfServer = isLater || (database !== undefined && error instanceof Error);
  // The rest is a fault of the program, which is told with its stack.
  const isTold = error instanceof HistoryForeignError || error instanceof HistoryFullError;
  if (!isOfServer || (isOpen && !isTold)) throw error;
  const isForeign = error instanceof HistoryForeignError;
  const more = isForeign ? '; it is the history of another venue, and stays as it is' : '';
  tell({ type: 'unusable', why: error.message + more });
}
port.close();

async function record(): Promise<void> {
  // Who is not there at all is told at once; who has answered is waited for.
  if (settings.role === 'both') await reachHistory(where);
  const opened = await whenBack(openRows);
  isOpen = true;
  tell({ type: 'opened', height: opened.store.height });
  const rows = await verify(opened, await verified.promise);
  const start = await started.promise;
  const onDamaged = async (error: HistoryDamagedError): Promise<void> => {
    const movedTo = await leave(rows, error);
    tell({ type: 'damaged', why: error.message, movedTo, isMended: false });
  };
  const recorder = new Recorder({ settings, rows, tell, onDamaged });
  const running = recorder.run(start);
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
  try {
    return await RowBuffer.on(store);
  } catch (error) {
    // It has the lock, which the next try needs.
    await store.close();
    throw error;
  }
}

/** The store, or a new one in the place of one that is of another log. */
async function verify(rows: RowBuffer, asked: Verify | undefined): Promise<RowBuffer> {
  if (asked === undefined) return rows;
  const { firstSeq, head } = asked;
  if (head !== undefined) await whenBack(() => rows.compare(head));
  rows.expectAdjacent(firstSeq);
  const lastOfRules1 = await lastBlockOfRules1(data);
  await whenBack(() => rows.expectWhole(firstSeq, lastOfRules1));
  const { unfit } = rows;
  let own = rows;
  if (unfit !== undefined) {
    const movedTo = await leave(rows, unfit);
    tell({ type: 'damaged', why: unfit.message, movedTo, isMended: true });
    own = await whenBack(openRows);
  }
  tell({ type: 'verified', height: own.store.height });
  return own;
}

/** Sets the store aside, and says where. On a server nothing that is of others is touched. */
async function leave({ store }: RowBuffer, error: HistoryDamagedError): Promise<string> {
  await store.close();
  const isOfOthers = error instanceof HistoryForeignError || settings.isShared === true;
  if (database !== undefined && isOfOthers) throw error;
  return whenBack(() => setHistoryAside(where));
}

/**
 * Does what a start needs although the server goes away meanwhile: a start must not end by what would not
 * end a venue that runs. What is computed beside others has all the time.
 */
async function whenBack<Result>(run: () => Promise<Result>): Promise<Result> {
  const untilMs = settings.role === 'both' ? performance.now() + AWAY_MS_MAX : Infinity;
  for (;;) {
    try {
      return await run();
    } catch (raw) {
      const error = historyError(raw);
      const isOver = performance.now() >= untilMs;
      if (database === undefined || !(error instanceof HistoryFullError) || isOver) throw error;
      await sleep(AWAY_RETRY_MS);
    }
  }
}

function tell(report: ArchivistReport): void {
  port.postMessage(report);
}
