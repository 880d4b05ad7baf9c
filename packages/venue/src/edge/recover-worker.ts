import { parentPort, workerData } from 'node:worker_threads';
import type { Network } from '@oddlot/protocol';
import type { RecoverBackend } from './recover-backend.ts';
import { answerBatch, type RecoverBatch } from './recover-messages.ts';
import { createRecoverer } from './recoverer.ts';

/**
 * The program of the recover threads. Recovering a public key costs more than everything else about a
 * request, so it has threads of its own; and whoever recovers also reads the request, so that the
 * main thread need not.
 */

/** What a worker is started with. */
export type RecoverWorkerData = {
  readonly recoverNetwork: Network;
  readonly backend?: RecoverBackend;
};

/** What it says when it can work. */
export type RecoverReady = { readonly backend: RecoverBackend; readonly recoverUs: number };

const started = workerData as RecoverWorkerData | null;
if (parentPort !== null && started?.recoverNetwork !== undefined) {
  const port = parentPort;
  const recoverer = await createRecoverer(started.recoverNetwork, started.backend);
  port.on('message', (batch: RecoverBatch) => port.postMessage(answerBatch(recoverer, batch)));
  const { backend, recoverUs } = recoverer;
  const ready: RecoverReady = { backend, recoverUs };
  port.postMessage(ready);
}
