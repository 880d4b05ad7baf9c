import type { MessagePort } from 'node:worker_threads';
import type { Network } from '@oddlot/protocol';
import type { RecoverBackend } from './recover-backend.ts';
import { CommandReader, type RecoverBatch } from './recover-messages.ts';
import { createRecoverer } from './recoverer.ts';

export type RecoverWorkerData = {
  readonly recoverNetwork: Network;
  readonly backend?: RecoverBackend;
};

/** The first message sent by a recovery thread. */
export type RecoverReady = { readonly backend: RecoverBackend; readonly recoverUs: number };

/** Runs a recoverer that replies to the batches received on a port. */
export async function runRecoverer(started: RecoverWorkerData, port: MessagePort): Promise<void> {
  const recoverer = await createRecoverer(started.recoverNetwork, started.backend);
  const reader = new CommandReader(recoverer);
  port.on('message', (batch: RecoverBatch) => {
    const replies = reader.answer(batch);
    port.postMessage(replies, [replies.encoded.buffer]);
  });
  const { backend, recoverUs } = recoverer;
  const ready: RecoverReady = { backend, recoverUs };
  port.postMessage(ready);
}
