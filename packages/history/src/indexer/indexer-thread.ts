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
  /** The thread ended although it was not stopped. */
  readonly onLost: (error: Error) => void;
};

export type StartIndexer = (settings: IndexerSettings) => Thread;

/** By default, the indexer has its own thread. */
function startOnThread(settings: IndexerSettings): Thread {
  const file = new URL('./indexer-worker.ts', import.meta.url);
  return new Worker(file, { workerData: settings, name: 'history-indexer' });
}

/** One thread of the indexer, from its start to its end. */
export class IndexerThread {
  readonly #worker: Thread;
  readonly #opened = Promise.withResolvers<{ readonly height: number }>();
  /** Requests without an answer, by id. */
  readonly #requests = new Map<number, PromiseWithResolvers<never>>();
  readonly #ended = Promise.withResolvers<void>();
  readonly #events: ThreadEvents;
  #isStopped = false;
  #isLost = false;
  #lastId = 0;
  /** The reason why requests can no longer be answered. */
  #failure: unknown;
  /** The last block that it has applied. */
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
    // A caller that waits receives the error; otherwise `onLost` reports it.
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

  /** Resolves when it has ended. */
  async stop(head: BlockHead, catchesUp: boolean): Promise<void> {
    this.order({ type: 'stop', head, catchesUp });
    this.#isStopped = true;
    await this.#ended.promise;
  }

  /** Ends it at once. */
  async terminate(): Promise<void> {
    this.#isStopped = true;
    await this.#worker.terminate();
  }

  /** Rejects all requests, also later ones. */
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

/** Options of the indexer, and listeners for its events. */
export type IndexerOptions = {
  readonly settings: Omit<IndexerSettings, 'role'>;
  readonly hasRoom: () => boolean;
  /** Default: its own thread. */
  readonly startIndexer?: StartIndexer | undefined;
  /** How long a query may wait for an answer. Default: eight seconds. */
  readonly answerMsMax?: number;
  /** A fault after which the process must end. */
  readonly onFatal: (error: unknown) => void;
  /** Called whenever the stored height has changed. */
  readonly onStored?: (height: number) => void;
  /** A snapshot was written; the log starting with `neededFrom` is still needed. */
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
  /** Rows are missing, and are computed from the log. */
  readonly onRebuild?: (rebuild: { readonly from: number; readonly until: number }) => void;
  readonly onRebuilt?: (height: number) => void;
  /** The rows cannot be computed until the next start. */
  readonly onRebuildFailed?: (error: unknown) => void;
  readonly onPassedOver?: (what: string, why: string) => void;
  /** The database server is unreachable or full; writes are retried. */
  readonly onAway?: (why: string) => void;
  readonly onBack?: (height: number) => void;
};

/**
 * The phases of the history.
 *
 *     opened ──▶ verified ──▶ following ◀──────────────┐
 *                    │            │ damaged            │ rebuilt: the thread that made the rows takes over
 *                    │            ▼                    │
 *                    ├──────▶ rebuilding ──────────────┤
 *                    │            │ a thread failed    │
 *                    │            ▼                    │
 *                    │          lost                   │
 *                    └──────▶ completing ──────────────┘  (few blocks: no other thread is needed)
 *
 * It can be stopped in any phase, and a thread can fail in any phase after the start.
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
  /** Rows continue where the store ends. */
  | 'follows'
  /** Some rows that others have seen are missing, and are computed at once. */
  | 'lacks a few'
  /** All rows are computed by another thread. */
  | 'lacks many'
  /** The content of the store was changed. */
  | 'damaged'
  /** The missing rows are stored. */
  | 'rebuilt'
  /** A thread failed without a replacement: there is no history until the next start. */
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

/** The phase after a change; undefined if the change is impossible in this phase. */
export function phaseAfter(phase: IndexerPhase, change: IndexerChange): IndexerPhase | undefined {
  return CHANGES[phase][change];
}
