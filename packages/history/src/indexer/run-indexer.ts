import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MessagePort } from 'node:worker_threads';
import {
  type HistoryPlace,
  openHistoryStore,
  reachHistory,
  setHistoryAside,
} from '../store/history-store.ts';
import {
  type HistoryDamagedError,
  HistoryForeignError,
  HistoryFullError,
  HistoryLaterError,
  historyError,
} from '../store/store-errors.ts';
import {
  type IndexerOrder,
  type IndexerReport,
  type IndexerRequest,
  type IndexerSettings,
  replyTo,
} from './indexer-messages.ts';
import { Recorder } from './recorder.ts';
import { RowBuffer } from './row-buffer.ts';

type Start = IndexerRequest<'start'>;
type Verify = IndexerRequest<'verify'>;

/** How long a start waits for a database server that has gone away. */
const AWAY_MS_MAX = 30_000;
const AWAY_RETRY_MS = 200;

/**
 * A thread of the indexer. It opens the store and says how far that is; the main thread then says what
 * the log holds and where it ends, and from there on it follows by itself. An error that is not caught
 * ends the thread, and the main thread reports it.
 */
export async function runIndexer(settings: IndexerSettings, port: MessagePort): Promise<void> {
  const program = new IndexerProgram(settings, port);
  await program.run();
  port.close();
}

class IndexerProgram {
  readonly #settings: IndexerSettings;
  readonly #port: MessagePort;
  readonly #where: HistoryPlace;
  readonly #verified = Promise.withResolvers<Verify | undefined>();
  readonly #started = Promise.withResolvers<Start>();
  readonly #waiting: IndexerOrder[] = [];
  #recorder: Recorder | undefined;
  #isOpen = false;

  constructor(settings: IndexerSettings, port: MessagePort) {
    const { data, database } = settings;
    this.#settings = settings;
    this.#port = port;
    this.#where =
      database === undefined
        ? { file: join(data, 'history.sqlite') }
        : { url: database, isShared: settings.isShared };
    port.on('message', (order: IndexerOrder) => this.#take(order));
  }

  async run(): Promise<void> {
    const isOnServer = this.#settings.database !== undefined;
    try {
      await this.#record();
    } catch (error) {
      const isLater = error instanceof HistoryLaterError;
      const isOfServer = isLater || (isOnServer && error instanceof Error);
      // The rest is a fault of the program, which is told with its stack.
      const isTold = error instanceof HistoryForeignError || error instanceof HistoryFullError;
      if (!isOfServer || (this.#isOpen && !isTold)) throw error;
      const isForeign = error instanceof HistoryForeignError;
      const more = isForeign
        ? '; it contains the history of another venue and is left unchanged'
        : '';
      this.#tell({ type: 'unusable', why: error.message + more });
    }
  }

  #take(order: IndexerOrder): void {
    if (order.type === 'verify') this.#verified.resolve(order);
    else if (order.type === 'start') {
      this.#verified.resolve(undefined);
      this.#started.resolve(order);
    } else if (this.#recorder === undefined) this.#waiting.push(order);
    else this.#recorder.take(order);
  }

  async #record(): Promise<void> {
    const settings = this.#settings;
    // Who is not there at all is told at once; who has answered is waited for.
    if (settings.role === 'both') await reachHistory(this.#where);
    const opened = await this.#whenBack(() => this.#openRows());
    this.#isOpen = true;
    this.#tell({ type: 'opened', height: opened.store.height });
    const rows = await this.#verify(opened, await this.#verified.promise);
    const start = await this.#started.promise;
    const onDamaged = async (error: HistoryDamagedError): Promise<void> => {
      const movedTo = await this.#leave(rows, error);
      this.#tell({ type: 'damaged', why: error.message, movedTo, isMended: false });
    };
    const tell = (report: IndexerReport): void => this.#tell(report);
    const recorder = new Recorder({ settings, rows, tell, onDamaged });
    const running = recorder.run(start);
    this.#recorder = recorder;
    for (const order of this.#waiting.splice(0)) recorder.take(order);
    await running;
    this.#tell({ type: 'stopped' });
  }

  async #openRows(): Promise<RowBuffer> {
    const store = await openHistoryStore({
      ...this.#where,
      onDamaged: (damage) => this.#tell({ type: 'damaged', ...damage, isMended: true }),
    });
    try {
      return await RowBuffer.on(store);
    } catch (error) {
      // It has the lock, which the next try needs.
      await store.close();
      throw error;
    }
  }

  /** The store, or a new one in the place of one that is of another log. */
  async #verify(rows: RowBuffer, asked: Verify | undefined): Promise<RowBuffer> {
    if (asked === undefined) return rows;
    const { firstSeq, head } = asked;
    if (head !== undefined) await this.#whenBack(() => rows.compare(head));
    rows.expectAdjacent(firstSeq);
    await this.#whenBack(() => rows.expectWhole(firstSeq));
    const { unfit } = rows;
    let own = rows;
    if (unfit !== undefined) {
      const movedTo = await this.#leave(rows, unfit);
      this.#tell({ type: 'damaged', why: unfit.message, movedTo, isMended: true });
      own = await this.#whenBack(() => this.#openRows());
    }
    this.#tell(replyTo(asked, { height: own.store.height }));
    return own;
  }

  /** Sets the store aside, and says where. On a server nothing that is of others is touched. */
  async #leave({ store }: RowBuffer, error: HistoryDamagedError): Promise<string> {
    await store.close();
    const { database, isShared } = this.#settings;
    const isOfOthers = error instanceof HistoryForeignError || isShared === true;
    if (database !== undefined && isOfOthers) throw error;
    return this.#whenBack(() => setHistoryAside(this.#where));
  }

  /**
   * Does what a start needs although the server goes away meanwhile: a start must not end by what would not
   * end a venue that runs. What is computed beside others has all the time.
   */
  async #whenBack<Result>(run: () => Promise<Result>): Promise<Result> {
    const { database, role } = this.#settings;
    const untilMs = role === 'both' ? performance.now() + AWAY_MS_MAX : Infinity;
    for (;;) {
      try {
        return await run();
      } catch (raw) {
        const error = historyError(raw);
        const isOver = performance.now() >= untilMs;
        if (database === undefined || !(error instanceof HistoryFullError) || isOver) throw error;
        await sleep(AWAY_RETRY_MS);
      }
    }
  }

  #tell(report: IndexerReport): void {
    this.#port.postMessage(report);
  }
}
