import { Worker } from 'node:worker_threads';
import type { Hex } from './core/chain-block.ts';
import { ChainDamagedError } from './core/chain-lines.ts';
import type { LocalChainOptions } from './local-chain.ts';
import { RpcError } from './core/rpc-error.ts';
import type { RpcListen } from './rpc/rpc-server.ts';

/**
 * A local chain on its own thread. Clients use its port, as with a remote chain. Its owner sends
 * messages, which do not queue behind other clients. A long-running program on the chain does not
 * delay trading.
 */

export type ChainThreadOptions = Omit<LocalChainOptions, 'nowMs'> & {
  readonly listen: Omit<RpcListen, 'pages'> & {
    /** The origins from which a proxy serves the venue's page. */
    readonly pageOrigins?: readonly string[];
  };
  /** A second port, for other processes of the chain's owner. */
  readonly listenForOwner?: Pick<RpcListen, 'host' | 'port'> | undefined;
};

type ChainThread = Place & {
  /**
   * Sends a request from the owner. The promise rejects with the same errors as a JSON-RPC call.
   */
  request(method: string, params: readonly unknown[]): Promise<unknown>;
  /** Allows the page served by this machine on the port to use wallets. */
  allowPage(port: number): void;
  close(): Promise<void>;
};

export type ChainMessage =
  | 'close'
  | { readonly pagePort: number }
  | { readonly id: number; readonly method: string; readonly params: readonly unknown[] };

export type ChainAnswer =
  | { readonly id: number; readonly result: unknown }
  | {
      readonly id: number;
      readonly error: {
        readonly code: number;
        readonly message: string;
        readonly data?: Hex | undefined;
      };
    };

type Place = {
  readonly url: string;
  readonly port: number;
  /** Defined if there is a port for the owner. */
  readonly ownerUrl?: string | undefined;
};

/** Resolves when the port is open, and rejects if the chain cannot be opened. */
export async function startChainThread(
  options: ChainThreadOptions,
  onLost: (error: Error) => void,
): Promise<ChainThread> {
  const worker = new Worker(new URL('./chain-worker.ts', import.meta.url), { workerData: options });
  const opened = Promise.withResolvers<Place>();
  const ended = Promise.withResolvers<void>();
  const asked = new Questions((message) => worker.postMessage(message));
  let [isOpen, isStopped] = [false, false];
  const lose = (error: Error): void => {
    asked.lose(error);
    if (isStopped) return;
    isStopped = true;
    if (isOpen) onLost(error);
    else opened.reject(error);
  };
  worker.once('message', (where: Place) => {
    isOpen = true;
    worker.on('message', (answer: ChainAnswer) => asked.answered(answer));
    opened.resolve(where);
  });
  worker.once('error', (error) => lose(error as Error));
  worker.once('exit', (code) => {
    ended.resolve();
    lose(new Error(`the local chain exited with code ${code}`));
  });
  const place = await opened.promise.catch(async (error: unknown) => {
    // This waits until the thread has released its files, because a retry opens the same files.
    await ended.promise;
    throw explained(error as Error);
  });
  return {
    ...place,
    request: (method, params) => asked.ask(method, params),
    allowPage: (pagePort) => worker.postMessage({ pagePort } satisfies ChainMessage),
    close: async () => {
      isStopped = true;
      worker.postMessage('close' satisfies ChainMessage);
      await ended.promise;
    },
  };
}

class Questions {
  readonly #send: (message: ChainMessage) => void;
  readonly #open = new Map<number, PromiseWithResolvers<unknown>>();
  #last = 0;
  #lost: Error | undefined;

  constructor(send: (message: ChainMessage) => void) {
    this.#send = send;
  }

  ask(method: string, params: readonly unknown[]): Promise<unknown> {
    const question = Promise.withResolvers<unknown>();
    if (this.#lost !== undefined) return Promise.reject(this.#lost);
    const id = ++this.#last;
    this.#open.set(id, question);
    this.#send({ id, method, params });
    return question.promise;
  }

  answered(answer: ChainAnswer): void {
    const question = this.#open.get(answer.id);
    this.#open.delete(answer.id);
    if ('result' in answer) question?.resolve(answer.result);
    else {
      const { code, data, message } = answer.error;
      question?.reject(new RpcError(code, message, data));
    }
  }

  lose(error: Error): void {
    this.#lost = error;
    for (const question of this.#open.values()) question.reject(error);
    this.#open.clear();
  }
}

/**
 * Restores the class of an error, because errors sent between threads keep their message but lose
 * their class.
 */
function explained(error: Error): Error {
  const isDamage = error.stack?.startsWith('ChainDamagedError') === true;
  return isDamage ? new ChainDamagedError(error.message) : error;
}
