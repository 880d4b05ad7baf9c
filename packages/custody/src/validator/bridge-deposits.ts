import { LIMITS } from '@oddlot/protocol';
import type { Hex } from 'viem';
import type { ChainClient } from '../chain/chain-client.ts';
import { type BridgeContracts, readDepositLogs } from '../bridge-contract/deposit-logs.ts';
import { bridgeContracts } from './payout-witness.ts';

/** Less is no deposit: a venue credits none, and anybody can make very many of them. */
const USD_MIN = BigInt(LIMITS.depositMicroMin);
/** Accounts that are remembered; those that brought least are the first to be forgotten. */
const ACCOUNTS_MAX = 10_000;
/** Blocks of one question, and of one look: what is missed in a long pause counts for nothing. */
const RANGE_BLOCKS = 2_000;
const LOOK_BLOCKS_MAX = 20_000;

/**
 * What has come to the bridge in the last day, as the chain itself says, and has not left since, by account and in all. It is
 * kept in memory: after a start nobody has brought anything, and limits are as tight as they are.
 */
export class BridgeDeposits {
  readonly #client: ChainClient;
  readonly #bridge: Hex;
  readonly #now: () => number;
  readonly #accountsMax: number;
  readonly #left = new Map<string, HourlySums>();
  /** What came, whoever brought it: money changes hands inside of the venue. */
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

  /** Reads what the chain has since the last time. Throws what the endpoints threw. */
  look(): Promise<void> {
    this.#looking ??= this.#read().finally(() => (this.#looking = undefined));
    return this.#looking;
  }

  /** How many accounts are remembered. */
  get size(): number {
    return this.#left.size;
  }

  /** Micro-USDC that count for nothing when this account takes them out. */
  leftOf(user: string): bigint {
    return this.#left.get(user)?.left(this.#now()) ?? 0n;
  }

  /** Micro-USDC that may leave the bridge again before it has less than a day ago. */
  leftInAll(): bigint {
    return this.#leftInAll.left(this.#now());
  }

  /** An account takes so much out, be it its own or what others brought. */
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
        // The transfer of a deposit is that of who paid for it.
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

  /** Once an hour, since only whole hours grow old. */
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

/** Amounts of the last day, one sum an hour, so that many small ones take no more room than one. */
export class HourlySums {
  readonly #byHour = new Map<number, bigint>();

  add(amount: bigint, nowMs: number): void {
    const hour = hourOf(nowMs);
    this.#byHour.set(hour, (this.#byHour.get(hour) ?? 0n) + amount);
    this.#forget(hour);
  }

  /** What is left of them. A whole hour goes at once, so none counts for longer than a day. */
  left(nowMs: number): bigint {
    this.#forget(hourOf(nowMs));
    let sum = 0n;
    for (const amount of this.#byHour.values()) sum += amount;
    return sum;
  }

  /** The oldest go first. */
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
