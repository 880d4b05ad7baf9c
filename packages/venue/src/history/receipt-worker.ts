import { parentPort, workerData } from 'node:worker_threads';
import { assert, present } from '@oddlot/units';
import { ReceiptDatabase } from './receipt-database.ts';
import type { ReceiptReply, ReceiptRequest } from './receipt-messages.ts';

/**
 * The thread that owns the receipt database. It answers in the order in which it is asked. An error
 * is not caught here: it ends the thread, and the store on the main thread reports it.
 */

/** Blocks deleted at a time, so that queries get their turn between. */
const PRUNE_BLOCKS = 1_000;

const port = present(parentPort ?? undefined, 'the receipt worker runs in a thread');
const { file } = workerData as { readonly file: string };
const database = new ReceiptDatabase(file);

port.on('message', handle);
reply({ type: 'opened', projectedHeight: database.projectedHeight });

function handle(request: ReceiptRequest): void {
  switch (request.type) {
    case 'append': {
      database.append(request.blocks);
      const rows = request.blocks.reduce((sum, block) => sum + block.count, 0);
      return reply({ type: 'projected', height: database.projectedHeight, rows });
    }
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
  const deleted = database.deleteOlderThan(olderThanMs, PRUNE_BLOCKS);
  const rows = before + deleted;
  assert(deleted <= PRUNE_BLOCKS, 'a step of pruning is bounded');
  if (deleted < PRUNE_BLOCKS) return reply({ type: 'pruned', id, rows });
  setImmediate(() => prune(id, olderThanMs, rows));
  return undefined;
}

function reply(message: ReceiptReply): void {
  port.postMessage(message);
}
