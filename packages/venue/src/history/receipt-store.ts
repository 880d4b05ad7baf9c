import { Worker } from 'node:worker_threads';
import { assert, present } from '@oddlot/units';
import { encodeReceipts, hashKey, signerKey } from './receipt-codec.ts';
import type {
  MissingReceipts,
  PackedBlock,
  ReceiptBlock,
  ReceiptQuery,
  ReceiptReply,
  ReceiptRequest,
  ReceiptRow,
} from './receipt-messages.ts';

export type { ReceiptBlock, ReceiptRow } from './receipt-messages.ts';

/** Rows in one transaction; a backlog is worked off in steps, so that queries wait for one only. */
const ROWS_PER_MESSAGE = 5_000;
/** A backlog above this, some ten megabytes, means that the disk does not keep up. */
const BACKLOG_ROWS_MAX = 50_000;

export type ReceiptStoreOptions = {
  readonly file: string;
  /** Called once when the worker is lost. The default throws, which stops the process. */
  readonly onFatal?: (error: Error) => void;
  /** The file was damaged and is set aside; what was in it is missing. */
  readonly onDamaged?: (damage: { readonly why: string; readonly movedTo: string }) => void;
};

type Opened = Extract<ReceiptReply, { type: 'opened' }>;

type Waiter = { readonly resolve: (reply: ReceiptReply) => void; readonly reject: Reject };
type Reject = (error: Error) => void;
type FlushWaiter = {
  readonly height: number;
  readonly resolve: () => void;
  readonly reject: Reject;
};

/**
 * Receipts by hash, trace id, and signer with nonce, in a database on a thread of its own.
 *
 * Appending never waits. One message with rows is under way at a time, as in a group commit: what
 * queues meanwhile goes out as the next, so a transaction covers more blocks the busier it gets.
 * A look-up sees everything that was appended before it.
 */
export class ReceiptStore {
  readonly #worker: Worker;
  readonly #onFatal: (error: Error) => void;
  readonly #onDamaged: ReceiptStoreOptions['onDamaged'];
  #isEmpty: boolean;
  #missing: MissingReceipts | undefined;
  #projectedHeight: number;
  #appendedHeight: number;
  #queue: PackedBlock[] = [];
  #backlog = 0;
  #messagesUnderWay = 0;
  #isScheduled = false;
  #isClosing = false;
  #failure: Error | undefined;
  #nextId = 1;
  readonly #waiters = new Map<number, Waiter>();
  #flushWaiters: FlushWaiter[] = [];

  private constructor(worker: Worker, opened: Opened, options: ReceiptStoreOptions) {
    const { isEmpty, missing, projectedHeight } = opened;
    this.#worker = worker;
    this.#isEmpty = isEmpty;
    this.#missing = missing;
    this.#onDamaged = options.onDamaged;
    this.#projectedHeight = projectedHeight;
    this.#appendedHeight = projectedHeight;
    this.#onFatal = options.onFatal ?? stopProcess;
    worker.on('message', (reply: ReceiptReply) => this.#receive(reply));
    worker.on('error', (error: Error) => this.#fail(error));
    worker.on('exit', (code) => {
      if (!this.#isClosing) this.#fail(new Error(`the receipt worker ended with code ${code}`));
    });
  }

  static async open(options: ReceiptStoreOptions): Promise<ReceiptStore> {
    const workerData = { file: options.file };
    const worker = new Worker(new URL('./receipt-worker.ts', import.meta.url), { workerData });
    const first = await new Promise<Opened>((resolve, reject) => {
      const onExit = (code: number): void => reject(new Error(`it ended with code ${code}`));
      worker.once('error', reject);
      worker.once('exit', onExit);
      const onMessage = (reply: ReceiptReply): void => {
        if (reply.type === 'damaged') {
          options.onDamaged?.(reply);
          return;
        }
        worker.off('error', reject);
        worker.off('exit', onExit);
        worker.off('message', onMessage);
        assert(reply.type === 'opened', 'the receipt worker says first that it is open');
        resolve(reply);
      };
      worker.on('message', onMessage);
    }).catch((cause: unknown) => {
      throw new Error(`the receipts in ${options.file} can't be opened`, { cause });
    });
    return new ReceiptStore(worker, first, options);
  }

  /** True while nothing is stored, so that any block may be the first. */
  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  /** What was lost and has to be computed again. */
  get missing(): MissingReceipts | undefined {
    return this.#missing;
  }

  /** An empty store goes on behind a height; what was before it is missing from then on. */
  startAt(height: number): void {
    if (!this.#isEmpty || height === 0) return;
    this.#isEmpty = false;
    this.#missing = { done: 0, until: height };
    this.#projectedHeight = height;
    this.#appendedHeight = height;
    this.#worker.postMessage({ type: 'startAt', height } satisfies ReceiptRequest);
  }

  /** Stores blocks that were missing, in order; resolves when they are durable. */
  async fillIn(blocks: readonly PackedBlock[]): Promise<void> {
    const reply = await this.#ask((id) => ({ type: 'fill', id, blocks }));
    assert(reply.type === 'filled', 'filling is answered in kind');
    this.#missing = reply.missing;
  }

  /** Receipts up to this height are durable. */
  get projectedHeight(): number {
    return this.#projectedHeight;
  }

  /** Rows that were appended and are not durable yet. */
  get backlog(): number {
    return this.#backlog;
  }

  /** True while so much waits that whoever lets requests in should let in fewer. */
  get isBehind(): boolean {
    return this.#backlog > BACKLOG_ROWS_MAX;
  }

  /** Hands over a block, in order of height. Blocks that were projected before are passed over. */
  append(block: ReceiptBlock): void {
    if (this.#failure !== undefined || block.height <= this.#appendedHeight) return;
    assert(!this.#isClosing, 'nothing is appended to closed receipts');
    this.#appendedHeight = block.height;
    this.#isEmpty = false;
    this.#queue.push(packed(block));
    this.#backlog += block.receipts.length;
    if (this.#isScheduled || this.#messagesUnderWay > 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      if (this.#messagesUnderWay === 0) this.#sendNext();
    });
  }

  /** Resolves when everything up to a height is durable. */
  async flushed(height: number): Promise<void> {
    if (height <= this.#projectedHeight) return;
    if (this.#failure !== undefined) throw this.#failure;
    await new Promise<void>((resolve, reject) => {
      this.#flushWaiters.push({ height, resolve, reject });
    });
  }

  byTxHash(txHash: string): Promise<ReceiptRow | undefined> {
    return this.#find({ by: 'txHash', txHash });
  }

  byTraceId(traceId: string): Promise<ReceiptRow | undefined> {
    return this.#find({ by: 'traceId', traceId });
  }

  bySigner(signer: string, nonce: number): Promise<ReceiptRow | undefined> {
    return this.#find({ by: 'signer', signer, nonce });
  }

  /** Deletes the receipts of blocks before a time; returns how many blocks went. */
  async prune(olderThanMs: number): Promise<number> {
    const reply = await this.#ask((id) => ({ type: 'prune', id, olderThanMs }));
    assert(reply.type === 'pruned', 'pruning is answered in kind');
    return reply.rows;
  }

  /** Makes everything appended durable, then ends the worker. */
  async close(): Promise<void> {
    if (this.#isClosing) return;
    this.#isClosing = true;
    if (this.#failure !== undefined) return;
    const exited = new Promise<void>((resolve) => this.#worker.once('exit', () => resolve()));
    await this.#ask((id) => ({ type: 'close', id }));
    await exited;
  }

  async #find(query: ReceiptQuery): Promise<ReceiptRow | undefined> {
    const reply = await this.#ask((id) => ({ type: 'query', id, query }));
    assert(reply.type === 'answer', 'a query is answered in kind');
    return reply.row;
  }

  #ask(request: (id: number) => ReceiptRequest): Promise<ReceiptReply> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) return reject(this.#failure);
      const id = this.#nextId;
      this.#nextId += 1;
      this.#waiters.set(id, { resolve, reject });
      // Rows first: the worker answers in order, so the answer includes them.
      while (this.#queue.length > 0) this.#sendNext();
      return this.#worker.postMessage(request(id));
    });
  }

  #sendNext(): void {
    let rows = 0;
    let count = 0;
    while (count < this.#queue.length && rows < ROWS_PER_MESSAGE) {
      rows += present(this.#queue[count], 'a queued block').count;
      count += 1;
    }
    if (count === 0) return;
    const blocks = this.#queue.splice(0, count);
    this.#messagesUnderWay += 1;
    this.#worker.postMessage({ type: 'append', blocks } satisfies ReceiptRequest);
  }

  #receive(reply: ReceiptReply): void {
    if (reply.type === 'projected') return this.#advance(reply);
    if (reply.type === 'damaged') {
      this.#missing = reply.missing;
      return this.#onDamaged?.(reply);
    }
    assert(reply.type !== 'opened', 'the receipt worker opens once');
    const waiter = present(this.#waiters.get(reply.id), 'an answer to a question');
    this.#waiters.delete(reply.id);
    return waiter.resolve(reply);
  }

  #advance(reply: { readonly height: number; readonly rows: number }): void {
    this.#projectedHeight = reply.height;
    this.#backlog -= reply.rows;
    this.#messagesUnderWay -= 1;
    if (this.#messagesUnderWay === 0) this.#sendNext();
    const waiting = this.#flushWaiters;
    this.#flushWaiters = waiting.filter((waiter) => waiter.height > reply.height);
    for (const waiter of waiting) if (waiter.height <= reply.height) waiter.resolve();
  }

  #fail(cause: Error): void {
    if (this.#failure !== undefined) return;
    this.#failure = new Error(`receipts are no longer recorded: ${cause.message}`, { cause });
    for (const waiter of this.#waiters.values()) waiter.reject(this.#failure);
    for (const waiter of this.#flushWaiters) waiter.reject(this.#failure);
    this.#waiters.clear();
    this.#flushWaiters = [];
    this.#queue = [];
    this.#onFatal(this.#failure);
  }
}

/** The receipts of a block, ready for the database. */
export function packed({ blockHash, height, receipts, timeMs }: ReceiptBlock): PackedBlock {
  const keys = new Float64Array(2 * receipts.length);
  for (const [index, { nonce, signer, txHash }] of receipts.entries()) {
    keys[2 * index] = hashKey(txHash.slice(2));
    keys[2 * index + 1] = signerKey(signer, nonce);
  }
  return {
    height,
    timeMs,
    blockHash,
    count: receipts.length,
    text: encodeReceipts(height, receipts),
    keys,
  };
}

function stopProcess(error: Error): void {
  // Out of every promise, where nothing can swallow it.
  setImmediate(() => {
    throw error;
  });
}
