import { parentPort, workerData } from 'node:worker_threads';
import { present } from '@oddlot/units';
import type { ArchivistSettings } from './archivist-messages.ts';
import { runArchivist } from './run-archivist.ts';

const port = present(parentPort ?? undefined, 'the history indexer must run in a worker thread');
await runArchivist(workerData as ArchivistSettings, port);
