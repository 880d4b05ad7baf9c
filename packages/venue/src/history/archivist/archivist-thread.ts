import { Worker } from 'node:worker_threads';
import type { Thread } from '@oddlot/host/thread';
import type { BlockHead } from '../../block/applied-block.ts';
import { HistoryUnusableError } from '../history.ts';
import type { ArchivistOrder, ArchivistReport, ArchivistSettings } from './archivist-messages.ts';

type Opened = Extract<ArchivistReport, { type: 'opened' }>;
type Verified = Extract<ArchivistReport, { type: 'verified' }>;
type Started = Extract<ArchivistReport, { type: 'started' }>;

type ThreadEvents = {
  readonly onReport: (report: ArchivistReport) => void;
  /** It ended although nobody told it to. */
  readonly onLost: (error: Error) => void;
};

/** Begins to run the archivist. */
export type StartArchivist = (settings: ArchivistSettings) => Thread;

/** By default on a thread of its own. */
function startOnThread(settings: ArchivistSettings): Thread {
  const file = new URL('./archivist-worker.ts', import.meta.url);
  return new Worker(file, { workerData: settings, name: 'archivist' });
}

/** One thread of the archivist, from its making to its end. */
export class ArchivistThread {
  readonly #worker: Thread;
  readonly #opened = Promise.withResolvers<Opened>();
  readonly #verified = Promise.withResolvers<Verified>();
  readonly #started = Promise.withResolvers<Started>();
  readonly #ended = Promise.withResolvers<void>();
  readonly #events: ThreadEvents;
  #isStopped = false;
  #isLost = false;
  /** The last block that it has applied. */
  height = 0;

  constructor(
    settings: ArchivistSettings,
    events: ThreadEvents,
    start: StartArchivist = startOnThread,
  ) {
    this.#events = events;
    this.#worker = start(settings);
    this.#worker.on('message', (report: ArchivistReport) => this.#receive(report));
    this.#worker.on('error', (error) => this.#lose(error as Error));
    this.#worker.on('exit', (code) => {
      this.#ended.resolve();
      if (!this.#isStopped) this.#lose(new Error(`the history indexer exited with code ${code}`));
    });
    // Whoever waits for them is told; else `onLost` has said it.
    for (const each of [this.#opened, this.#verified, this.#started])
      each.promise.catch(() => undefined);
  }

  /** Resolves when its store is open. */
  get opened(): Promise<Opened> {
    return this.#opened.promise;
  }

  /** Resolves when the store that it has is of the log that it was told of. */
  get verified(): Promise<Verified> {
    return this.#verified.promise;
  }

  /** Resolves when it knows from where it goes on. */
  get started(): Promise<Started> {
    return this.#started.promise;
  }

  order(order: ArchivistOrder): void {
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

  #receive(report: ArchivistReport): void {
    if (report.type === 'opened') this.#opened.resolve(report);
    else if (report.type === 'verified') this.#verified.resolve(report);
    else if (report.type === 'started') this.#started.resolve(report);
    if (report.type === 'progress') this.height = report.height;
    if (report.type === 'stopped') this.#isStopped = true;
    if (report.type === 'unusable') this.#lose(new HistoryUnusableError(report.why));
    this.#events.onReport(report);
  }

  #lose(error: Error): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#opened.reject(error);
    this.#verified.reject(error);
    this.#started.reject(error);
    this.#events.onLost(error);
  }
}
