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
  /** It ended although nobody told it to. */
  readonly onLost: (error: Error) => void;
};

/** Begins to run the indexer. */
export type StartIndexer = (settings: IndexerSettings) => Thread;

/** By default on a thread of its own. */
function startOnThread(settings: IndexerSettings): Thread {
  const file = new URL('./indexer-worker.ts', import.meta.url);
  return new Worker(file, { workerData: settings, name: 'history-indexer' });
}

/** One thread of the indexer, from its making to its end. */
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

  /** Resolves when its store is open. */
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

  /** Ends it at once, before it has begun. */
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

/** What the indexer is given, and whom it tells what. */
export type IndexerOptions = {
  readonly settings: Omit<IndexerSettings, 'role'>;
  readonly hasRoom: () => boolean;
  /** What it runs on; a thread of its own by default. */
  readonly startIndexer?: StartIndexer | undefined;
  /** How long a question may go without an answer; eight seconds by default. */
  readonly answerMsMax?: number;
  /** A fault after which the process must not go on. */
  readonly onFatal: (error: unknown) => void;
  /** Told how far the store is, whenever it has moved. */
  readonly onStored?: (height: number) => void;
  /** A snapshot was written; the log behind this height is needed still, 0 when all of it is. */
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
  /** Rows are missing, and are computed from the log beside everything else. */
  readonly onRebuild?: (rebuild: { readonly from: number; readonly until: number }) => void;
  readonly onRebuilt?: (height: number) => void;
  /** They can't be: the history stays where it is until the next start. */
  readonly onRebuildFailed?: (error: unknown) => void;
  readonly onPassedOver?: (what: string, why: string) => void;
  /** The server of the database can't be reached or has no room; it is tried again until it has. */
  readonly onAway?: (why: string) => void;
  readonly onBack?: (height: number) => void;
};

/**
 * Where the history is in its life.
 *
 *     opened ──▶ verified ──▶ following ◀──────────────┐
 *                    │            │ damaged            │ rebuilt: the thread that made the rows takes over
 *                    │            ▼                    │
 *                    ├──────▶ rebuilding ──────────────┤
 *                    │            │ a thread is gone   │
 *                    │            ▼                    │
 *                    │          lost                   │
 *                    └──────▶ completing ──────────────┘  (so few blocks that no other thread is needed)
 *
 * It is told to end in any phase; a thread can be gone in any that has begun to follow.
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
  /** The store is of the log that is replayed, or is new. */
  | 'verified'
  /** Rows go on where the store ends. */
  | 'follows'
  /** Some rows that others have seen are missing, and come at once. */
  | 'lacks a few'
  /** Rows begin anew on a thread of their own. */
  | 'lacks many'
  /** The store is not what was written to it. */
  | 'damaged'
  /** Rows are as far as everybody thinks. */
  | 'rebuilt'
  /** A thread is gone, and none takes its place: until the next start there is no history. */
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

/** The phase behind a change; undefined when that can't happen then. */
export function phaseAfter(phase: IndexerPhase, change: IndexerChange): IndexerPhase | undefined {
  return CHANGES[phase][change];
}
