import { EventEmitter } from 'node:events';
import type { Thread } from '@oddlot/host/thread';
import type { IndexerOrder, IndexerReport, IndexerSettings } from './indexer-messages.ts';
import { type StartIndexer, startOnThread } from './indexer-thread.ts';

type Options = {
  /** Starts the real indexer; by default, on its own thread. */
  readonly start?: StartIndexer | undefined;
  /** Resolves when the data folder contains the log up to the newest block. */
  readonly store: () => Promise<void>;
};

/**
 * Starts an indexer only when a query, a subscriber or a snapshot needs it. Until then, it reports
 * an empty history. Intended for venues with a new data folder, whose history would be empty
 * anyway.
 */
export function indexerOnDemand(options: Options): StartIndexer {
  return (settings) => {
    const indexer = new IndexerOnDemand(settings, options);
    return indexer.thread;
  };
}

class IndexerOnDemand {
  readonly #settings: IndexerSettings;
  readonly #options: Options;
  readonly #events = new EventEmitter();
  /** Orders to pass to the real indexer first. */
  readonly #waiting: IndexerOrder[] = [];
  #start: Extract<IndexerOrder, { type: 'start' }> | undefined;
  #beginning: Promise<void> | undefined;
  #real: Thread | undefined;
  #isEnded = false;

  constructor(settings: IndexerSettings, options: Options) {
    this.#settings = settings;
    this.#options = options;
    this.#report({ type: 'opened', height: 0 });
  }

  get thread(): Thread {
    return {
      on: this.#events.on.bind(this.#events) as unknown as Thread['on'],
      postMessage: (order: IndexerOrder) => this.#take(order),
      terminate: () => this.#terminate(),
      unref: () => this.#real?.unref(),
    };
  }

  #take(order: IndexerOrder): void {
    if (this.#real !== undefined) return this.#real.postMessage(order);
    switch (order.type) {
      case 'verify':
        return this.#report({ type: 'reply', id: order.id, answer: { height: 0 } });
      case 'start':
        this.#start = order;
        return this.#report({ type: 'reply', id: order.id, answer: { from: 0, hasRows: true } });
      case 'durable':
        if (this.#start !== undefined) this.#start = { ...this.#start, ...order, type: 'start' };
        return undefined;
      case 'stop':
        if (this.#beginning === undefined) return this.#end();
        this.#waiting.push(order);
        return undefined;
      default:
        this.#waiting.push(order);
        this.#beginning ??= this.#begin().catch((error: unknown) => {
          this.#events.emit('error', error);
        });
        return undefined;
    }
  }

  async #begin(): Promise<void> {
    await this.#options.store();
    if (this.#isEnded) return;
    // The rows of all blocks are now computed, regardless of their number. A simulation needs no
    // snapshots except those it requests.
    const { start = startOnThread } = this.#options;
    const real = start({
      ...this.#settings,
      shortBlocks: Number.MAX_SAFE_INTEGER,
      snapshotEveryBlocks: Number.MAX_SAFE_INTEGER,
      snapshotEveryCommands: Number.MAX_SAFE_INTEGER,
    });
    for (const name of ['message', 'error', 'exit']) {
      real.on(name, (value: unknown) => this.#events.emit(name, value));
    }
    real.postMessage({ type: 'verify', id: 0, firstSeq: 1, head: undefined });
    if (this.#start !== undefined) real.postMessage({ ...this.#start, id: 0 });
    for (const order of this.#waiting.splice(0)) real.postMessage(order);
    this.#real = real;
  }

  async #terminate(): Promise<number> {
    if (this.#real !== undefined) return this.#real.terminate();
    this.#end();
    return 0;
  }

  #end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    queueMicrotask(() => this.#events.emit('exit', 0));
  }

  /** Reports asynchronously, because the caller adds its listeners after starting it. */
  #report(report: IndexerReport): void {
    queueMicrotask(() => this.#events.emit('message', report));
  }
}
