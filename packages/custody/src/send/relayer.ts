import type { RecordStore } from '@oddlot/host/durable';
import { type Hex, keccak256, type LocalAccount } from 'viem';
import type { ChainClient, ChainFees } from '../chain/chain-client.ts';
import { chainFault } from '../chain/endpoints.ts';
import { type Attempt, SendJournal, type SendRecord } from './send-journal.ts';

export type { SendRecord } from './send-journal.ts';

/** What a relayer is asked to send. It is executed once, also where the contract would take it twice. */
type SendRequest = {
  /** Names the transaction for ever: a key that is known is not sent again. */
  readonly key: string;
  readonly to: Hex;
  readonly data: Hex;
  /** Ether to send along, in wei. */
  readonly value?: bigint;
  /** Estimated when absent; a call that would revert is then refused with ChainRevertError. */
  readonly gas?: bigint;
};

type RelayerOptions = {
  readonly client: ChainClient;
  /** Whose key signs, and whose ether pays. */
  readonly account: LocalAccount;
  /** Where it keeps what it has signed: a file, or what it shares with others. */
  readonly file: string | RecordStore;
  readonly now: () => number;
  /** A transaction that no block has taken after this long is sent again for more. */
  readonly bumpAfterMs?: number | undefined;
  /** It never offers more than this for a unit of gas, in wei. */
  readonly maxFee?: bigint | undefined;
};

const BUMP_AFTER_MS = 30_000;
const MAX_FEE = 500_000_000_000n;
/**
 * A nonce that somebody else used up is given up on when that was seen for this long, at the depth that
 * counts: an endpoint of several machines may ask one of them that is behind.
 */
const ORPHAN_MS = 60_000;
/** How many missing nonces one step fills, and what an empty transaction costs. */
const GAP_MAX = 16;
const EMPTY_GAS = 21_000n;
/** An estimate is for one block, and the call may run in another. */
const GAS_SHARE = { of: 100n, take: 130n };
/** Nodes want a replacement to offer at least 10% more. */
const BUMP_SHARE = { of: 8n, take: 10n };

/**
 * Sends the transactions of one key, each until it is in a block for good: in the order of their nonces,
 * again if a node has forgotten them, at a higher fee if they wait too long, and under another nonce if
 * somebody has used theirs. Whatever it signs is on disk first (R-withdraw, R-deposit): after a crash
 * between any two steps it repeats what was sent and sends nothing new. Others call `step` now and then;
 * it has no timer of its own.
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
  /** Since when somebody else has been seen to have used the nonce of a transaction. */
  readonly #orphanSince = new Map<string, number>();
  #nextNonce: number | undefined = undefined;
  /** One thing at a time: nonces are given out in the order in which they are written down. */
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

  /** How far a transaction is; undefined when it was never asked for. */
  find(key: string): SendRecord | undefined {
    return this.#journal.get(key);
  }

  /** Of everything that is remembered. */
  keys(): readonly string[] {
    return this.#journal.keys();
  }

  /** What no block has for good yet, by nonce. */
  waiting(): readonly SendRecord[] {
    return this.#journal.waiting();
  }

  /** Signs, writes down and sends; of a key that is known only its record. */
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

  /** Resolves when a block has the transaction, deep enough or not. */
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

  /** Looks after everything that waits. Throws what the endpoints threw; the next step goes on. */
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
   * Where the chain has lost what was behind it for good, nothing with a higher nonce can go: empty
   * transactions take the missing places. Only those that it has had: what was never there is nobody's loss, and whoever
   * says so could have the venue pay for any number of them.
   */
  async #fillGap(waiting: readonly SendRecord[], used: number): Promise<void> {
    const [first] = waiting;
    const wanted = first?.nonce ?? 0;
    const lost = Math.min(wanted, this.#journal.used);
    if (first !== undefined && lost < wanted && used < wanted) {
      const from = Math.max(used, lost);
      const trouble = `nonces ${from} to ${wanted - 1} are unused, but this relayer never sent transactions with them`;
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
    // A block that had it is no longer part of the chain.
    const open: SendRecord = { ...record, mined: undefined };
    if (record.mined !== undefined) await this.#keep(open);
    const age = this.#now() - (open.attempts.at(-1)?.atMs ?? open.askedMs);
    if (chain.used > open.nonce) {
      if (await this.#isOrphan(open, chain.confirmed)) await this.#again(open, { isOrphan: true });
      return;
    }
    this.#orphanSince.delete(open.key);
    // A clock that was set back says nothing about how long it has waited.
    const isLate = age >= this.#bumpAfterMs || age < 0;
    if (isLate) await this.#again(open, { isOrphan: false });
    else await this.#broadcast(open);
  }

  /**
   * Nobody will ever execute what was signed for this nonce: another transaction has it for good, and no
   * attempt has a receipt. Anything less and the same call could be executed under two nonces.
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

  /** The same call once more: for a higher fee, or under a nonce that is free. */
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

  /** A node that does not take it now is asked again by the next step. */
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

  /** Writes a record down if anything about it is new. */
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

  /** By blocks, and by what is written down here. What nodes say of transactions that wait cannot be proven. */
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
