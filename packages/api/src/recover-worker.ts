import { parentPort, workerData } from 'node:worker_threads';
import { runRecoverer, type RecoverWorkerData } from './run-recoverer.ts';

/**
 * A recover thread. Recovering a public key costs more than everything else about a
 * request, so it has threads of its own; and whoever recovers also reads the request, so that the
 * main thread need not.
 */

const started = workerData as RecoverWorkerData | null;
if (parentPort !== null && started?.recoverNetwork !== undefined) {
  await runRecoverer(started, parentPort);
}
