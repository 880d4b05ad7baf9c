import { clientOrderKey, type CommandResult, type OrderStatus } from '@oddlot/engine';
import { traceId, type Warning } from '@oddlot/protocol';
import { type Address, assert, type Hash, present } from '@oddlot/units';
import type { Asker } from './history.ts';
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

/** The permanent store of receipts. */
export type ReceiptArchive = {
  /** It has all receipts of blocks up to this height. */
  readonly height: number;
  /** True while it is recomputed and far behind: then memory keeps only the newest receipts. */
  readonly isFarBehind: boolean;
  find(query: ReceiptQuery, asker?: Asker): Promise<ReceiptRow | undefined>;
  /** Throws if it does not have all receipts up to a height. */
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

/** A request that was proposed and is not in a block yet. */
export type Pending = {
  readonly txHash: Hash;
  readonly signer: Address;
  readonly user: Address | null;
  readonly nonce: number;
  readonly actionType: string;
  readonly command: RequestCommand;
  readonly executed: Promise<Executed>;
  /** The outcome in its receipt, starting with the first block that contains it. */
  told?: { readonly height: number; readonly outcome: () => WireOutcome };
};

export type ReceiptsOptions = {
  readonly instruments: InstrumentLookup;
  readonly archive?: ReceiptArchive;
  /** Receives the receipts of each block, which are then not kept in memory. */
  readonly onReceipts?: (block: ReceiptBlock) => void;
  /** Receipts in memory, and the characters of their bodies. */
  readonly recentMax?: number;
  readonly recentCharsMax?: number;
};

type RecentReceipt = MadeReceipt & {
  /** The block that completed it. */
  readonly completedAt: number;
};

/** The maximum of receipts without text; if the archive is slow, texts use less memory than their sources. */
const LATE_MAX = 2_000;
const RECENT_MAX = 100_000;
const RECENT_CHARS_MAX = 64 * 1024 * 1024;

export class Receipts {
  readonly #instruments: InstrumentLookup;
  readonly #archive: ReceiptArchive | undefined;
  readonly #onReceipts: ReceiptsOptions['onReceipts'];
  readonly #recentMax: number;
  readonly #recentCharsMax: number;
  /** In the order of the blocks that completed them, oldest first. */
  readonly #recent = new Map<string, RecentReceipt>();
  readonly #byTraceId = new Map<string, RecentReceipt>();
  readonly #bySigner = new Map<string, RecentReceipt>();
  readonly #pending = new Map<string, Pending>();
  readonly #pendingBySigner = new Map<string, Pending>();
  readonly #queued = new QueuedActions();
  readonly #ended = new EndedOrders();
  /** The ends of orders that the engine has removed. */
  readonly ended: EndedLookup = (account, target) => this.#ended.find(account, target);
  /** Callers that wait for the last order of a queued action. */
  readonly #waiting = new Map<string, ((receipt: Receipt) => void)[]>();
  #chars = 0;
  /** Receipts up to this height are not all in memory, although the archive may lack them. */
  #droppedHeight = 0;
  readonly name = 'queuedActions';
  readonly version = 2;

  constructor(options: ReceiptsOptions) {
    this.#instruments = options.instruments;
    this.#archive = options.archive;
    this.#onReceipts = options.onReceipts;
    this.#recentMax = options.recentMax ?? RECENT_MAX;
    this.#recentCharsMax = options.recentCharsMax ?? RECENT_CHARS_MAX;
  }

  /** Makes the receipts of a block. Must be called for every block in order, including replayed ones. */
  onBlock(block: AppliedBlock): void {
    const { height, timeMs, hash: blockHash } = block;
    this.#ended.onBlock(block);
    const receipts = [...this.#completed(block), ...this.#executed(block)];
    this.#keep({ height, timeMs, blockHash }, receipts);
    for (const receipt of receipts) this.#tell(receipt);
  }

  /** Receipts of earlier eras keep the texts of their release. */
  onEarlierBlock({ head, receipts }: EarlierBlock): void {
    const { hash: blockHash, height, timeMs } = head;
    const made = (receipts as readonly ReceiptRow[]).map(receiptOfRow);
    this.#keep({ height, timeMs, blockHash }, made);
  }

  /** The archive now has the receipts of blocks up to a height. */
  archived(height: number): void {
    for (const recent of this.#recent.values()) {
      if (recent.completedAt > height) return;
      this.#forget(recent);
    }
  }

  /** Receipts in memory that are not in the archive yet. */
  get backlog(): number {
    return this.#recent.size;
  }

  /** True if so many wait for a current archive that fewer requests should be admitted. */
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
    // The archive has the receipts of these replayed blocks.
    if (this.#archive !== undefined && block.height <= this.#archive.height) return;
    for (const receipt of made) this.#remember({ ...receipt, completedAt: block.height });
  }

  /** Registers a proposed request; it is pending until its promise settles. */
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

  /** Requests that wait for their block. */
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

  /** An executed action with an order in the delay queue. */
  queued(key: ReceiptKey): QueuedAction | undefined {
    return this.#queued.find(key);
  }

  /** Resolves when all orders of an executed action have left the delay queue. */
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

  /** A receipt in memory, if no earlier one can exist elsewhere. */
  recent(key: ReceiptKey): Receipt | undefined {
    const recent = this.#recentOf(key);
    const isLater = recent?.isRefused === true && this.#archive !== undefined;
    return recent === undefined || isLater ? undefined : receiptOf(recent);
  }

  /** Like `find`, but rejects if the archive lacks receipts that memory has dropped. */
  async findForSure(key: ReceiptKey, asker?: Asker): Promise<Receipt | undefined> {
    const found = await this.find(key, asker);
    if (found === undefined) this.#archive?.expectWhole(this.#droppedHeight);
    return found;
  }

  /** A receipt from memory or from the archive. */
  async find(key: ReceiptKey, asker?: Asker): Promise<Receipt | undefined> {
    const recent = this.#recentOf(key);
    // The first execution of a nonce counts, which may have been completed last. A refused request may have been
    // executed before, if another replica had it too.
    const isFinal = recent !== undefined && key.by !== 'nonce' && !recent.isRefused;
    const archived = isFinal ? undefined : await this.#archived(key, asker);
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

  async #archived(key: ReceiptKey, asker?: Asker): Promise<ReceiptRow | undefined> {
    const { signer, nonce } = key.by === 'nonce' ? key : { signer: '', nonce: 0 };
    const query: ReceiptQuery = key.by === 'nonce' ? { by: 'signer', signer, nonce } : key;
    return this.#archive?.find(query, asker);
  }

  /** The receipts of earlier actions whose last order left the delay queue in this block. */
  #completed({ height, result }: AppliedBlock): MadeReceipt[] {
    const made: MadeReceipt[] = [];
    for (const event of result.events) {
      if (event.type !== 'outcomeOrderReleased' || !event.wasQueued) continue;
      const { entry, index, txHash } = event;
      const action = present(this.#queued.get(txHash), 'the action of a queued order');
      const { block, command, request, user, warnings } = action;
      const context = { instruments: this.#instruments, texts: requestTexts(request) };
      const told = entryToWire(command, entry, index, context);
      if (!this.#queued.release(action, index, told)) continue;
      const entries = action.entries.filter((each) => each !== null);
      const outcome = { ...entriesToWire(command, entries, warnings), doneHeight: height };
      made.push(madeReceipt(command, { block, index: action.index, user }, outcome));
    }
    return made;
  }

  /** The receipts of the block's own actions, except those with waiting orders. */
  #executed(block: AppliedBlock): MadeReceipt[] {
    const made: MadeReceipt[] = [];
    const { height, result } = block;
    const { events } = result;
    const instruments = this.#instruments;
    for (const [index, { command, request }] of block.commands.entries()) {
      const executed = block.result.outcomes[index];
      if (!isRequest(command) || executed === undefined) continue;
      const { account, entries } = executed;
      const pending = this.#pending.get(authorityOf(command).txHash);
      const done = { block, index, user: account };
      if (this.#hasTime && canWait(command, executed)) {
        const told = once(() => outcomeToWire(command, executed, { instruments }));
        if (pending !== undefined) pending.told ??= { height, outcome: told };
        made.push(lateReceipt(command, done, { told, entries: entries?.length ?? 0 }));
        continue;
      }
      const texts = requestTexts(request);
      const context = { instruments, texts, events, ended: this.ended, account };
      const outcome = outcomeToWire(command, executed, context);
      if (pending !== undefined) pending.told ??= { height, outcome: () => outcome };
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

  #tell(receipt: MadeReceipt): void {
    const { txHash } = receipt.row;
    const waiting = this.#waiting.get(txHash);
    if (waiting === undefined) return;
    this.#waiting.delete(txHash);
    const told = receiptOf(receipt);
    for (const resolve of waiting) resolve(told);
  }

  /** The receipt of the first execution of a hash or nonce is kept: later requests executed nothing. */
  #remember(recent: RecentReceipt): void {
    const { row } = recent;
    const signerKey = keyOf(row.signer, row.nonce);
    const known = this.#bySigner.get(signerKey);
    if (known === undefined || isEarlier(row, known.row)) this.#bySigner.set(signerKey, recent);
    if (this.#recent.has(row.txHash)) return;
    this.#recent.set(row.txHash, recent);
    this.#byTraceId.set(traceId(row.txHash), recent);
    this.#chars += recent.chars;
    // Only memory has receipts that a current archive still lacks.
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

/** True if an order of the action is in the delay queue. */
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

/** The value, computed on the first call. */
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
  /** The request as received. */
  readonly request: string | undefined;
  /** The account of the action. */
  readonly user: Address;
  /** The block that executed it, and the index there. */
  readonly block: { readonly height: number; readonly timeMs: number; readonly hash: Hash };
  readonly index: number;
  /** The results of its orders; null for waiting ones. */
  readonly entries: (WireEntry | null)[];
  readonly warnings: readonly Warning[];
};

/**
 * Actions with incomplete receipts. Derived from blocks like the engine's own queue, which keeps only the orders;
 * plain data for snapshots.
 */
class QueuedActions {
  /** In the order of their execution. */
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

  /** Adds the result of an order that waited; true if it was the last one of its action. */
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

/** The end of an order and its owner. Plain data for snapshots. */
type EndedRow = readonly [
  orderId: number,
  account: Address,
  instrumentId: number,
  clientOrderId: string | null,
  state: Exclude<OrderStatus, 'open'>,
  filled: number,
  filledNotional: number,
];

/** Enough for a burst of late cancels; the history has older ones. */
const ENDED_MAX = 10_000;

/**
 * The orders that ended last. The engine removes an order when it ends; a later cancel or amend returns its end from
 * here.
 */
export class EndedOrders {
  readonly #keptMax: number;
  /** The oldest first. */
  readonly #byOrderId = new Map<number, EndedRow>();
  readonly #byClientId = new Map<string, number>();
  /** An iterator after all removed entries, because a new one would first skip their gaps. */
  #oldest = this.#byOrderId.values();

  constructor(keptMax = ENDED_MAX) {
    this.#keptMax = keptMax;
  }

  onBlock({ result }: Pick<AppliedBlock, 'result'>): void {
    for (const event of result.events) {
      if (event.type !== 'orderUpdated' || event.status === 'open') continue;
      const { account, clientOrderId, filled, filledNotional, instrumentId, orderId } = event.order;
      const { status } = event;
      const client = clientOrderId ?? null;
      this.#add([orderId, account, instrumentId, client, status, filled, filledNotional]);
    }
  }

  /** Undefined if the order is unknown. */
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
    if (this.#byOrderId.size <= this.#keptMax) return;
    const oldest = this.#oldest.next().value;
    if (oldest !== undefined) this.#forget(oldest);
  }

  #forget([orderId, account, , client]: EndedRow): void {
    this.#byOrderId.delete(orderId);
    if (client === null) return;
    const key = clientKey(account, client);
    // A client may reuse an id after its order has ended.
    if (this.#byClientId.get(key) === orderId) this.#byClientId.delete(key);
  }
}

function clientKey(account: Address, clientOrderId: string): string {
  return `${account} ${clientOrderKey(clientOrderId) ?? clientOrderId}`;
}
