import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import type { Thread } from '@oddlot/host/thread';
import type { BlockHead } from '@oddlot/replica/block';
import { HistoryUnusableError } from '../history.ts';
import type {
  IndexerOrder,
  IndexerReport,
  IndexerRequest,
  IndexerRequests,
  IndexerSettings,
  RequestName,
} from './indexer-messages.ts';
import type { Hash } from '@oddlot/units';

type ThreadEvents = {
  readonly onReport: (report: IndexerReport) => void;
  /** Called if the thread ends without having been stopped. */
  readonly onLost: (error: Error) => void;
};

export type StartIndexer = (settings: IndexerSettings) => Thread;

/**
 * The space for young objects of a history thread, in MiB. Rows wait there until they are written, so a
 * smaller space would copy most of them. A larger space saves little more.
 */
const YOUNG_SPACE_MB = 16;
const YOUNG_SPACE_OPTION = '--max-semi-space-size=';

export function startOnThread(settings: IndexerSettings): Thread {
  const file = new URL('./indexer-worker.ts', import.meta.url);
  const option = process.execArgv.find((each) => each.startsWith(YOUNG_SPACE_OPTION));
  const start = () => new Worker(file, { workerData: settings, name: 'history-indexer' });
  if (option === undefined) return start();
  // The option of the program limits the collections of the main thread. It also overrides the
  // limits of a worker, so it is changed until the worker has its heap.
  setFlagsFromString(`${YOUNG_SPACE_OPTION}${YOUNG_SPACE_MB}`);
  const worker = start();
  const restore = (): void => setFlagsFromString(option);
  worker.once('online', restore);
  worker.once('exit', restore);
  return worker;
}

export class IndexerThread {
  readonly #worker: Thread;
  readonly #opened = Promise.withResolvers<{ readonly height: number }>();
  readonly #requests = new Map<number, PromiseWithResolvers<never>>();
  readonly #ended = Promise.withResolvers<void>();
  readonly #events: ThreadEvents;
  #isStopped = false;
  #isLost = false;
  #lastId = 0;
  /** Why requests can no longer be served. */
  #failure: unknown;
  height = 0;

  constructor(
    settings: IndexerSettings,
    events: ThreadEvents,
    start: StartIndexer = startOnThread,
  ) {
    this.#events = events;
    this.#worker = start(settings);
    this.#worker.on('message', (report: IndexerReport) => this.#receive(report));
    this.#worker.on('error', (error) => this.#lose(error as Error));
    this.#worker.on('exit', (code) => {
      this.#ended.resolve();
      if (!this.#isStopped) this.#lose(new Error(`the history indexer exited with code ${code}`));
    });
    // Prevents an unhandled rejection; `onLost` reports the error if no caller is waiting.
    this.#opened.promise.catch(() => undefined);
  }

  get opened(): Promise<{ readonly height: number }> {
    return this.#opened.promise;
  }

  request<Name extends RequestName>(
    type: Name,
    ask: IndexerRequests[Name]['ask'],
  ): Promise<IndexerRequests[Name]['answer']> {
    const answered = Promise.withResolvers<never>();
    answered.promise.catch(() => undefined);
    if (this.#failure !== undefined) answered.reject(this.#failure);
    else {
      this.#lastId += 1;
      this.#requests.set(this.#lastId, answered);
      this.order({ type, id: this.#lastId, ...ask } as IndexerRequest);
    }
    return answered.promise;
  }

  order(order: IndexerOrder): void {
    if (!this.#isStopped) this.#worker.postMessage(order);
  }

  async stop(head: BlockHead, catchesUp: boolean): Promise<void> {
    this.order({ type: 'stop', head, catchesUp });
    this.#isStopped = true;
    await this.#ended.promise;
  }

  async terminate(): Promise<void> {
    this.#isStopped = true;
    await this.#worker.terminate();
  }

  abandon(error: unknown): void {
    this.#failure = error;
    for (const { reject } of this.#requests.values()) reject(error);
    this.#requests.clear();
  }

  #receive(report: IndexerReport): void {
    if (report.type === 'opened') this.#opened.resolve(report);
    else if (report.type === 'reply') {
      this.#requests.get(report.id)?.resolve(report.answer as never);
      this.#requests.delete(report.id);
    } else if (report.type === 'progress') this.height = report.height;
    else if (report.type === 'stopped') this.#isStopped = true;
    else if (report.type === 'unusable') this.#lose(new HistoryUnusableError(report.why));
    this.#events.onReport(report);
  }

  #lose(error: Error): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#opened.reject(error);
    this.abandon(error);
    this.#events.onLost(error);
  }
}

export type IndexerOptions = {
  readonly settings: Omit<IndexerSettings, 'role'>;
  readonly hasSpace: () => boolean;
  readonly startIndexer?: StartIndexer | undefined;
  /** How long a query waits for its block at most; by default, five seconds. */
  readonly blockWaitMs?: number;
  /** How long a query waits for a response at most; by default, eight seconds. */
  readonly answerMsMax?: number;
  readonly onFatal: (error: unknown) => void;
  readonly onStored?: (height: number) => void;
  /** Called after a snapshot has been written. The log must be kept from `neededFrom`. */
  readonly onSnapshot?: (snapshot: {
    readonly height: number;
    readonly content: Hash;
    readonly seconds: number;
    readonly neededFrom: number;
  }) => void;
  readonly onSnapshotFailed?: (error: unknown) => void;
  readonly onDamaged?: (damage: {
    readonly why: string;
    readonly movedTo: string | undefined;
  }) => void;
  /** Called before missing rows are computed from the log. */
  readonly onRebuild?: (rebuild: { readonly from: number; readonly until: number }) => void;
  readonly onRebuilt?: (height: number) => void;
  readonly onRebuildFailed?: (error: unknown) => void;
  readonly onPassedOver?: (what: string, why: string) => void;
  /** Called if the database server is unreachable or full; writes are retried. */
  readonly onAway?: (why: string) => void;
  readonly onBack?: (height: number) => void;
};

/**
 * The phases of the history, from the start of the venue to its stop.
 *
 * opened ──▶ verified ──▶ following ◀──────────────┐ │ │ damaged │ rebuilt: the thread that made
 * the rows takes over │ ▼ │ ├──────▶ rebuilding ──────────────┤ │ │ a thread failed │ │ ▼ │ │ lost
 * │ └──────▶ completing ──────────────┘ (few blocks: no other thread is needed)
 *
 * The history can be stopped in any phase, and a thread can fail in any phase after the start.
 */
export type IndexerPhase =
  | 'opened'
  | 'verified'
  | 'following'
  | 'completing'
  | 'rebuilding'
  | 'lost'
  | 'ended';

export type IndexerChange =
  /** The store belongs to the replayed log, or is new. */
  | 'verified'
  /** The indexer continues from where the store ends. */
  | 'follows'
  /**
   * A few rows are missing for blocks that clients have already seen; this thread computes them.
   */
  | 'lacks a few'
  /** So many rows are missing that another thread computes all of them. */
  | 'lacks many'
  /** The stored rows were damaged or were changed by another program. */
  | 'damaged'
  /** All missing rows are stored. */
  | 'rebuilt'
  /** A thread failed and is not replaced, so there is no history until the next startup. */
  | 'lost'
  | 'ends';

const ENDS = { ends: 'ended' } as const;
const FAILS = { lost: 'lost', ...ENDS } as const;

const CHANGES: {
  readonly [Phase in IndexerPhase]: { readonly [Change in IndexerChange]?: IndexerPhase };
} = {
  opened: { verified: 'verified', ...FAILS },
  verified: {
    follows: 'following',
    'lacks a few': 'completing',
    'lacks many': 'rebuilding',
    damaged: 'rebuilding',
    ...FAILS,
  },
  following: { damaged: 'rebuilding', ...FAILS },
  completing: { rebuilt: 'following', damaged: 'rebuilding', ...FAILS },
  rebuilding: { rebuilt: 'following', damaged: 'rebuilding', ...FAILS },
  lost: ENDS,
  ended: {},
};

/** Returns the phase after a change, or undefined if the change is impossible in this phase. */
export function phaseAfter(phase: IndexerPhase, change: IndexerChange): IndexerPhase | undefined {
  return CHANGES[phase][change];
}
