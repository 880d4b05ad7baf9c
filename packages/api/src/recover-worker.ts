import { parentPort, workerData } from 'node:worker_threads';
import { runRecoverer, type RecoverWorkerData } from './run-recoverer.ts';

/**
 * The entry point of a recovery thread. Recovering a public key costs more than all other work on a
 * request, so it runs outside the main thread, and so do parsing and encoding.
 */

const started = workerData as RecoverWorkerData | null;
if (parentPort !== null && started?.recoverNetwork !== undefined) {
  await runRecoverer(started, parentPort);
}
