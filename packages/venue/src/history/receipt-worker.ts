import { existsSync, renameSync, statSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { assert, present } from '@oddlot/units';
import { systemTime } from '../clock.ts';
import { ReceiptAppender } from './receipt-appender.ts';
import { isDatabaseDamaged, isDatabaseFull, ReceiptDatabase } from './receipt-database.ts';
import type { PackedBlock, ReceiptReply, ReceiptRequest } from './receipt-messages.ts';

/**
 * The thread that owns the receipt database. It answers in the order in which it is asked. An error
 * is not caught here: it ends the thread, and the store on the main thread reports it. Two are no
 * faults of ours. A disk without room is waited for (R-disk): look-ups go on meanwhile, and what waits
 * is in the log. A damaged file is set aside, and what was in it is computed again from the log.
 */

/** Blocks deleted at a time, so that queries get their turn between. */
const PRUNE_BLOCKS = 1_000;
/** How often a database that found no room is tried again. */
const RETRY_MS = 1_000;
/** Blocks looked through at a time, and the rest between: queries come first. */
const SCRUB_BLOCKS = 100;
const SCRUB_EVERY_MS = 20;
/** Up to here the pages are checked as a whole before anything else; it takes a second or less. */
const CHECKED_BYTES_MAX = 256 * 1024 * 1024;

const port = present(parentPort ?? undefined, 'the receipt worker runs in a thread');
const { file } = workerData as { readonly file: string };
let database = openDatabase();

const appender = new ReceiptAppender({
  write: (blocks) => mended(() => database.append(blocks)),
  onStored: (rows) => reply({ type: 'projected', height: database.projectedHeight, rows }),
  retryMs: RETRY_MS,
});

port.on('message', (request: ReceiptRequest) => mended(() => handle(request)));
const { missing, projectedHeight } = database;
reply({ type: 'opened', projectedHeight, missing, isEmpty: projectedHeight === 0 });
let scrubbing: NodeJS.Timeout | undefined;
scrubFrom(0);

/** Opens the file, or a new one when it is damaged. */
function openDatabase(): ReceiptDatabase {
  let opened: ReceiptDatabase | undefined;
  try {
    opened = new ReceiptDatabase(file);
    if (statSync(file).size <= CHECKED_BYTES_MAX) opened.checkPages();
    return opened;
  } catch (error) {
    if (!isDatabaseDamaged(error)) throw error;
    opened?.close();
    const movedTo = setAside();
    const why = (error as Error).message;
    reply({ type: 'damaged', why, movedTo, missing: undefined });
    return new ReceiptDatabase(file);
  }
}

/** Does something, and once more with a new database when this one proves to be damaged. */
function mended(run: () => void): void {
  try {
    run();
  } catch (error) {
    if (!isDatabaseDamaged(error)) throw error;
    const { projectedHeight: height } = database;
    database.close();
    const movedTo = setAside();
    database = new ReceiptDatabase(file);
    database.startAt(height);
    const why = (error as Error).message;
    reply({ type: 'damaged', why, movedTo, missing: database.missing });
    run();
  }
}

/** Out of the way, but not away: whoever runs the venue may want to know what the disk did. */
function setAside(): string {
  const movedTo = `${file}.damaged-${systemTime.wallMs()}`;
  for (const suffix of ['', '-wal', '-shm']) {
    if (existsSync(file + suffix)) renameSync(file + suffix, movedTo + suffix);
  }
  return movedTo;
}

/** Looks through everything once, in small portions. */
function scrubFrom(height: number): void {
  scrubbing = setTimeout(() => {
    mended(() => {
      const reached = database.scrub(height, SCRUB_BLOCKS);
      if (reached !== undefined) scrubFrom(reached);
    });
  }, SCRUB_EVERY_MS);
}

function handle(request: ReceiptRequest): void {
  switch (request.type) {
    case 'append':
      return appender.append(request.blocks);
    case 'startAt':
      return database.startAt(request.height);
    case 'fill':
      return fill(request.id, request.blocks);
    case 'query':
      return reply({ type: 'answer', id: request.id, row: database.find(request.query) });
    case 'prune':
      return prune(request.id, request.olderThanMs, 0);
    case 'close':
      clearTimeout(scrubbing);
      database.close();
      reply({ type: 'closed', id: request.id });
      return port.close();
  }
}

/** Without room the answer waits, and so does whoever computes more of them. */
function fill(id: number, blocks: readonly PackedBlock[]): void {
  try {
    database.fill(blocks);
  } catch (error) {
    if (!isDatabaseFull(error)) throw error;
    setTimeout(() => mended(() => fill(id, blocks)), RETRY_MS).unref();
    return;
  }
  reply({ type: 'filled', id, missing: database.missing });
}

function prune(id: number, olderThanMs: number, before: number): void {
  const deleted = deleteSome(olderThanMs);
  const rows = before + deleted;
  assert(deleted <= PRUNE_BLOCKS, 'a step of pruning is bounded');
  if (deleted < PRUNE_BLOCKS) return reply({ type: 'pruned', id, rows });
  setImmediate(() => mended(() => prune(id, olderThanMs, rows)));
  return undefined;
}

/** Without room to note what goes, old receipts stay until the next time. */
function deleteSome(olderThanMs: number): number {
  try {
    return database.deleteOlderThan(olderThanMs, PRUNE_BLOCKS);
  } catch (error) {
    if (!isDatabaseFull(error)) throw error;
    return 0;
  }
}

function reply(message: ReceiptReply): void {
  port.postMessage(message);
}
