import type { RecordStore } from '@oddlot/host/durable';
import { type Hex, keccak256, type LocalAccount } from 'viem';
import type { ChainClient, ChainFees } from '../chain/chain-client.ts';
import { chainFault } from '../chain/endpoints.ts';
import { type Attempt, SendJournal, type SendRecord } from './send-journal.ts';

export type { SendRecord } from './send-journal.ts';

/** A requested transaction. It is executed once, even if the contract would accept it twice. */
type SendRequest = {
  /**
   * A permanent key that identifies the transaction. A request with a known key is not sent again.
   */
  readonly key: string;
  readonly to: Hex;
  readonly data: Hex;
  /** The ether to send with the transaction, in wei. */
  readonly value?: bigint;
  /**
   * The gas limit. If it is undefined, the gas is estimated, and a call that would revert is
   * rejected with ChainRevertError.
   */
  readonly gas?: bigint;
};

type RelayerOptions = {
  readonly client: ChainClient;
  /** The account that signs and pays the gas. */
  readonly account: LocalAccount;
  /** The store for signed transactions: a file, or records shared with other replicas. */
  readonly file: string | RecordStore;
  readonly now: () => number;
  /** A transaction that no block has included after this time is resent with a higher fee. */
  readonly bumpAfterMs?: number | undefined;
  /** The upper limit of the fee per unit of gas, in wei. */
  readonly maxFee?: bigint | undefined;
};

const BUMP_AFTER_MS = 30_000;
const MAX_FEE = 500_000_000_000n;
/**
 * How long a nonce must be seen as used by another sender, at confirmed depth, before it is
 * abandoned. A single endpoint may be backed by several machines, one of which may lag behind.
 */
const ORPHAN_MS = 60_000;
/**
 * The maximum number of missing nonces that one step fills, and the gas of an empty transaction.
 */
const GAP_MAX = 16;
const EMPTY_GAS = 21_000n;
/**
 * The gas limit exceeds the estimate, because it was made for one block and the call may be
 * executed in another.
 */
const GAS_SHARE = { of: 100n, take: 130n };
/**
 * Nodes require a replacement to offer at least 10% more, so each replacement offers 25% more than
 * the previous attempt.
 */
const BUMP_SHARE = { of: 8n, take: 10n };

/**
 * Sends the transactions of one key until they are confirmed. They are sent in nonce order. A
 * transaction is sent again if a node has dropped it: with a higher fee if it has been waiting too
 * long, and under another nonce if another sender has used its nonce. Every signed transaction is
 * on disk before it is sent (R-withdraw, R-deposit). After a crash between any two steps, the
 * relayer resends the recorded transactions and sends no new ones. Callers invoke `step`
 * periodically, because the relayer has no timer.
 */
export class Relayer {
  readonly address: Hex;
  readonly #client: ChainClient;
  readonly #account: LocalAccount;
  readonly #journal: SendJournal;
  readonly #now: () => number;
  readonly #bumpAfterMs: number;
  readonly #maxFee: bigint;
  readonly #waiters = new Map<string, Set<(record: SendRecord) => void>>();
  /** Since when a transaction's nonce has been seen as used by another sender, by key. */
  readonly #orphanSince = new Map<string, number>();
  #nextNonce: number | undefined = undefined;
  /**
   * Operations run one at a time, because nonces are assigned in the order in which operations are
   * recorded.
   */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: RelayerOptions) {
    this.#client = options.client;
    this.#account = options.account;
    this.address = options.account.address.toLowerCase() as Hex;
    this.#now = options.now;
    this.#bumpAfterMs = options.bumpAfterMs ?? BUMP_AFTER_MS;
    this.#maxFee = options.maxFee ?? MAX_FEE;
    this.#journal = new SendJournal(options.file);
  }

  /** Returns the state of a transaction, or undefined if it was never requested. */
  find(key: string): SendRecord | undefined {
    return this.#journal.get(key);
  }

  keys(): readonly string[] {
    return this.#journal.keys();
  }

  waiting(): readonly SendRecord[] {
    return this.#journal.waiting();
  }

  /** Signs, records and sends a transaction. For a known key, the existing record is returned. */
  submit(request: SendRequest): Promise<SendRecord> {
    return this.#inTurn(async () => {
      const known = this.#journal.get(request.key);
      if (known !== undefined) return known;
      const { data, key, to, value } = request;
      const gas = request.gas ?? (await this.#estimate(request));
      const fees = this.#offer(await this.#client.fees());
      const place = await this.#takeNonce();
      const { nonce } = place;
      const sent = value === undefined ? {} : { value: String(value) };
      const call = { to, data, gas: String(gas), ...place, ...sent };
      const attempt = await this.#sign(call, fees);
      const record: SendRecord = {
        key,
        ...call,
        askedMs: this.#now(),
        attempts: [attempt],
        mined: undefined,
      };
      await this.#journal.put(record);
      this.#nextNonce = nonce + 1;
      return this.#broadcast(record);
    });
  }

  /** Resolves when the transaction is in a block, confirmed or not. */
  whenMined(key: string, signal: AbortSignal): Promise<SendRecord | undefined> {
    const record = this.find(key);
    if (record?.mined !== undefined || signal.aborted) return Promise.resolve(record);
    const { promise, resolve } = Promise.withResolvers<SendRecord | undefined>();
    const waiters = this.#waiters.get(key) ?? new Set();
    this.#waiters.set(key, waiters.add(resolve));
    signal.addEventListener('abort', () => {
      waiters.delete(resolve);
      resolve(this.find(key));
    });
    return promise;
  }

  /**
   * Processes all unconfirmed transactions. Endpoint errors are thrown; the next step resumes the
   * work.
   */
  step(): Promise<void> {
    return this.#inTurn(async () => {
      const waiting = this.#journal.waiting();
      if (waiting.length === 0) return;
      const { confirmed } = await this.#client.head();
      const used = await this.#client.nonceOf(this.address, 'latest');
      await this.#fillGap(waiting, used);
      for (const record of waiting) await this.#advance(record, { confirmed, used });
    });
  }

  close(): void {
    this.#journal.close();
  }

  /**
   * Fills missing nonces with empty transactions. If the chain has dropped a confirmed transaction,
   * no higher nonce can be included. Only nonces that the chain had already included are filled;
   * otherwise a false report by an endpoint could make the venue pay for any number of
   * transactions.
   */
  async #fillGap(waiting: readonly SendRecord[], used: number): Promise<void> {
    const [first] = waiting;
    const next = first?.nonce ?? 0;
    const lost = Math.min(next, this.#journal.used);
    if (first !== undefined && lost < next && used < next) {
      const from = Math.max(used, lost);
      const trouble = `nonces ${from} to ${next - 1} are unused, but this relayer never sent transactions with them`;
      await this.#keep({ ...first, trouble });
    }
    const end = Math.min(lost, used + GAP_MAX);
    for (let nonce = used; nonce < end; nonce++) {
      const key = `gap:${nonce}`;
      if (this.#journal.get(key)?.mined?.isConfirmed === false) continue;
      const call = { to: this.address, data: '0x', gas: String(EMPTY_GAS), nonce } as const;
      const attempt = await this.#sign(call, this.#offer(await this.#client.fees()));
      const asked = { askedMs: this.#now(), attempts: [attempt], mined: undefined };
      const record: SendRecord = { key, ...call, ...asked };
      await this.#journal.put(record);
      await this.#broadcast(record);
    }
  }

  async #advance(
    record: SendRecord,
    chain: { readonly confirmed: number; readonly used: number },
  ): Promise<void> {
    const mined = await this.#minedOf(record, chain.confirmed);
    if (mined !== undefined) {
      await this.#keep({ ...record, mined, trouble: undefined });
      return;
    }
    // The block that contained the transaction is no longer part of the chain.
    const open: SendRecord = { ...record, mined: undefined };
    if (record.mined !== undefined) await this.#keep(open);
    const age = this.#now() - (open.attempts.at(-1)?.atMs ?? open.askedMs);
    if (chain.used > open.nonce) {
      if (await this.#isOrphan(open, chain.confirmed)) await this.#again(open, { isOrphan: true });
      return;
    }
    this.#orphanSince.delete(open.key);
    // If the clock was set back, the elapsed time is unknown, and the transaction is treated as
    // late.
    const isLate = age >= this.#bumpAfterMs || age < 0;
    if (isLate) await this.#again(open, { isOrphan: false });
    else await this.#broadcast(open);
  }

  /**
   * Returns true if the transaction signed for this nonce can never be executed, because another
   * confirmed transaction has the nonce and no attempt has a receipt. Under a weaker condition, the
   * same call could be executed under two nonces.
   */
  async #isOrphan({ attempts, key, nonce }: SendRecord, blockNumber: number): Promise<boolean> {
    const place = { address: this.address, nonce, blockNumber };
    const hashes = attempts.map(({ txHash }) => txHash);
    if (!(await this.#client.isUsedByOther(place, hashes))) {
      this.#orphanSince.delete(key);
      return false;
    }
    const sinceMs = this.#orphanSince.get(key) ?? this.#now();
    this.#orphanSince.set(key, sinceMs);
    return this.#now() - sinceMs >= ORPHAN_MS;
  }

  async #minedOf(record: SendRecord, confirmed: number): Promise<SendRecord['mined']> {
    for (const { txHash } of record.attempts.toReversed()) {
      const receipt = await this.#client.receipt(txHash);
      if (receipt === undefined) continue;
      const { blockNumber, succeeded } = receipt;
      return { txHash, blockNumber, succeeded, isConfirmed: blockNumber <= confirmed };
    }
    return undefined;
  }

  /** Sends the call again with a higher fee, or under an unused nonce. */
  async #again(record: SendRecord, { isOrphan }: { readonly isOrphan: boolean }): Promise<void> {
    const last = record.attempts.at(-1);
    const offer = this.#offer(await this.#client.fees());
    const fees = isOrphan || last === undefined ? offer : bumped(last, offer);
    const { maxPriorityFee } = this.#client;
    if (fees.maxFee > this.#maxFee || fees.priorityFee > maxPriorityFee) {
      const isTip = fees.maxFee <= this.#maxFee;
      const trouble = isTip
        ? `a higher tip would exceed the limit of ${maxPriorityFee} wei`
        : `a higher fee would exceed the limit of ${this.#maxFee} wei`;
      const limited = { ...record, trouble };
      await this.#keep(limited);
      await this.#broadcast(limited);
      return;
    }
    const place = isOrphan ? await this.#takeNonce() : { nonce: record.nonce };
    const { nonce } = place;
    const attempt = await this.#sign({ ...record, nonce }, fees);
    const next = { ...record, ...place, attempts: [...record.attempts, attempt] };
    await this.#journal.put(next);
    if (isOrphan) {
      this.#nextNonce = nonce + 1;
      this.#orphanSince.delete(record.key);
    }
    await this.#broadcast(next);
  }

  /** Sends the last attempt. If no node accepts it, the next step tries again. */
  async #broadcast(record: SendRecord): Promise<SendRecord> {
    const attempt = record.attempts.at(-1);
    if (attempt === undefined) return record;
    try {
      await this.#client.sendRaw(attempt.raw);
      return record;
    } catch (error) {
      const next = { ...record, trouble: chainFault(error) };
      await this.#keep(next);
      return next;
    }
  }

  async #keep(record: SendRecord): Promise<void> {
    const known = this.#journal.get(record.key);
    if (JSON.stringify(known) !== JSON.stringify(record)) await this.#journal.put(record);
    if (record.mined === undefined) return;
    for (const resolve of this.#waiters.get(record.key) ?? []) resolve(record);
    this.#waiters.delete(record.key);
  }

  async #estimate({ data, to }: SendRequest): Promise<bigint> {
    const gas = await this.#client.estimateGas({ from: this.address, to, data });
    return (gas * GAS_SHARE.take) / GAS_SHARE.of;
  }

  #offer({ baseFee, priorityFee }: ChainFees): Offer {
    const tip = priorityFee > 0n ? priorityFee : 1n;
    const maxFee = least(2n * baseFee + tip, this.#maxFee);
    return { maxFee, priorityFee: least(tip, maxFee) };
  }

  /**
   * Chooses the next nonce from the blocks and the local records, because nodes' reports about
   * pending transactions cannot be verified.
   */
  async #takeNonce(): Promise<Pick<SendRecord, 'nonce' | 'usedBefore'>> {
    const written = this.#journal.waiting().map(({ nonce }) => nonce + 1);
    if (this.#nextNonce !== undefined) return { nonce: Math.max(this.#nextNonce, ...written) };
    const usedBefore = await this.#client.nonceOf(this.address, 'latest');
    return { nonce: Math.max(usedBefore, ...written), usedBefore };
  }

  async #sign(
    call: Pick<SendRecord, 'to' | 'data' | 'gas' | 'nonce' | 'value'>,
    { maxFee, priorityFee }: Offer,
  ): Promise<Attempt> {
    const raw = await this.#account.signTransaction({
      type: 'eip1559',
      chainId: this.#client.chainId,
      to: call.to,
      data: call.data,
      value: BigInt(call.value ?? 0),
      gas: BigInt(call.gas),
      nonce: call.nonce,
      maxFeePerGas: maxFee,
      maxPriorityFeePerGas: priorityFee,
    });
    return {
      txHash: keccak256(raw),
      raw,
      maxFee: String(maxFee),
      priorityFee: String(priorityFee),
      atMs: this.#now(),
    };
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => undefined);
    return result;
  }
}

type Offer = { readonly maxFee: bigint; readonly priorityFee: bigint };

function bumped(last: Attempt, offer: Offer): Offer {
  const more = (fee: string): bigint => (BigInt(fee) * BUMP_SHARE.take) / BUMP_SHARE.of + 1n;
  const maxFee = most(offer.maxFee, more(last.maxFee));
  return { maxFee, priorityFee: least(maxFee, most(offer.priorityFee, more(last.priorityFee))) };
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function most(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
