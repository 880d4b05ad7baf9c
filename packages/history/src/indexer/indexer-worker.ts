import { parentPort, workerData } from 'node:worker_threads';
import { lowerThreadPriority } from '@oddlot/host/operate';
import { present } from '@oddlot/units';
import type { IndexerSettings } from './indexer-messages.ts';
import { runIndexer } from './run-indexer.ts';

const port = present(parentPort ?? undefined, 'the history indexer must run in a worker thread');
// Orders and their responses have priority. A guard restricts new orders if the history falls too
// far behind.
lowerThreadPriority();
await runIndexer(workerData as IndexerSettings, port);
