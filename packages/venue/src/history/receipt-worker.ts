import { parentPort, workerData } from 'node:worker_threads';
import { assert, present } from '@oddlot/units';
import { ReceiptAppender } from './receipt-appender.ts';
import { isDatabaseFull, ReceiptDatabase } from './receipt-database.ts';
import type { ReceiptReply, ReceiptRequest } from './receipt-messages.ts';

/**
 * The thread that owns the receipt database. It answers in the order in which it is asked. An error
 * is not caught here: it ends the thread, and the store on the main thread reports it. Only a disk
 * without room is waited for (R-disk): look-ups go on meanwhile, and what waits is in the log.
 */

/** Blocks deleted at a time, so that queries get their turn between. */
const PRUNE_BLOCKS = 1_000;
/** How often a database that found no room is tried again. */
const RETRY_MS = 1_000;

const port = present(parentPort ?? undefined, 'the receipt worker runs in a thread');
const { file } = workerData as { readonly file: string };
const database = new ReceiptDatabase(file);

const appender = new ReceiptAppender({
  write: (blocks) => database.append(blocks),
  onStored: (rows) => reply({ type: 'projected', height: database.projectedHeight, rows }),
  retryMs: RETRY_MS,
});

port.on('message', handle);
reply({ type: 'opened', projectedHeight: database.projectedHeight });

function handle(request: ReceiptRequest): void {
  switch (request.type) {
    case 'append':
      return appender.append(request.blocks);
    case 'query':
      return reply({ type: 'answer', id: request.id, row: database.find(request.query) });
    case 'prune':
      return prune(request.id, request.olderThanMs, 0);
    case 'close':
      database.close();
      reply({ type: 'closed', id: request.id });
      return port.close();
  }
}

function prune(id: number, olderThanMs: number, before: number): void {
  const deleted = deleteSome(olderThanMs);
  const rows = before + deleted;
  assert(deleted <= PRUNE_BLOCKS, 'a step of pruning is bounded');
  if (deleted < PRUNE_BLOCKS) return reply({ type: 'pruned', id, rows });
  setImmediate(() => prune(id, olderThanMs, rows));
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
