import { parentPort, workerData } from 'node:worker_threads';
import { present } from '@oddlot/units';
import type { IndexerSettings } from './indexer-messages.ts';
import { runIndexer } from './run-indexer.ts';

const port = present(parentPort ?? undefined, 'the history indexer must run in a worker thread');
await runIndexer(workerData as IndexerSettings, port);
