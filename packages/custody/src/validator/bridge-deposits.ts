import { LIMITS } from '@oddlot/protocol';
import type { Hex } from 'viem';
import type { ChainClient } from '../chain/chain-client.ts';
import { type BridgeContracts, readDepositLogs } from '../bridge-contract/deposit-logs.ts';
import { bridgeContracts } from './payout-witness.ts';

/**
 * Smaller deposits are ignored: a venue does not credit them, and an attacker could create vast
 * numbers of them.
 */
const USD_MIN = BigInt(LIMITS.depositMicroMin);
/**
 * The maximum number of remembered accounts. Those with the smallest deposits are dropped first.
 */
const ACCOUNTS_MAX = 10_000;
/**
 * The maximum number of blocks in one query and in one update. Deposits missed during a long pause
 * are not counted.
 */
const RANGE_BLOCKS = 2_000;
const LOOK_BLOCKS_MAX = 20_000;

/**
 * Tracks the last day's deposits to the bridge, minus later withdrawals, by account and in total.
 * They are read from the chain and kept only in memory, so no deposits are known right after a
 * start, and the limits apply in full.
 */
export class BridgeDeposits {
  readonly #client: ChainClient;
  readonly #bridge: Hex;
  readonly #now: () => number;
  readonly #accountsMax: number;
  readonly #left = new Map<string, HourlySums>();
  /**
   * The total includes the deposits of all accounts, because funds can change hands inside the
   * venue.
   */
  readonly #leftInAll = new HourlySums();
  #hour = 0;
  #readTo: number | undefined;
  #contracts: BridgeContracts | undefined;
  #looking: Promise<void> | undefined;

  constructor(options: {
    readonly client: ChainClient;
    readonly bridge: Hex;
    readonly now: () => number;
    readonly accountsMax?: number;
  }) {
    this.#client = options.client;
    this.#bridge = options.bridge;
    this.#now = options.now;
    this.#accountsMax = options.accountsMax ?? ACCOUNTS_MAX;
  }

  /** Reads new blocks. Throws if the endpoints fail. */
  look(): Promise<void> {
    this.#looking ??= this.#read().finally(() => (this.#looking = undefined));
    return this.#looking;
  }

  get size(): number {
    return this.#left.size;
  }

  /**
   * Returns the amount in micro-USDC that this account can withdraw without counting towards its
   * limit.
   */
  leftOf(user: string): bigint {
    return this.#left.get(user)?.left(this.#now()) ?? 0n;
  }

  /**
   * Returns the amount in micro-USDC that can be withdrawn without counting towards the total
   * limit.
   */
  leftInAll(): bigint {
    return this.#leftInAll.left(this.#now());
  }

  /** Deducts an account's withdrawal from its own deposits and from the total. */
  take(user: string, usd: bigint): void {
    this.#leftInAll.take(usd);
    const left = this.#left.get(user);
    left?.take(usd);
    if (left?.left(this.#now()) === 0n) this.#left.delete(user);
  }

  async #read(): Promise<void> {
    this.#forgetOld();
    const { confirmed } = await this.#client.head();
    this.#contracts ??= await bridgeContracts(this.#client, this.#bridge, confirmed);
    const from = Math.max(this.#readTo ?? confirmed, confirmed - LOOK_BLOCKS_MAX) + 1;
    for (let at = from; at <= confirmed; at += RANGE_BLOCKS) {
      const toBlock = Math.min(confirmed, at + RANGE_BLOCKS - 1);
      const logs = await readDepositLogs(this.#client, this.#contracts, {
        fromBlock: at,
        toBlock,
      });
      const named = new Set(
        logs.filter(({ kind }) => kind === 'deposit').map(({ source }) => source.txHash),
      );
      for (const { account, amount, kind, source } of logs) {
        // The transfer that belongs to a deposit is not counted again.
        const isPlain = kind === 'transfer' && !named.has(source.txHash);
        if (kind === 'deposit' || isPlain) this.#add(account, amount);
      }
      this.#forgetSmallest();
      this.#readTo = toBlock;
    }
    this.#readTo ??= confirmed;
  }

  #add(user: string, usd: bigint): void {
    if (usd < USD_MIN) return;
    this.#leftInAll.add(usd, this.#now());
    const left = this.#left.get(user) ?? new HourlySums();
    left.add(usd, this.#now());
    this.#left.set(user, left);
  }

  /** Drops expired records once per hour, because they expire at whole hours. */
  #forgetOld(): void {
    const nowMs = this.#now();
    if (hourOf(nowMs) === this.#hour) return;
    this.#hour = hourOf(nowMs);
    for (const [user, left] of this.#left) if (left.left(nowMs) === 0n) this.#left.delete(user);
  }

  #forgetSmallest(): void {
    const surplus = this.#left.size - this.#accountsMax;
    if (surplus <= 0) return;
    const nowMs = this.#now();
    const sums = [...this.#left].map(([user, left]) => ({ user, usd: left.left(nowMs) }));
    sums.sort((a, b) => (a.usd < b.usd ? -1 : a.usd > b.usd ? 1 : 0));
    for (const { user } of sums.slice(0, surplus)) this.#left.delete(user);
  }
}

export type Deposits = Pick<BridgeDeposits, 'look' | 'leftOf' | 'leftInAll' | 'take'>;

const HOUR_MS = 3_600_000;
const HOURS = 24;

/** The last day's amounts, as one sum per hour, so that many small amounts use constant memory. */
export class HourlySums {
  readonly #byHour = new Map<number, bigint>();

  add(amount: bigint, nowMs: number): void {
    const hour = hourOf(nowMs);
    this.#byHour.set(hour, (this.#byHour.get(hour) ?? 0n) + amount);
    this.#forget(hour);
  }

  /**
   * Returns the remaining amount. Hours expire as a whole, so no amount counts for longer than a
   * day.
   */
  left(nowMs: number): bigint {
    this.#forget(hourOf(nowMs));
    let sum = 0n;
    for (const amount of this.#byHour.values()) sum += amount;
    return sum;
  }

  /** Deducts the oldest amounts first. */
  take(amount: bigint): void {
    let toTake = amount;
    for (const [hour, had] of this.#byHour) {
      const part = had < toTake ? had : toTake;
      if (part === had) this.#byHour.delete(hour);
      else this.#byHour.set(hour, had - part);
      toTake -= part;
    }
  }

  #forget(hour: number): void {
    for (const each of this.#byHour.keys()) {
      if (each <= hour - HOURS) this.#byHour.delete(each);
    }
  }
}

function hourOf(timeMs: number): number {
  return Math.floor(timeMs / HOUR_MS);
}
