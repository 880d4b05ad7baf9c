import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { ClientTurns, NO_PACE } from '@oddlot/host/client-turns';
import type { Logger } from '@oddlot/host/log';
import type { Thread } from '@oddlot/host/thread';
import type { Network } from '@oddlot/protocol';
import type { ReadJob } from './read-request.ts';
import type { RecoverBackend } from './recover-backend.ts';
import type {
  ReadCommand,
  RecoverBatch,
  RecoverJob,
  RecoverReplies,
  Scale,
} from './recover-messages.ts';
import type { Recovered } from './recoverer.ts';
import type { RecoverReady, RecoverWorkerData } from './run-recoverer.ts';
import { UnavailableError } from '@oddlot/host/http';

/**
 * Spreads recovery over threads. Requests that arrive in one turn of the event loop leave in one
 * message per thread: waking a thread costs more than copying a few more texts.
 */

type RecoverPoolOptions = {
  readonly network: Network;
  readonly log: Logger;
  /** Threads; by default one core is left to the main thread. */
  readonly size?: number;
  /** Requests that may wait; above, new ones are turned away at once. */
  readonly queueMax?: number;
  readonly backend?: RecoverBackend;
  /** What recoverers run on; threads of their own by default. */
  readonly startRecoverer?: StartRecoverer | undefined;
  /** Told when a thread is lost. */
  readonly onWorkerLost?: () => void;
};

/** Begins to run a recoverer. */
export type StartRecoverer = (data: RecoverWorkerData) => Thread;

function startOnThread(data: RecoverWorkerData): Thread {
  const program = new URL('./recover-worker.ts', import.meta.url);
  return new Worker(program, { workerData: data, name: 'recover' });
}

/** The pool can't answer now: its queue is full, it is closed, or the thread was lost. */
export class RecoverUnavailableError extends Error {
  override readonly name = 'RecoverUnavailableError';
}

type Job = {
  readonly asked: RecoverJob;
  readonly resolve: (answer: Recovered | ReadCommand) => void;
  readonly reject: (error: Error) => void;
};

type Seat = {
  worker: Thread;
  readonly jobs: Map<number, Job>;
  /** Batches under way. */
  batches: number;
  /** Scales that the thread is told with its next batch. */
  scales: Scale[];
  isReady: boolean;
};

/** One batch is worked on while the next one waits at the door, so that no thread idles. */
const BATCHES_PER_WORKER = 2;
/** What waits at a busy thread's door gains nothing by a message of its own, so it gathers first. */
const SECOND_BATCH_MIN = 8;
const BATCH_MAX = 64;
const QUEUE_MAX = 5000;
const RESTART_DELAY_MS = 1000;

export class RecoverPool {
  readonly #options: RecoverPoolOptions;
  readonly #queueMax: number;
  readonly #seats = new Set<Seat>();
  /** Clients take turns: some jobs take a hundred times as long as others. */
  readonly #turns = new ClientTurns<Job>(NO_PACE);
  #waiting = 0;
  #nextId = 1;
  #isScheduled = false;
  #isClosed = false;
  #backend: RecoverBackend | undefined;
  readonly #ready = Promise.withResolvers<RecoverBackend>();

  constructor(options: RecoverPoolOptions) {
    this.#options = options;
    this.#queueMax = options.queueMax ?? QUEUE_MAX;
    const size = options.size ?? Math.max(1, availableParallelism() - 1);
    for (let index = 0; index < size; index++) this.#hire();
    this.#ready.promise.catch(() => {});
  }

  /** Resolves with the library in use once a thread can work. */
  ready(): Promise<RecoverBackend> {
    return this.#ready.promise;
  }

  get backend(): RecoverBackend | undefined {
    return this.#backend;
  }

  /** Requests that wait or are worked on. */
  get length(): number {
    let length = this.#waiting;
    for (const seat of this.#seats) length += seat.jobs.size;
    return length;
  }

  /** Recovers the signer of a request, and the hash that identifies it. */
  recover(text: string, client = ''): Promise<Recovered> {
    return this.#add({ kind: 'recover', text }, client) as Promise<Recovered>;
  }

  /** Reads a request into the command that it asks for. A malformed request costs no recovery. */
  read(text: string, job: ReadJob, client = ''): Promise<ReadCommand> {
    return this.#add({ kind: 'read', text, job }, client) as Promise<ReadCommand>;
  }

  /** Explains what a signature covers, and which address each common mistake gives; see `explainJob`. */
  explain(text: string, client = ''): Promise<Recovered> {
    return this.#add({ kind: 'explain', text }, client) as Promise<Recovered>;
  }

  /** Tells the threads scales of instruments, before they read the next request. */
  learn(scales: readonly Scale[]): void {
    for (const seat of this.#seats) seat.scales.push(...scales);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const error = new RecoverUnavailableError('the pool is closed');
    this.#ready.reject(error);
    for (const job of this.#next(Infinity)) job.reject(error);
    const seats = [...this.#seats];
    this.#seats.clear();
    for (const seat of seats) failAll(seat, error);
    await Promise.all(seats.map((seat) => seat.worker.terminate()));
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
    const idle = this.#seatsWith((seat) => seat.batches === 0);
    this.#share(idle);
    if (this.#waiting < SECOND_BATCH_MIN) return;
    this.#share(this.#seatsWith((seat) => seat.batches < BATCHES_PER_WORKER));
  }

  #seatsWith(isWanted: (seat: Seat) => boolean): Seat[] {
    return [...this.#seats].filter((seat) => seat.isReady && isWanted(seat));
  }

  #share(seats: readonly Seat[]): void {
    for (const [index, seat] of seats.entries()) {
      if (this.#waiting === 0) return;
      const share = Math.ceil(this.#waiting / (seats.length - index));
      this.#send(seat, this.#next(Math.min(share, BATCH_MAX)));
    }
  }

  /** The next jobs, one of each client in turn. */
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

  #send(seat: Seat, jobs: readonly Job[]): void {
    const batch: RecoverBatch = {
      scales: seat.scales,
      jobs: jobs.map((job) => {
        const id = this.#nextId++;
        seat.jobs.set(id, job);
        return { ...job.asked, id };
      }),
    };
    seat.scales = [];
    seat.batches++;
    seat.worker.postMessage(batch);
  }

  #hire(): void {
    const { network, backend, startRecoverer = startOnThread } = this.#options;
    const data: RecoverWorkerData = {
      recoverNetwork: network,
      ...(backend === undefined ? {} : { backend }),
    };
    const worker = startRecoverer(data);
    const seat: Seat = { worker, jobs: new Map(), batches: 0, scales: [], isReady: false };
    this.#seats.add(seat);
    // A waiting thread must not keep a process alive that has nothing else to do.
    worker.unref();
    worker.on('message', (message: RecoverReady | RecoverReplies) => {
      if ('backend' in message) this.#seatReady(seat, message);
      else this.#settle(seat, message);
    });
    worker.on('error', (error) => this.#lose(seat, error));
    worker.on('exit', (code) =>
      this.#lose(seat, new Error(`signature worker exited with code ${code}`)),
    );
  }

  #seatReady(seat: Seat, { backend, recoverUs }: RecoverReady): void {
    seat.isReady = true;
    if (this.#backend === undefined) {
      this.#backend = backend;
      this.#options.log.info({ backend, recoverUs }, 'signature recovery started');
      this.#ready.resolve(backend);
    }
    this.#dispatch();
  }

  #settle(seat: Seat, replies: RecoverReplies): void {
    seat.batches--;
    for (const { answer, id } of replies) {
      const job = seat.jobs.get(id);
      seat.jobs.delete(id);
      job?.resolve(answer);
    }
    if (this.#waiting > 0) this.#dispatch();
  }

  #lose(seat: Seat, error: unknown): void {
    // An error is followed by an exit; the first of the two counts.
    if (!this.#seats.delete(seat)) return;
    this.#options.log.error({ err: error, jobs: seat.jobs.size }, 'signature worker lost');
    this.#options.onWorkerLost?.();
    failAll(seat, new RecoverUnavailableError('the signature worker was lost', { cause: error }));
    if (this.#isClosed) return;
    if (seat.isReady) this.#hire();
    // One that never came up would come down again at once.
    else setTimeout(() => this.#isClosed || this.#hire(), RESTART_DELAY_MS).unref();
  }
}

function failAll(seat: Seat, error: Error): void {
  for (const job of seat.jobs.values()) job.reject(error);
  seat.jobs.clear();
}

/** An answer of the recover threads; a pool that can't answer now is told to the client as such. */
export async function recovering<Answer>(answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (cause) {
    if (cause instanceof RecoverUnavailableError) {
      throw new UnavailableError('signature recovery is temporarily unavailable', { cause });
    }
    throw cause;
  }
}
