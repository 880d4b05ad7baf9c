import { parentPort, workerData } from 'node:worker_threads';
import { runRecoverer, type RecoverWorkerData } from './run-recoverer.ts';

/**
 * Entry point of a recover thread. Recovering a public key costs more than the rest of a request. The
 * same thread parses the request and encodes its command, which relieves the main thread.
 */

const started = workerData as RecoverWorkerData | null;
if (parentPort !== null && started?.recoverNetwork !== undefined) {
  await runRecoverer(started, parentPort);
}
