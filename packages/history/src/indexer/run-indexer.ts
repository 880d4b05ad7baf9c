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
import { IndexerLoop } from './indexer-loop.ts';
import { RowBuffer } from './row-buffer.ts';

type Start = IndexerRequest<'start'>;
type Verify = IndexerRequest<'verify'>;

const AWAY_MS_MAX = 30_000;
const AWAY_RETRY_MS = 200;

/**
 * Runs an indexer thread. It opens the store and reports its height, then follows the log within
 * the range sent by the main thread. An uncaught error ends the thread, and the main thread reports
 * it.
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
  #loop: IndexerLoop | undefined;
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
      // Other errors are faults of the program and are reported with their stack.
      const isExpected = error instanceof HistoryForeignError || error instanceof HistoryFullError;
      if (!isOfServer || (this.#isOpen && !isExpected)) throw error;
      const isForeign = error instanceof HistoryForeignError;
      const more = isForeign
        ? '; the database contains the history of another venue and was not changed'
        : '';
      this.#send({ type: 'unusable', why: error.message + more });
    }
  }

  #take(order: IndexerOrder): void {
    if (order.type === 'verify') this.#verified.resolve(order);
    else if (order.type === 'start') {
      this.#verified.resolve(undefined);
      this.#started.resolve(order);
    } else if (this.#loop === undefined) this.#waiting.push(order);
    else this.#loop.take(order);
  }

  async #record(): Promise<void> {
    const settings = this.#settings;
    // A server that has never responded is reported immediately. Once it has responded, connecting
    // to it is retried.
    if (settings.role === 'both') await reachHistory(this.#where);
    const opened = await this.#whenBack(() => this.#openRows());
    this.#isOpen = true;
    this.#send({ type: 'opened', height: opened.store.height });
    const rows = await this.#verify(opened, await this.#verified.promise);
    const start = await this.#started.promise;
    const onDamaged = async (error: HistoryDamagedError): Promise<void> => {
      const movedTo = await this.#leave(rows, error);
      this.#send({ type: 'damaged', why: error.message, movedTo, isMended: false });
    };
    const send = (report: IndexerReport): void => this.#send(report);
    const loop = new IndexerLoop({ settings, rows, send, onDamaged });
    const running = loop.run(start);
    this.#loop = loop;
    for (const order of this.#waiting.splice(0)) loop.take(order);
    await running;
    this.#send({ type: 'stopped' });
  }

  async #openRows(): Promise<RowBuffer> {
    const store = await openHistoryStore({
      ...this.#where,
      onDamaged: (damage) => this.#send({ type: 'damaged', ...damage, isMended: true }),
    });
    try {
      return await RowBuffer.on(store);
    } catch (error) {
      // The store holds a lock that the next attempt needs.
      await store.close();
      throw error;
    }
  }

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
      this.#send({ type: 'damaged', why: unfit.message, movedTo, isMended: true });
      own = await this.#whenBack(() => this.#openRows());
    }
    this.#send(replyTo(asked, { height: own.store.height }));
    return own;
  }

  /**
   * Moves the store out of the way and returns its new location. On a server, a store that is
   * shared or belongs to another log is left unchanged.
   */
  async #leave({ store }: RowBuffer, error: HistoryDamagedError): Promise<string> {
    await store.close();
    const { database, isShared } = this.#settings;
    const isOfOthers = error instanceof HistoryForeignError || isShared === true;
    if (database !== undefined && isOfOthers) throw error;
    return this.#whenBack(() => setHistoryAside(this.#where));
  }

  /**
   * Retries a startup step while the server is unreachable, because a running venue would also
   * continue. A thread that only recomputes rows retries indefinitely.
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

  #send(report: IndexerReport): void {
    this.#port.postMessage(report);
  }
}
