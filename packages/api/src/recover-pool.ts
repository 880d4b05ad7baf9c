import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { ClientTurns, NO_PACE } from '@oddlot/host/client-turns';
import type { Logger } from '@oddlot/host/log';
import type { Thread } from '@oddlot/host/thread';
import type { Network } from '@oddlot/protocol';
import type { ReadJob } from './read-request.ts';
import type { RecoverBackend } from './recover-backend.ts';
import {
  packJob,
  type ReadCommand,
  LocalReader,
  type RecoverBatch,
  type RecoverJob,
  type RecoverReplies,
  type Scale,
  unpackReplies,
} from './recover-messages.ts';
import { createRecoverer, type Recovered } from './recoverer.ts';
import type { RecoverReady, RecoverWorkerData } from './run-recoverer.ts';
import { UnavailableError } from '@oddlot/host/http';

/**
 * Options for the pool. Requests that arrive in the same turn of the event loop are sent in one
 * message per thread, because waking a thread costs more than copying a few more strings.
 */

type RecoverPoolOptions = {
  readonly network: Network;
  readonly log: Logger;
  /** The number of threads. By default, one core is left for the main thread. */
  readonly size?: number;
  /** The maximum number of waiting requests; further requests are rejected immediately. */
  readonly queueMax?: number;
  readonly backend?: RecoverBackend;
  /** Starts a recoverer; by default on a separate thread. */
  readonly startRecoverer?: StartRecoverer | undefined;
  /** Called when a thread ends unexpectedly. */
  readonly onWorkerLost?: () => void;
};

export type StartRecoverer = (data: RecoverWorkerData) => Thread;

function startOnThread(data: RecoverWorkerData): Thread {
  const program = new URL('./recover-worker.ts', import.meta.url);
  return new Worker(program, { workerData: data, name: 'recover' });
}

/**
 * Thrown if the pool cannot handle a request at present: its queue is full, it is closed, or the
 * thread was lost. The client gets status 503.
 */
export class RecoverUnavailableError extends UnavailableError {
  override readonly name = 'RecoverUnavailableError';
}

type Job = {
  readonly asked: RecoverJob;
  readonly resolve: (answer: Recovered | ReadCommand) => void;
  readonly reject: (error: Error) => void;
};

/** A thread and the batches it has not replied to yet, oldest first. */
type Slot = {
  worker: Thread;
  readonly batches: (readonly Job[])[];
  /** The scales to send to the thread with its next batch. */
  scales: Scale[];
  isReady: boolean;
};

/**
 * A second batch is sent while the thread is working on the first, so that the thread is never
 * idle.
 */
const BATCHES_PER_WORKER = 2;
/**
 * A smaller second batch would not finish any earlier, so jobs for a busy thread are collected
 * first.
 */
const SECOND_BATCH_MIN = 8;
const BATCH_MAX = 64;
const QUEUE_MAX = 5000;
const RESTART_DELAY_MS = 1000;

/**
 * While all other threads are idle and reading takes less than this share of the caller's time,
 * requests are read on the caller's thread. Below this share, waking a recovery thread for each
 * request costs more CPU time than the recovery; above it, the threads read several requests per
 * wake-up.
 */
const HERE_SHARE_MAX = 0.1;
/**
 * The number of milliseconds above the share after which the share counts as exceeded. Counting
 * stops at the maximum.
 */
const HERE_BURST_MS = 0.5;
const HERE_EXCESS_MS_MAX = 2;
/**
 * The maximum recovery time and text length for reading a request on the caller's thread. A slower
 * library or a longer text would delay that thread too much.
 */
const HERE_US_MAX = 250;
const HERE_CHARS_MAX = 1_000;

export class RecoverPool {
  readonly #options: RecoverPoolOptions;
  readonly #queueMax: number;
  readonly #slots = new Set<Slot>();
  /** Clients are served in turn, because some jobs take a hundred times longer than others. */
  readonly #turns = new ClientTurns<Job>(NO_PACE);
  #waiting = 0;
  #isScheduled = false;
  #isClosed = false;
  #backend: RecoverBackend | undefined;
  #here: LocalReader | undefined;
  /**
   * How far the time spent reading recent requests on this thread exceeds its share, in
   * milliseconds.
   */
  #excessMs = 0;
  #arrivedMs = 0;
  /** The duration of one recovery on this machine, in milliseconds. */
  #recoverMs = 0;
  readonly #ready = Promise.withResolvers<RecoverBackend>();

  constructor(options: RecoverPoolOptions) {
    this.#options = options;
    this.#queueMax = options.queueMax ?? QUEUE_MAX;
    const size = options.size ?? Math.max(1, availableParallelism() - 1);
    for (let index = 0; index < size; index++) this.#start();
    this.#ready.promise.catch(() => {});
  }

  /** Resolves when the first thread is ready, with the library it uses. */
  ready(): Promise<RecoverBackend> {
    return this.#ready.promise;
  }

  get backend(): RecoverBackend | undefined {
    return this.#backend;
  }

  /** Returns the number of requests without a reply. */
  get length(): number {
    let length = this.#waiting;
    for (const slot of this.#slots) length += jobsOf(slot).length;
    return length;
  }

  /** Recovers the signer of a request and computes the hash that identifies it. */
  recover(text: string, client = ''): Promise<Recovered> {
    return this.#add({ kind: 'recover', text }, client) as Promise<Recovered>;
  }

  /** Converts a request to its command. A malformed request is rejected without a recovery. */
  read(text: string, job: ReadJob, client = ''): Promise<ReadCommand> {
    const here = this.#here;
    const isRare = this.#isRare();
    if (isRare && here !== undefined && this.#isIdle && text.length <= HERE_CHARS_MAX)
      return Promise.resolve(this.#readHere(here, text, job));
    return this.#add({ kind: 'read', text, job }, client) as Promise<ReadCommand>;
  }

  /**
   * Explains what a signature covers, and which address each common mistake would result in; see
   * `explainJob`.
   */
  explain(text: string, client = ''): Promise<Recovered> {
    return this.#add({ kind: 'explain', text }, client) as Promise<Recovered>;
  }

  /** Sends the scales of instruments to the threads. They arrive there before the next request. */
  learn(scales: readonly Scale[]): void {
    this.#here?.learn(scales);
    for (const slot of this.#slots) slot.scales.push(...scales);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const error = new RecoverUnavailableError('the pool is closed');
    this.#ready.reject(error);
    for (const job of this.#next(Infinity)) job.reject(error);
    const slots = [...this.#slots];
    this.#slots.clear();
    for (const slot of slots) failAll(slot, error);
    await Promise.all(slots.map((slot) => slot.worker.terminate()));
  }

  /** Counts a request and returns true if few requests have arrived recently. */
  #isRare(): boolean {
    const nowMs = performance.now();
    const drainedMs = (nowMs - this.#arrivedMs) * HERE_SHARE_MAX;
    const beforeMs = Math.max(0, this.#excessMs - drainedMs);
    this.#excessMs = Math.min(HERE_EXCESS_MS_MAX, beforeMs + this.#recoverMs);
    this.#arrivedMs = nowMs;
    return this.#excessMs <= HERE_BURST_MS;
  }

  #readHere(here: LocalReader, text: string, job: ReadJob): ReadCommand {
    const startedMs = performance.now();
    const command = here.read(text, job);
    // The request was already counted as one recovery.
    const moreMs = performance.now() - startedMs - this.#recoverMs;
    this.#excessMs = Math.min(HERE_EXCESS_MS_MAX, this.#excessMs + Math.max(0, moreMs));
    return command;
  }

  get #isIdle(): boolean {
    if (this.#waiting > 0 || this.#isClosed) return false;
    for (const { batches } of this.#slots) if (batches.length > 0) return false;
    return true;
  }

  #add(asked: RecoverJob, client: string): Promise<Recovered | ReadCommand> {
    if (this.#isClosed || this.#waiting >= this.#queueMax) {
      const why = this.#isClosed
        ? 'the pool is closed'
        : 'too many requests are waiting for signature recovery';
      return Promise.reject(new RecoverUnavailableError(why));
    }
    return new Promise((resolve, reject) => {
      this.#turns.add(client, { asked, resolve, reject }, performance.now());
      this.#waiting += 1;
      if (this.#isScheduled) return;
      this.#isScheduled = true;
      setImmediate(() => {
        this.#isScheduled = false;
        this.#dispatch();
      });
    });
  }

  #dispatch(): void {
    const idle = this.#slotsWith((slot) => slot.batches.length === 0);
    this.#share(idle);
    if (this.#waiting < SECOND_BATCH_MIN) return;
    this.#share(this.#slotsWith((slot) => slot.batches.length < BATCHES_PER_WORKER));
  }

  #slotsWith(isWanted: (slot: Slot) => boolean): Slot[] {
    return [...this.#slots].filter((slot) => slot.isReady && isWanted(slot));
  }

  #share(slots: readonly Slot[]): void {
    for (const [index, slot] of slots.entries()) {
      if (this.#waiting === 0) return;
      const share = Math.ceil(this.#waiting / (slots.length - index));
      this.#send(slot, this.#next(Math.min(share, BATCH_MAX)));
    }
  }

  /** Returns the next jobs, taking clients in turn. */
  #next(countMax: number): Job[] {
    const jobs: Job[] = [];
    const nowMs = performance.now();
    while (jobs.length < countMax) {
      const next = this.#turns.next();
      if (next === undefined) break;
      this.#turns.begin(next.id, 0, nowMs);
      this.#turns.end(next.id, 0, nowMs);
      jobs.push(next.item);
    }
    this.#waiting -= jobs.length;
    return jobs;
  }

  #send(slot: Slot, jobs: readonly Job[]): void {
    const packed: (string | number)[] = [];
    for (const { asked } of jobs) packJob(packed, asked);
    const batch: RecoverBatch = { scales: slot.scales, jobs: packed };
    slot.scales = [];
    slot.batches.push(jobs);
    slot.worker.postMessage(batch);
  }

  #start(): void {
    const { network, backend, startRecoverer = startOnThread } = this.#options;
    const data: RecoverWorkerData = {
      recoverNetwork: network,
      ...(backend === undefined ? {} : { backend }),
    };
    const worker = startRecoverer(data);
    const slot: Slot = { worker, batches: [], scales: [], isReady: false };
    this.#slots.add(slot);
    // An idle thread must not keep the process alive.
    worker.unref();
    worker.on('message', (message: RecoverReady | RecoverReplies) => {
      if ('backend' in message) this.#slotReady(slot, message);
      else this.#settle(slot, message);
    });
    worker.on('error', (error) => this.#lose(slot, error));
    worker.on('exit', (code) =>
      this.#lose(slot, new Error(`signature worker exited with code ${code}`)),
    );
  }

  #slotReady(slot: Slot, { backend, recoverUs }: RecoverReady): void {
    slot.isReady = true;
    if (this.#backend === undefined) {
      this.#backend = backend;
      this.#options.log.info({ backend, recoverUs }, 'signature recovery started');
      void this.#prepareHere(backend, recoverUs).then(() => this.#ready.resolve(backend));
    }
    this.#dispatch();
  }

  async #prepareHere(backend: RecoverBackend, recoverUs: number): Promise<void> {
    if (recoverUs > HERE_US_MAX) return;
    this.#recoverMs = recoverUs / 1_000;
    this.#here = new LocalReader(await createRecoverer(this.#options.network, backend));
  }

  #settle(slot: Slot, replies: RecoverReplies): void {
    const jobs = slot.batches.shift() ?? [];
    for (const [index, answer] of unpackReplies(replies).entries()) jobs[index]?.resolve(answer);
    if (this.#waiting > 0) this.#dispatch();
  }

  #lose(slot: Slot, error: unknown): void {
    // An error event is followed by an exit event; only the first one counts.
    if (!this.#slots.delete(slot)) return;
    this.#options.log.error({ err: error, jobs: jobsOf(slot).length }, 'signature worker lost');
    this.#options.onWorkerLost?.();
    failAll(slot, new RecoverUnavailableError('the signature worker was lost', { cause: error }));
    if (this.#isClosed) return;
    if (slot.isReady) this.#start();
    // A thread that failed to start would probably fail again immediately.
    else setTimeout(() => this.#isClosed || this.#start(), RESTART_DELAY_MS).unref();
  }
}

function jobsOf({ batches }: Slot): Job[] {
  return batches.flat();
}

function failAll(slot: Slot, error: Error): void {
  for (const job of jobsOf(slot)) job.reject(error);
  slot.batches.length = 0;
}
