import { parentPort, workerData } from 'node:worker_threads';
import { present } from '@oddlot/units';
import { createReadingReplica } from '../replica/reading-replica.ts';
import { instrumentLookup } from '../translate/action-to-command.ts';
import type { MissingReceipts, PackedBlock } from './receipt-messages.ts';
import { packed } from './receipt-store.ts';
import { Receipts } from './receipts.ts';

/**
 * The thread that computes receipts again: the log from its first block on, each era by its own engine,
 * with nothing beside the engine but the receipts. What was said once is so said again, byte for byte.
 */

/** What the main thread gives; the counter says how many messages it has stored. */
export type RebuildData = {
  readonly data: string;
  readonly missing: MissingReceipts;
  readonly stored: Int32Array;
};

const BLOCKS_PER_MESSAGE = 500;
/** Messages that may wait for the database. */
const MESSAGES_MAX = 8;

const port = present(parentPort ?? undefined, 'receipts are computed again in a thread');
const { data, missing, stored } = workerData as RebuildData;
let batch: PackedBlock[] = [];
let sent = 0;

const replica = await createReadingReplica({ data, untilHeight: missing.until });
const never = (): Promise<undefined> => Promise.resolve(undefined);
replica.attach(
  new Receipts({
    instruments: instrumentLookup(() => replica.state),
    archive: {
      projectedHeight: missing.done,
      isEmpty: true,
      flushed: never,
      byTxHash: never,
      byTraceId: never,
      bySigner: never,
      append(block) {
        batch.push(packed(block));
        if (batch.length === BLOCKS_PER_MESSAGE) send();
      },
    },
  }),
);
await replica.catchUp();
send();

function send(): void {
  // Replay does not pause by itself; this thread has nothing else to do than to wait.
  for (let done = stored[0] ?? 0; sent - done >= MESSAGES_MAX; done = stored[0] ?? 0) {
    Atomics.wait(stored, 0, done);
  }
  port.postMessage(batch);
  sent += 1;
  batch = [];
}
