import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { assert, present } from '@oddlot/units';
import {
  ASKED,
  DESCRIPTOR,
  type WriteFailure,
  type WriteJob,
  type DiskWorkerData,
  ENDED,
  FAILED,
  HAS_FAILED,
  HAS_ZEROS,
  IS_SYNC,
  type WriteResult,
  JOBS_MAX,
  LENGTH,
  MEMORY,
  type NewMemory,
  openShare,
  OUTCOME,
  performWriteJob,
  POSITION,
  SPACE,
  SHARE_BYTES,
  SKIPPED,
  SYNC_SECONDS,
  ZEROS,
} from './write-job.ts';

type SharedJob = WriteJob & { readonly memory: number };

type JobEnd = WriteResult & { readonly error?: Error };

type Done = (end: JobEnd) => void;

/**
 * Performs the jobs of a journal in order, on a separate thread or, in some tests, on the calling
 * one.
 */
export type Disk = Pick<DiskThread, 'ask' | 'giveBack'>;

/** Idle threads are kept for reuse, because starting one takes longer than a hundred commits. */
const resting: DiskThread[] = [];

/**
 * A thread that performs jobs in order and blocks until each is done. Jobs are not sent as
 * messages: each side sleeps on its own counter, and a side that is awake is not notified.
 */
export class DiskThread {
  readonly #share = openShare(new SharedArrayBuffer(SHARE_BYTES));
  readonly #channel = new MessageChannel();
  readonly #worker: Worker;
  readonly #memories: ArrayBufferLike[] = [];
  readonly #waiting: Done[] = [];
  #asked = 0;
  #ended = 0;
  #isListening = false;
  #loss: Error | undefined;

  private constructor() {
    const program = new URL('./disk-worker.ts', import.meta.url);
    const data: DiskWorkerData = { memory: this.#share.memory, port: this.#channel.port1 };
    const transferList = [this.#channel.port1];
    this.#worker = new Worker(program, {
      workerData: data,
      transferList,
      name: 'disk',
      // Options that preload modules into the process do not apply to this thread.
      execArgv: [],
    });
    // An idle thread must not keep the process alive.
    this.#worker.unref();
    this.#worker.on('error', (error) => this.#lose(error as Error));
    this.#worker.on('exit', (code) =>
      this.#lose(new Error(`the disk thread exited with code ${code}`)),
    );
  }

  static lease(): DiskThread {
    return resting.pop() ?? new DiskThread();
  }

  giveBack(): void {
    assert(this.#waiting.length === 0, 'a thread is returned only when all its jobs are done');
    if (this.#loss === undefined) resting.push(this);
  }

  /**
   * Requests a job; at most one more can wait. If a job fails, the waiting jobs are skipped,
   * because they were created to follow it. Jobs requested after all of these have ended are
   * performed again.
   */
  ask(job: SharedJob, done: Done): void {
    assert(this.#waiting.length < JOBS_MAX, 'at most one job runs and one waits');
    this.#waiting.push(done);
    if (this.#loss !== undefined)
      return queueMicrotask(() => this.#lose(present(this.#loss, 'why the thread was lost')));
    if (this.#waiting.length === 1) {
      this.#worker.ref();
      Atomics.store(this.#share.counters, HAS_FAILED, 0);
    }
    this.#write(job);
    this.#asked = (this.#asked + 1) | 0;
    Atomics.store(this.#share.counters, ASKED, this.#asked);
    Atomics.notify(this.#share.counters, ASKED);
    this.#listen();
    return undefined;
  }

  #write({ bytes, descriptor, isSync, length, memory, position, space, zeros }: SharedJob): void {
    if (this.#memories[memory] !== bytes.buffer) {
      this.#memories[memory] = bytes.buffer;
      const shared = bytes.buffer as SharedArrayBuffer;
      this.#channel.port2.postMessage({ index: memory, memory: shared } satisfies NewMemory);
    }
    const numbers = present(this.#share.jobs[this.#asked & (JOBS_MAX - 1)], 'the numbers of a job');
    numbers[DESCRIPTOR] = descriptor;
    numbers[MEMORY] = memory;
    numbers[LENGTH] = length;
    numbers[POSITION] = position;
    numbers[ZEROS] = zeros;
    numbers[SPACE] = space;
    numbers[IS_SYNC] = isSync ? 1 : 0;
    numbers[SYNC_SECONDS] = 0;
  }

  #listen(): void {
    if (this.#isListening) return;
    this.#isListening = true;
    void this.#wake();
  }

  async #wake(): Promise<void> {
    await Atomics.waitAsync(this.#share.counters, ENDED, this.#ended).value;
    this.#isListening = false;
    this.#reportEnded();
  }

  #reportEnded(): void {
    while (this.#ended !== Atomics.load(this.#share.counters, ENDED)) {
      const numbers = present(this.#share.jobs[this.#ended & (JOBS_MAX - 1)], 'a job');
      const end = this.#endOf(numbers);
      this.#ended = (this.#ended + 1) | 0;
      const done = present(this.#waiting.shift(), 'the callback of a job');
      if (this.#waiting.length === 0) this.#worker.unref();
      done(end);
    }
    if (this.#waiting.length > 0) this.#listen();
  }

  #endOf(numbers: Float64Array): JobEnd {
    const end = { hasZeros: numbers[HAS_ZEROS] === 1, syncSeconds: numbers[SYNC_SECONDS] ?? 0 };
    if (numbers[OUTCOME] === FAILED) {
      const failure = receiveMessageOnPort(this.#channel.port2)?.message as
        | WriteFailure
        | undefined;
      const error = new Error(failure?.message ?? 'the disk failed');
      return { ...end, error: Object.assign(error, { code: failure?.code }) };
    }
    if (numbers[OUTCOME] === SKIPPED)
      return { ...end, error: new Error('the previous job failed') };
    return end;
  }

  #lose(error: Error): void {
    this.#loss = error;
    for (const done of this.#waiting.splice(0)) done({ error, hasZeros: false, syncSeconds: 0 });
  }
}

/**
 * Performs jobs on the calling thread. A caller that does not need durability can skip the syncs.
 */
export function diskHere({ isSynced = true }: { readonly isSynced?: boolean } = {}): Disk {
  return {
    ask: (job, done) => void setImmediate(() => done(performed(isSynced ? job : unsynced(job)))),
    giveBack: () => {},
  };
}

function unsynced(job: WriteJob): WriteJob {
  return { ...job, isSync: false };
}

function performed(job: WriteJob): WriteResult & { readonly error?: Error } {
  try {
    return performWriteJob(job);
  } catch (error) {
    return { error: error as Error, hasZeros: false, syncSeconds: 0 };
  }
}
