import { type BridgeContracts, ON_CHAIN, readState } from '@oddlot/custody/bridge-contract';
import {
  type ChainClient,
  ChainDisagreementError,
  chainFault,
  type ChainReceipt,
  ChainUnavailableError,
} from '@oddlot/custody/chain';
import type { Relayer, SendRecord } from '@oddlot/custody/relayer';
import type { Validator } from '@oddlot/custody/signing';
import { type Command, openWithdrawals, type State } from '@oddlot/engine';
import type { RecordStore } from '@oddlot/host/durable';
import { hash } from '@oddlot/units';
import type { Hex } from 'viem';
import { PayoutBook, TEXTS, waitsText } from './payout-book.ts';
import {
  type FactSource,
  findEnd,
  findFacts,
  nextStepOf,
  paidBy,
  type PayoutFacts,
} from './payout-facts.ts';
import type { PayoutRecord, PayoutStatus } from './payout-record.ts';
import { PayoutSender } from './payout-sender.ts';

type PayoutWorkerOptions = {
  readonly client: ChainClient;
  readonly contracts: BridgeContracts;
  /** The block in which the bridge was created, or any earlier one. */
  readonly fromBlock: number;
  readonly file: string | RecordStore;
  readonly state: () => State;
  readonly propose: (command: Command) => Promise<unknown>;
  readonly now: () => number;
  readonly relayer?: Pick<Relayer, 'address' | 'find' | 'submit' | 'waiting'> | undefined;
  readonly validators: readonly Validator[];
  readonly gasEach?: bigint | undefined;
  readonly patienceMs: number;
  readonly retryMs: number;
};

export type PayoutProgress = {
  readonly status: PayoutStatus;
  readonly txHash: Hex | undefined;
  readonly error: string | undefined;
  /** The detail is for operators only, because it may name machines. */
  readonly detail: string | undefined;
  readonly updatedMs: number;
};

export type PayoutsStatus = {
  readonly open: number;
  /** When the oldest request was made, in milliseconds. */
  readonly oldestMs: number | undefined;
  readonly trouble: string | undefined;
  /** Payouts with an error, and those the chain dropped after they were fully confirmed. */
  readonly troubled: readonly (PayoutProgress & {
    readonly withdrawalId: number;
    readonly isLost: boolean;
  })[];
};

const LOOKS_MAX = 100;
/** The maximum interval between queries for a payout queued on the bridge. */
const QUEUED_MS_MAX = 5_000;
const TROUBLED_MAX = 100;

type Round = {
  readonly confirmed: number;
  readonly blockHash: Hex;
  readonly isPayable: boolean;
  readonly underWay: ReadonlyMap<number, SendRecord>;
  /** The receipts by transaction hash, so that the payouts of a batch share one query. */
  readonly receipts: Map<Hex, Promise<ChainReceipt | undefined>>;
  readonly pay: PayoutRecord[];
  readonly finish: PayoutRecord[];
  readonly cancel: PayoutRecord[];
  readonly ends: End[];
};

/** An obstacle that affects all payouts. `error` is for users and `detail` for operators. */
type Trouble = { readonly error: string; readonly detail: string };

type End = { readonly record: PayoutRecord; readonly paid: boolean; readonly txHash?: Hex };

/**
 * Completes every withdrawal (R-withdraw): held, signed by validators, sent, and settled in the
 * engine when the bridge reports at confirmed depth that it has paid or cancelled it, never
 * earlier. The engine holds the open withdrawals, and the bridge records how they ended; all other
 * records merely track progress. The worker has no timer: callers invoke `step`.
 */
export class PayoutWorker {
  readonly #options: PayoutWorkerOptions;
  readonly #book: PayoutBook;
  readonly #sender: PayoutSender;
  readonly #settled: SettledPayouts;
  readonly #searches = new Map<number, number>();
  #trouble: Trouble | undefined = undefined;

  constructor(options: PayoutWorkerOptions) {
    const { file, now, retryMs } = options;
    this.#options = options;
    this.#book = new PayoutBook({ file, domain: this.#domain, now, retryMs });
    this.#sender = new PayoutSender({ ...options, book: this.#book });
    this.#settled = new SettledPayouts({ ...options, book: this.#book });
  }

  /** The number of unreadable lines in the file. Their content can be recovered from the chain. */
  get damaged(): number {
    return this.#book.damaged;
  }

  progressOf(withdrawalId: number): PayoutProgress | undefined {
    const record = this.#book.get(withdrawalId);
    return record === undefined ? undefined : this.#progress(record);
  }

  get status(): PayoutsStatus {
    const open = this.#book.followed();
    const requested = open.map(({ requestedMs }) => requestedMs);
    const troubled = open.flatMap((record) => {
      const { isLost = false, payableAtMs = 0, withdrawalId } = record;
      const progress = this.#progress(record);
      const isFine = progress.error === undefined || payableAtMs > this.#options.now();
      return isFine ? [] : [{ withdrawalId, isLost, ...progress }];
    });
    return {
      open: open.length,
      oldestMs: requested.length === 0 ? undefined : Math.min(...requested),
      trouble: this.#trouble?.detail,
      troubled: troubled.slice(0, TROUBLED_MAX),
    };
  }

  /**
   * Runs one round. Returns true if more work is available immediately. Chain errors are reported
   * in the status rather than thrown.
   */
  async step(): Promise<boolean> {
    const { withdrawals, isPayable } = openWithdrawals(this.#options.state());
    this.#book.adopt(withdrawals);
    try {
      const hasMore = await this.#step(isPayable);
      this.#trouble = undefined;
      return hasMore;
    } catch (error) {
      const isContradiction = error instanceof ChainDisagreementError;
      if (!isContradiction && !(error instanceof ChainUnavailableError)) throw error;
      const text = isContradiction ? TEXTS.disagrees : TEXTS.unavailable;
      this.#trouble = { error: text, detail: chainFault(error) };
      return false;
    } finally {
      await this.#book.flush();
    }
  }

  /** Stops all payouts and gives their owners the reason. */
  async halt(detail: string): Promise<void> {
    this.#book.adopt(openWithdrawals(this.#options.state()).withdrawals);
    this.#trouble = { error: TEXTS.foreign, detail };
    await this.#book.flush();
  }

  close(): void {
    this.#book.close();
  }

  #progress(record: PayoutRecord): PayoutProgress {
    const { detail, error, sent, status, updatedMs } = record;
    const sending = sent === undefined ? undefined : this.#sender.find(sent);
    const txHash = sending?.mined?.txHash ?? sending?.attempts.at(-1)?.txHash ?? record.txHash;
    const known = { status, txHash, updatedMs };
    if (error !== undefined) return { ...known, error, detail };
    if (record.isLost === true) return { ...known, error: TEXTS.lost, detail };
    const unsent = sending?.trouble;
    if (unsent !== undefined) return { ...known, error: TEXTS.unsent, detail: unsent };
    return { ...known, error: this.#trouble?.error, detail: this.#trouble?.detail };
  }

  async #step(isPayable: boolean): Promise<boolean> {
    const { client } = this.#options;
    const book = this.#book;
    if (book.followed().length === 0 && !this.#settled.isDue) return false;
    const { confirmed } = await client.head();
    if (this.#settled.isDue) await this.#settled.check(confirmed);
    const due = book.followed().filter((record) => this.#isDue(record, confirmed));
    if (due.length === 0) return false;
    const round: Round = {
      confirmed,
      // The hash is read before the states: if the chain changes in between, the mismatch between
      // hash and states reveals the change.
      blockHash: (await client.blockHash(confirmed)) ?? '0x',
      isPayable,
      underWay: this.#sender.underWay(),
      receipts: new Map(),
      pay: [],
      finish: [],
      cancel: [],
      ends: [],
    };
    const looked = book.inTurn(due).slice(0, LOOKS_MAX);
    await inGroups(looked, (record) => this.#look(record, round));
    await this.#settle(round);
    const isSent = await this.#sender.send(round);
    return isSent || (round.ends.length > 0 && due.length > looked.length);
  }

  /**
   * Returns whether the bridge must be queried, which is when a transaction has completed, and
   * periodically otherwise.
   */
  #isDue(record: PayoutRecord, confirmed: number): boolean {
    const { sent } = record;
    if (sent === undefined) return this.#book.isDue(record);
    const mined = this.#sender.find(sent)?.mined;
    const isThrough = mined?.isConfirmed === true && mined.blockNumber <= confirmed;
    return isThrough || this.#book.isDue(record);
  }

  /** Determines the facts and performs the resulting step (`TRANSITIONS`). */
  async #look(record: PayoutRecord, round: Round): Promise<void> {
    const seen = await findFacts(record, round, this.#sourceOf(round));
    const { facts } = seen;
    const book = this.#book;
    switch (nextStepOf(facts)) {
      case 'leave to the operator of the other bridge':
        return book.wait(record, TEXTS.otherBridge);
      case 'take to this bridge':
        return book.scheduleCheck(book.update(record, this.#domain));
      case 'report paid after return':
        return book.wait(record, TEXTS.paidAfterReturn);
      case 'report another payout':
        return book.wait(record, TEXTS.otherPayout);
      case 'settle as paid':
        return this.#settleAsPaid(record, round);
      case 'settle as cancelled':
        return this.#settleAsCancelled(record, round);
      case 'wait for the transaction':
        return this.#waitForTransaction(record, round, facts);
      case 'wait for its block':
        return undefined;
      case 'note the refusal':
        // A batch reports a refusal only once, so it is checked again before the next attempt.
        return void book.refuse(book.update(record, { sent: undefined }), seen.refusal);
      case 'wait until it is due':
        return this.#waitUntil(record, seen.payableAtMs ?? 0);
      case 'wait for the fund':
        return book.hold(book.update(record, { sent: undefined }), TEXTS.deficit);
      case 'pay':
        return void round.pay.push(book.update(record, { sent: undefined }));
      case 'finish':
        return void round.finish.push(book.update(record, { sent: undefined }));
      case 'cancel':
        return void round.cancel.push(
          facts.onBridge === 'queued' ? record : book.update(record, { sent: undefined }),
        );
    }
  }

  #sourceOf(round: Round): FactSource {
    return {
      client: this.#options.client,
      contracts: this.#options.contracts,
      now: this.#options.now,
      find: (key) => this.#sender.find(key),
      receipt: (txHash) => this.#receipt(txHash, round),
    };
  }

  get #domain(): { readonly chainId: number; readonly bridge: Hex } {
    const { client, contracts } = this.#options;
    return { chainId: client.chainId, bridge: contracts.bridge };
  }

  #waitForTransaction(record: PayoutRecord, round: Round, { onBridge }: PayoutFacts): void {
    const book = this.#book;
    const underWay = round.underWay.get(record.withdrawalId);
    if (onBridge === 'queued' || underWay === undefined) {
      book.wait(record, record.error);
      return;
    }
    const { attempts, key } = underWay;
    const txHash = attempts.at(-1)?.txHash;
    book.wait(book.update(record, { sent: key, status: 'sent', txHash }), record.cancel);
  }

  #waitUntil(record: PayoutRecord, payableAtMs: number): void {
    const error = waitsText(payableAtMs);
    const changes = { sent: undefined, status: 'sent', payableAtMs, error } as const;
    const inMs = Math.min(payableAtMs - this.#options.now(), QUEUED_MS_MAX);
    this.#book.wait(this.#book.update(record, changes), error, inMs);
  }

  async #settleAsPaid(record: PayoutRecord, round: Round): Promise<void> {
    const sent = record.sent === undefined ? undefined : this.#sender.find(record.sent);
    const txHash = sent?.mined?.txHash ?? record.txHash;
    const receipt = txHash === undefined ? undefined : await this.#receipt(txHash, round);
    const own = receipt === undefined ? undefined : paidBy(receipt.logs, record);
    const found = own ?? (await this.#search(record, round));
    if (found === undefined) return;
    round.ends.push({ record, paid: true, txHash: found });
  }

  #receipt(txHash: Hex, { receipts }: Round): Promise<ChainReceipt | undefined> {
    const asked = receipts.get(txHash) ?? this.#options.client.receipt(txHash);
    receipts.set(txHash, asked);
    return asked;
  }

  /**
   * Searches for another sender's transaction, which must have paid exactly this payout under this
   * number.
   */
  async #search(record: PayoutRecord, round: Round): Promise<Hex | undefined> {
    const { client, contracts, fromBlock } = this.#options;
    const { withdrawalId } = record;
    const upTo = this.#searches.get(withdrawalId) ?? round.confirmed;
    const search = { client, bridge: contracts.bridge, fromBlock };
    const { logs, nextBlock } = await findEnd(search, record, upTo);
    const txHash = paidBy(logs, record);
    if (txHash === undefined && nextBlock !== undefined) {
      this.#searches.set(withdrawalId, nextBlock);
      this.#book.hold(record, TEXTS.noProof);
      return undefined;
    }
    this.#searches.delete(withdrawalId);
    if (txHash === undefined)
      this.#book.wait(record, logs.length === 0 ? TEXTS.noProof : TEXTS.otherPayout);
    return txHash;
  }

  async #settleAsCancelled(record: PayoutRecord, round: Round): Promise<void> {
    const { client, contracts, fromBlock } = this.#options;
    const sent = record.sent === undefined ? undefined : this.#sender.find(record.sent);
    const own = sent?.key.startsWith('cancel:') === true ? sent.mined?.txHash : undefined;
    if (own !== undefined) {
      round.ends.push({ record, paid: false, txHash: own });
      return;
    }
    const search = { client, bridge: contracts.bridge, fromBlock };
    const { logs } = await findEnd(search, record, round.confirmed);
    const txHash = logs[0]?.txHash;
    round.ends.push({ record, paid: false, ...(txHash === undefined ? {} : { txHash }) });
  }

  /** Settles payouts. Results are on disk before they are reported to the engine. */
  async #settle({ blockHash, confirmed, ends }: Round): Promise<void> {
    const book = this.#book;
    // The chain is checked first, because otherwise new results would appear to confirm older ones
    // on a chain that does not contain them.
    if (ends.length > 0) await this.#settled.check(confirmed);
    for (const { paid, record, txHash } of ends) {
      const end = { paid, block: confirmed, blockHash };
      const more = { end, isLost: undefined, refused: undefined, sent: undefined };
      const cancel = paid ? undefined : (record.cancel ?? TEXTS.cancelled);
      const cancelled = { cancel, error: cancel, status: 'sent', txHash } as const;
      book.scheduleCheck(book.update(record, { ...more, ...cancelled }));
    }
    await book.flush();
    await Promise.all(
      ends.map(async ({ paid, record, txHash }) => {
        if (!book.isOpen(record)) return;
        const { withdrawalId } = record;
        const error = paid ? undefined : book.get(withdrawalId)?.cancel;
        await this.#options.propose({
          type: 'settleWithdrawal',
          withdrawalId,
          paid,
          blockNumber: confirmed,
          ...(txHash === undefined ? {} : { txHash: hash(txHash) }),
          ...(error === undefined ? {} : { error }),
        });
      }),
    );
  }
}

const CHECK_EVERY_MS = 5_000;

type SettledPayoutsOptions = {
  readonly client: ChainClient;
  readonly contracts: BridgeContracts;
  readonly now: () => number;
  readonly book: PayoutBook;
};

/**
 * Periodically verifies that the chain still contains the results of settled payouts. One hash is
 * sufficient, because a chain that differs below the newest result also differs at that result. A
 * lost payout is processed as if it were open and is paid or cancelled again; nothing is reported
 * to the engine a second time.
 */
class SettledPayouts {
  readonly #options: SettledPayoutsOptions;
  #checkedMs = 0;

  constructor(options: SettledPayoutsOptions) {
    this.#options = options;
  }

  get isDue(): boolean {
    return Math.abs(this.#options.now() - this.#checkedMs) >= CHECK_EVERY_MS;
  }

  async check(confirmed: number): Promise<void> {
    const { book, client, contracts, now } = this.#options;
    const ended = book.ended().filter((record) => record.bridge === contracts.bridge);
    const ends = ended.flatMap(({ end }) => (end === undefined ? [] : [end]));
    const newest = ends.toSorted((a, b) => b.block - a.block)[0];
    const isSame =
      newest === undefined ||
      // Endpoints that lag behind are not evidence of a change.
      confirmed < newest.block ||
      (await client.blockHash(newest.block)) === newest.blockHash;
    if (!isSame) await this.#findLost(ended, confirmed);
    this.#checkedMs = now();
  }

  /**
   * All payouts are queried before any result is stored, because an incomplete result could be
   * mistaken for a complete one.
   */
  async #findLost(ended: readonly PayoutRecord[], block: number): Promise<void> {
    const { book, client, contracts } = this.#options;
    const blockHash = (await client.blockHash(block)) ?? '0x';
    const states = new Map<number, number>();
    await inGroups(ended, async ({ withdrawalId }) => {
      const at = { withdrawalId, block };
      states.set(withdrawalId, await readState(client, contracts.bridge, at));
    });
    const isLostNow = ({ end, withdrawalId }: PayoutRecord): boolean =>
      states.get(withdrawalId) !== (end?.paid === true ? ON_CHAIN.paid : ON_CHAIN.cancelled);
    const lostFirst = ended.toSorted((a, b) => Number(isLostNow(b)) - Number(isLostNow(a)));
    for (const record of lostFirst) {
      const { end } = record;
      if (end === undefined) continue;
      const lost = isLostNow(record) ? { isLost: true, sent: undefined } : { isLost: undefined };
      book.scheduleCheck(book.update(record, { end: { ...end, block, blockHash }, ...lost }));
    }
  }
}

const AT_ONCE_MAX = 16;

async function inGroups<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  for (let from = 0; from < items.length; from += AT_ONCE_MAX) {
    await Promise.all(items.slice(from, from + AT_ONCE_MAX).map(work));
  }
}
