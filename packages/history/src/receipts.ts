import { splitEvents } from '@oddlot/translate/read-models/block-events';
import { clientOrderKey, type CommandResult, type OrderStatus } from '@oddlot/engine';
import { traceId, type Warning } from '@oddlot/protocol';
import { type Address, assert, type Hash, present } from '@oddlot/units';
import type { Requester } from './history.ts';
import {
  canWait,
  decodeReceiptBody,
  lateReceipt,
  type MadeReceipt,
  madeReceipt,
  type ReceiptBlock,
  type ReceiptKey,
  receiptOfRow,
  type ReceiptQuery,
  type ReceiptRow,
} from './receipt.ts';
import type { InstrumentLookup } from '@oddlot/translate/action-to-command';
import type { EndedLookup, EndedOrder, OrderTarget } from '@oddlot/translate/outcome/ended-order';
import {
  type AppliedBlock,
  authorityOf,
  type EarlierBlock,
  type Executed,
  isRequest,
  type RequestCommand,
} from '@oddlot/replica/block';
import { requestTexts } from '@oddlot/translate/reject-to-wire';
import {
  entriesToWire,
  entryToWire,
  outcomeToWire,
  type WireEntry,
  type WireOutcome,
} from '@oddlot/translate/outcome-to-wire';

export type ReceiptArchive = {
  readonly height: number;
  /**
   * True while the archive is being recomputed and is far behind. Meanwhile, only the newest
   * receipts are kept in memory.
   */
  readonly isFarBehind: boolean;
  find(query: ReceiptQuery, requester?: Requester): Promise<ReceiptRow | undefined>;
  /** Throws if the archive lacks receipts of any block up to a height. */
  expectWhole(height: number): void;
};

export type Receipt = {
  readonly txHash: Hash;
  readonly signer: Address;
  /** The account of the action; null if the signer had no role. */
  readonly user: Address | null;
  readonly nonce: number;
  readonly actionType: string;
  readonly block: { readonly height: number; readonly time: number; readonly hash: Hash };
  readonly outcome: WireOutcome;
};

export type Pending = {
  readonly txHash: Hash;
  readonly signer: Address;
  readonly user: Address | null;
  readonly nonce: number;
  readonly actionType: string;
  readonly command: RequestCommand;
  readonly executed: Promise<Executed>;
  /** The outcome of the request and the first block that contains it. */
  firstOutcome?: { readonly height: number; readonly outcome: () => WireOutcome };
};

export type ReceiptsOptions = {
  readonly instruments: InstrumentLookup;
  readonly archive?: ReceiptArchive;
  /**
   * Creates receipts only for actions sent by clients. Simulations log signed actions without a
   * request, and no client can ask for their receipts.
   */
  readonly isForRequests?: boolean;
  /** Receives the receipts of each block. If present, receipts are not kept in memory. */
  readonly onReceipts?: (block: ReceiptBlock) => void;
  /** The maximum number of receipts in memory, and of characters in their texts. */
  readonly recentMax?: number;
  readonly recentCharsMax?: number;
};

type RecentReceipt = MadeReceipt & {
  readonly completedAt: number;
};

/**
 * The maximum number of receipts whose text has not been built. If there are more, texts are built,
 * because they use less memory than their sources.
 */
const LATE_MAX = 2_000;
const RECENT_MAX = 100_000;
const RECENT_CHARS_MAX = 64 * 1024 * 1024;

export class Receipts {
  readonly #instruments: InstrumentLookup;
  readonly #archive: ReceiptArchive | undefined;
  readonly #isForRequests: boolean;
  readonly #onReceipts: ReceiptsOptions['onReceipts'];
  readonly #recentMax: number;
  readonly #recentCharsMax: number;
  /** Receipts by transaction hash, in the order blocks completed them. */
  readonly #recent = new Map<string, RecentReceipt>();
  readonly #byTraceId = new Map<string, RecentReceipt>();
  readonly #bySigner = new Map<string, RecentReceipt>();
  readonly #pending = new Map<string, Pending>();
  readonly #pendingBySigner = new Map<string, Pending>();
  readonly #queued = new QueuedActions();
  readonly #ended = new EndedOrders();
  /** Finds the final state of orders already removed by the engine. */
  readonly ended: EndedLookup = (account, target) => this.#ended.find(account, target);
  readonly #waiting = new Map<string, ((receipt: Receipt) => void)[]>();
  #chars = 0;
  /**
   * The height up to which receipts have been dropped from memory, whether or not the archive has
   * them.
   */
  #droppedHeight = 0;
  readonly name = 'queuedActions';
  readonly version = 2;

  constructor(options: ReceiptsOptions) {
    this.#instruments = options.instruments;
    this.#archive = options.archive;
    this.#isForRequests = options.isForRequests ?? false;
    this.#onReceipts = options.onReceipts;
    this.#recentMax = options.recentMax ?? RECENT_MAX;
    this.#recentCharsMax = options.recentCharsMax ?? RECENT_CHARS_MAX;
  }

  /**
   * Creates the receipts of a block. Must be called for every block in order, including replayed
   * ones.
   */
  onBlock(block: AppliedBlock): void {
    const { height, timeMs, hash: blockHash } = block;
    this.#ended.onBlock(block);
    const receipts = [...this.#completed(block), ...this.#executed(block)];
    this.#keep({ height, timeMs, blockHash }, receipts);
    for (const receipt of receipts) this.#resolve(receipt);
  }

  /** Receipts of earlier eras keep the texts of the release that created them. */
  onEarlierBlock({ head, receipts }: EarlierBlock): void {
    const { hash: blockHash, height, timeMs } = head;
    const made = (receipts as readonly ReceiptRow[]).map(receiptOfRow);
    this.#keep({ height, timeMs, blockHash }, made);
  }

  archived(height: number): void {
    for (const recent of this.#recent.values()) {
      if (recent.completedAt > height) return;
      this.#forget(recent);
    }
  }

  get backlog(): number {
    return this.#recent.size;
  }

  /**
   * True if so many receipts are waiting for the archive that fewer requests should be accepted.
   */
  get isBehind(): boolean {
    return this.#archive?.isFarBehind === false && this.#isFull;
  }

  get #isFull(): boolean {
    return this.#recent.size > this.#recentMax || this.#chars > this.#recentCharsMax;
  }

  #keep(block: Omit<ReceiptBlock, 'receipts'>, made: readonly MadeReceipt[]): void {
    if (this.#onReceipts !== undefined) {
      const receipts = made.map(({ body, row }) => ({ ...row, body: body() }));
      this.#onReceipts({ ...block, receipts });
      return;
    }
    // The archive already has the receipts of this replayed block.
    if (this.#archive !== undefined && block.height <= this.#archive.height) return;
    for (const receipt of made) this.#remember({ ...receipt, completedAt: block.height });
  }

  /** Registers a proposed request, which is pending until its promise settles. */
  track(pending: Pending): Pending {
    const { txHash, executed } = pending;
    const signerKey = keyOf(pending.signer, pending.nonce);
    this.#pending.set(txHash, pending);
    this.#pendingBySigner.set(signerKey, pending);
    const forget = (): void => {
      this.#pending.delete(txHash);
      this.#pendingBySigner.delete(signerKey);
    };
    executed.then(forget, forget);
    return pending;
  }

  get pendingCount(): number {
    return this.#pending.size;
  }

  pending(key: ReceiptKey): Pending | undefined {
    if (key.by === 'txHash') return this.#pending.get(key.txHash);
    if (key.by === 'nonce') return this.#pendingBySigner.get(keyOf(key.signer, key.nonce));
    for (const pending of this.#pending.values()) {
      if (traceId(pending.txHash) === key.traceId) return pending;
    }
    return undefined;
  }

  queued(key: ReceiptKey): QueuedAction | undefined {
    return this.#queued.find(key);
  }

  async completed(txHash: Hash): Promise<Receipt> {
    const key = { by: 'txHash', txHash } as const;
    if (this.#queued.get(txHash) === undefined) {
      return present(await this.find(key), 'the receipt of an executed action');
    }
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(txHash);
      if (waiting === undefined) this.#waiting.set(txHash, [resolve]);
      else waiting.push(resolve);
    });
  }

  dump(): unknown {
    return { queued: this.#queued.dump(), ended: this.#ended.dump() };
  }

  reset(): void {
    this.#queued.clear();
    this.#ended.clear();
  }

  restore(data: unknown): void {
    const { queued, ended } = data as {
      readonly queued: ReturnType<QueuedActions['dump']>;
      readonly ended: ReturnType<EndedOrders['dump']>;
    };
    this.#queued.restore(queued);
    this.#ended.restore(ended);
  }

  /** Returns a receipt from memory, unless the archive could have an earlier one. */
  recent(key: ReceiptKey): Receipt | undefined {
    const recent = this.#recentOf(key);
    const isLater = recent?.isRefused === true && this.#archive !== undefined;
    return recent === undefined || isLater ? undefined : receiptOf(recent);
  }

  /**
   * Like `find`, but rejects if receipts already dropped from memory are missing from the archive.
   */
  async findForSure(key: ReceiptKey, requester?: Requester): Promise<Receipt | undefined> {
    const found = await this.find(key, requester);
    if (found === undefined) this.#archive?.expectWhole(this.#droppedHeight);
    return found;
  }

  async find(key: ReceiptKey, requester?: Requester): Promise<Receipt | undefined> {
    const recent = this.#recentOf(key);
    // Only the first execution of a nonce counts, even if it was completed last. A request that was
    // refused here may have been executed earlier if another replica also received it.
    const isFinal = recent !== undefined && key.by !== 'nonce' && !recent.isRefused;
    const archived = isFinal ? undefined : await this.#archived(key, requester);
    if (archived !== undefined && !isEarlier(recent?.row, archived)) {
      return receiptOf(receiptOfRow(archived));
    }
    return recent === undefined ? undefined : receiptOf(recent);
  }

  #recentOf(key: ReceiptKey): RecentReceipt | undefined {
    if (key.by === 'txHash') return this.#recent.get(key.txHash);
    if (key.by === 'traceId') return this.#byTraceId.get(key.traceId);
    return this.#bySigner.get(keyOf(key.signer, key.nonce));
  }

  async #archived(key: ReceiptKey, requester?: Requester): Promise<ReceiptRow | undefined> {
    const { signer, nonce } = key.by === 'nonce' ? key : { signer: '', nonce: 0 };
    const query: ReceiptQuery = key.by === 'nonce' ? { by: 'signer', signer, nonce } : key;
    return this.#archive?.find(query, requester);
  }

  /**
   * Returns the receipts of earlier actions whose last order left the delay queue in this block.
   */
  #completed(releasing: AppliedBlock): MadeReceipt[] {
    const made: MadeReceipt[] = [];
    for (const event of splitEvents(releasing).others) {
      if (event.type !== 'outcomeOrderReleased' || !event.wasQueued) continue;
      const { entry, index, txHash } = event;
      const queued = this.#queued.get(txHash);
      if (queued === undefined && this.#isForRequests) continue;
      const action = present(queued, 'the action of a queued order');
      const { block, command, request, user, warnings } = action;
      const context = { instruments: this.#instruments, texts: requestTexts(request) };
      const wireEntry = entryToWire(command, entry, index, context);
      if (!this.#queued.release(action, index, wireEntry)) continue;
      const entries = action.entries.filter((each) => each !== null);
      const doneHeight = releasing.height;
      const outcome = { ...entriesToWire(command, entries, warnings), doneHeight };
      made.push(madeReceipt(command, { block, index: action.index, user }, outcome));
    }
    return made;
  }

  /** Returns the receipts of the block's own actions, except those with queued orders. */
  #executed(block: AppliedBlock): MadeReceipt[] {
    const made: MadeReceipt[] = [];
    const { height, result } = block;
    const { events } = result;
    const instruments = this.#instruments;
    for (const [index, { command, request }] of block.commands.entries()) {
      const executed = block.result.outcomes[index];
      if (!isRequest(command) || executed === undefined) continue;
      if (this.#isForRequests && request === undefined) continue;
      const { account, entries } = executed;
      const pending = this.#pending.get(authorityOf(command).txHash);
      const done = { block, index, user: account };
      if (this.#hasTime && canWait(command, executed)) {
        const outcome = once(() => outcomeToWire(command, executed, { instruments }));
        if (pending !== undefined) pending.firstOutcome ??= { height, outcome };
        made.push(lateReceipt(command, done, { outcome, entries: entries?.length ?? 0 }));
        continue;
      }
      const texts = requestTexts(request);
      const context = { instruments, texts, events, ended: this.ended, account };
      const outcome = outcomeToWire(command, executed, context);
      if (pending !== undefined) pending.firstOutcome ??= { height, outcome: () => outcome };
      if (account !== undefined && hasQueued(executed)) {
        const { timeMs, hash } = block;
        const queued = (entries ?? []).map((entry, at) =>
          entry.state === 'queued' ? null : entryToWire(command, entry, at, context),
        );
        const { warnings } = outcome;
        const at = { height, timeMs, hash };
        const action = { command, request, user: account, block: at, index, warnings };
        this.#queued.add({ ...action, entries: queued });
      } else {
        const isRefused = executed.reject !== undefined;
        made.push({ ...madeReceipt(command, done, outcome), isRefused });
      }
    }
    return made;
  }

  get #hasTime(): boolean {
    return this.#onReceipts === undefined && this.#recent.size < LATE_MAX;
  }

  #resolve(receipt: MadeReceipt): void {
    const { txHash } = receipt.row;
    const waiting = this.#waiting.get(txHash);
    if (waiting === undefined) return;
    this.#waiting.delete(txHash);
    const made = receiptOf(receipt);
    for (const resolve of waiting) resolve(made);
  }

  /**
   * Keeps the receipt of the first execution of a hash or nonce, because later requests executed
   * nothing.
   */
  #remember(recent: RecentReceipt): void {
    const { row } = recent;
    const signerKey = keyOf(row.signer, row.nonce);
    const known = this.#bySigner.get(signerKey);
    if (known === undefined || isEarlier(row, known.row)) this.#bySigner.set(signerKey, recent);
    if (this.#recent.has(row.txHash)) return;
    this.#recent.set(row.txHash, recent);
    this.#byTraceId.set(traceId(row.txHash), recent);
    this.#chars += recent.chars;
    // Receipts missing from an up-to-date archive exist only in memory, so they are not dropped.
    if (this.#archive?.isFarBehind === false) return;
    while (this.#isFull) {
      const oldest = this.#recent.values().next().value;
      if (oldest === undefined) return;
      this.#droppedHeight = oldest.completedAt;
      this.#forget(oldest);
    }
  }

  #forget(recent: RecentReceipt): void {
    const { chars, row } = recent;
    const signerKey = keyOf(row.signer, row.nonce);
    this.#recent.delete(row.txHash);
    this.#byTraceId.delete(traceId(row.txHash));
    if (this.#bySigner.get(signerKey) === recent) this.#bySigner.delete(signerKey);
    this.#chars -= chars;
  }
}

export function hasQueued({ entries = [] }: CommandResult): boolean {
  return entries.some(({ state }) => state === 'queued');
}

type Aged = Pick<ReceiptRow, 'height'>;

function isEarlier(row: Aged | undefined, other: Aged): boolean {
  return row !== undefined && row.height < other.height;
}

function keyOf(signer: string, nonce: number): string {
  return `${signer} ${nonce}`;
}

function once<Value extends object>(compute: () => Value): () => Value {
  let value: Value | undefined;
  return () => (value ??= compute());
}

function receiptOf({ body, row }: MadeReceipt): Receipt {
  const { txHash, signer, nonce, actionType, height, timeMs, blockHash } = row;
  const { outcome, hasUser } = decodeReceiptBody(body());
  return {
    txHash,
    signer,
    user: hasUser ? row.user : null,
    nonce,
    actionType,
    block: { height, time: timeMs, hash: blockHash },
    outcome,
  };
}

/** An executed action with at least one order in the delay queue (R-delay). */
export type QueuedAction = {
  readonly command: RequestCommand;
  readonly request: string | undefined;
  readonly user: Address;
  readonly block: { readonly height: number; readonly timeMs: number; readonly hash: Hash };
  readonly index: number;
  /** The results of the orders; null for those that are still in the queue. */
  readonly entries: (WireEntry | null)[];
  readonly warnings: readonly Warning[];
};

/**
 * The actions with incomplete receipts, as plain data for snapshots. They are derived from blocks,
 * because the engine's queue keeps only the orders.
 */
class QueuedActions {
  readonly #byTxHash = new Map<string, QueuedAction>();

  add(action: QueuedAction): void {
    this.#byTxHash.set(authorityOf(action.command).txHash, action);
  }

  get(txHash: string): QueuedAction | undefined {
    return this.#byTxHash.get(txHash);
  }

  find(key: ReceiptKey): QueuedAction | undefined {
    if (key.by === 'txHash') return this.get(key.txHash);
    for (const action of this.#byTxHash.values()) {
      const { nonce, signer, txHash } = authorityOf(action.command);
      const isFound =
        key.by === 'traceId'
          ? traceId(txHash) === key.traceId
          : signer === key.signer && nonce === key.nonce;
      if (isFound) return action;
    }
    return undefined;
  }

  /**
   * Records the result of a released order. Returns true if it was the last order of its action.
   */
  release(action: QueuedAction, index: number, entry: WireEntry): boolean {
    assert(action.entries[index] === null, 'only a waiting order can be released');
    action.entries[index] = entry;
    if (action.entries.includes(null)) return false;
    this.#byTxHash.delete(authorityOf(action.command).txHash);
    return true;
  }

  dump(): readonly QueuedAction[] {
    return [...this.#byTxHash.values()];
  }

  clear(): void {
    this.#byTxHash.clear();
  }

  restore(actions: readonly QueuedAction[]): void {
    for (const action of actions) this.add(action);
  }
}

/** The final state of an order and its owner, as plain data for snapshots. */
type EndedRow = readonly [
  orderId: number,
  account: Address,
  instrumentId: number,
  clientOrderId: string | null,
  state: Exclude<OrderStatus, 'open'>,
  filled: number,
  filledNotional: number,
];

/** Enough for a burst of late cancellations; older orders are in the history. */
const ENDED_MAX = 10_000;

/**
 * The orders that ended most recently. The engine removes an order when it ends; late cancellations
 * and amends find its final state here.
 */
export class EndedOrders {
  readonly #ordersMax: number;
  readonly #byOrderId = new Map<number, EndedRow>();
  readonly #byClientId = new Map<string, number>();
  /**
   * A persistent iterator that is already past all removed entries; a new iterator would have to
   * skip the gaps they left in the map.
   */
  #oldest = this.#byOrderId.values();

  constructor(ordersMax = ENDED_MAX) {
    this.#ordersMax = ordersMax;
  }

  onBlock(block: Pick<AppliedBlock, 'result'>): void {
    for (const event of splitEvents(block).orders) {
      if (event.status === 'open') continue;
      const { account, clientOrderId, filled, filledNotional, instrumentId, orderId } = event.order;
      const { status } = event;
      const client = clientOrderId ?? null;
      this.#add([orderId, account, instrumentId, client, status, filled, filledNotional]);
    }
  }

  find(account: Address, target: OrderTarget): EndedOrder | undefined {
    const { clientOrderId, instrumentId } = target;
    const orderId =
      target.orderId ??
      (clientOrderId === undefined
        ? undefined
        : this.#byClientId.get(clientKey(account, clientOrderId)));
    const row = orderId === undefined ? undefined : this.#byOrderId.get(orderId);
    if (row === undefined) return undefined;
    const [, owner, instrument, client, state, filled, filledNotional] = row;
    if (owner !== account || instrument !== instrumentId) return undefined;
    return { orderId, clientOrderId: client ?? undefined, state, filled, filledNotional };
  }

  dump(): readonly EndedRow[] {
    return [...this.#byOrderId.values()];
  }

  restore(rows: readonly EndedRow[]): void {
    for (const row of rows) this.#add(row);
  }

  clear(): void {
    this.#byOrderId.clear();
    this.#byClientId.clear();
    this.#oldest = this.#byOrderId.values();
  }

  #add(row: EndedRow): void {
    const [orderId, account, , client] = row;
    this.#byOrderId.delete(orderId);
    this.#byOrderId.set(orderId, row);
    if (client !== null) this.#byClientId.set(clientKey(account, client), orderId);
    if (this.#byOrderId.size <= this.#ordersMax) return;
    const oldest = this.#oldest.next().value;
    if (oldest !== undefined) this.#forget(oldest);
  }

  #forget([orderId, account, , client]: EndedRow): void {
    this.#byOrderId.delete(orderId);
    if (client === null) return;
    const key = clientKey(account, client);
    // A client can reuse an id after its order has ended.
    if (this.#byClientId.get(key) === orderId) this.#byClientId.delete(key);
  }
}

function clientKey(account: Address, clientOrderId: string): string {
  return `${account} ${clientOrderKey(clientOrderId) ?? clientOrderId}`;
}
