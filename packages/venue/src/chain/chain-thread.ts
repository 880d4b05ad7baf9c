import { Worker } from 'node:worker_threads';
import { ChainDamagedError } from './chain-file.ts';
import type { LocalChainOptions } from './local-chain.ts';

/**
 * A local chain in a thread of its own, reached by its port alone, as a chain elsewhere would be. A program
 * that runs for long there holds up nobody who trades.
 */

export type ChainThreadOptions = Omit<LocalChainOptions, 'nowMs'> & {
  readonly listen: { readonly port: number; readonly host?: string };
};

export type ChainThread = {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
};

/** Resolves when the port is open; rejects when the chain cannot be opened. */
export async function startChainThread(
  options: ChainThreadOptions,
  /** Told when it ends although nobody told it to. */
  onLost: (error: Error) => void,
): Promise<ChainThread> {
  const worker = new Worker(new URL('./chain-worker.ts', import.meta.url), { workerData: options });
  const opened = Promise.withResolvers<{ readonly url: string; readonly port: number }>();
  const ended = Promise.withResolvers<void>();
  let [isOpen, isStopped] = [false, false];
  const lose = (error: Error): void => {
    if (isStopped) return;
    isStopped = true;
    if (isOpen) onLost(error);
    else opened.reject(explained(error));
  };
  worker.once('message', (where: { readonly url: string; readonly port: number }) => {
    isOpen = true;
    opened.resolve(where);
  });
  worker.once('error', (error) => lose(error as Error));
  worker.once('exit', (code) => {
    ended.resolve();
    lose(new Error(`the local chain ended with code ${code}`));
  });
  const where = await opened.promise;
  const close = async (): Promise<void> => {
    isStopped = true;
    worker.postMessage('close');
    await ended.promise;
  };
  return { ...where, close };
}

/** Between threads an error keeps its words and loses its kind. */
function explained(error: Error): Error {
  const isDamage = error.stack?.startsWith('ChainDamagedError') === true;
  return isDamage ? new ChainDamagedError(error.message) : error;
}
