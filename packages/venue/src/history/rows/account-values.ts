import { worthOfHolders, type EngineEvent, type State } from '@oddlot/engine';
import type { Address } from '@oddlot/units';
import type { AppliedBlock } from '../../block/applied-block.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../read-models/candle-interval.ts';
import type { AccountSums } from '../history.ts';
import type { AccountValueRecord } from './block-rows.ts';
import { sidesOf } from './traded-sides.ts';

/** The finest first. A value at a coarser border serves the finer ones too. */
export const VALUE_STEPS_MS: readonly number[] = [5 * MINUTE_MS, HOUR_MS, DAY_MS];

/** Sums since the account began, in micro-USDC. */
type Sums = {
  moneyIn: bigint;
  moneyOut: bigint;
  volume: bigint;
  fees: bigint;
  funding: bigint;
};

/**
 * What accounts were worth at the borders of steps, with sums of what came and went, so that the gain
 * of any window is a difference of two rows. The first block at or past a border makes its rows, of
 * the accounts that hold something whose price moves and of those that changed since the border of
 * that step before: who did nothing has the value of the last row still.
 */
export class AccountValues {
  readonly #sums = new Map<Address, Sums>();
  /** Accounts that changed since the last border of each step. */
  readonly #changed = VALUE_STEPS_MS.map(() => new Set<Address>());
  /** Of the last block; undefined before the first. */
  #lastMs: number | undefined;

  take(state: State, block: AppliedBlock): AccountValueRecord[] {
    const { timeMs } = block;
    const lastMs = this.#lastMs;
    this.#lastMs = timeMs;
    if (lastMs === undefined && block.height > 1) return this.#begin(state, timeMs);
    for (const event of block.result.events) this.#add(block, event);
    if (lastMs === undefined) return [];
    const step = VALUE_STEPS_MS.findLastIndex(
      (stepMs) => Math.floor(timeMs / stepMs) > Math.floor(lastMs / stepMs),
    );
    if (step < 0) return [];
    const changed = this.#changed[step];
    const records = this.#records(state, timeMs, step, (user) => changed?.has(user) === true);
    for (const each of this.#changed.slice(0, step + 1)) each.clear();
    return records;
  }

  /**
   * Where rows begin in the middle (R-era), what accounts have counts as brought in: it is no gain of
   * theirs. The block with which they begin is part of that.
   */
  #begin(state: State, timeMs: number): AccountValueRecord[] {
    for (const { account, value } of worthOfHolders(state, () => true)) {
      this.#sums.set(account, { ...NOTHING, moneyIn: value });
    }
    return this.#records(state, timeMs, VALUE_STEPS_MS.length - 1, () => true);
  }

  sumsOf(user: Address): Omit<AccountSums, 'value'> {
    return shownSums(this.#sums.get(user) ?? NOTHING);
  }

  #records(
    state: State,
    nowMs: number,
    step: number,
    isPicked: (user: Address) => boolean,
  ): AccountValueRecord[] {
    const stepMs = VALUE_STEPS_MS[step] ?? nowMs;
    const timeMs = nowMs - (nowMs % stepMs);
    const records: AccountValueRecord[] = [];
    for (const { account: user, value } of worthOfHolders(state, isPicked)) {
      const sums = shownSums(this.#sums.get(user) ?? NOTHING);
      records.push({ user, stepMs, timeMs, value: Number(value), ...sums });
    }
    return records;
  }

  #add(block: AppliedBlock, event: EngineEvent): void {
    for (const side of sidesOf(block, event)) {
      const fees = side.fee + (side.builderFee?.amount ?? 0n);
      this.#move(side.account, { volume: BigInt(side.price) * BigInt(side.size), fees });
    }
    switch (event.type) {
      case 'fundingPaid':
        this.#move(event.account, { funding: event.amount });
        break;
      case 'faucetCredited':
      case 'treasurySent':
      case 'builderRewardsClaimed':
        this.#move(event.account, { moneyIn: event.amount });
        break;
      case 'tokenSent':
        if (event.account === event.destination) break;
        this.#move(event.account, { moneyOut: event.amount, fees: event.fee });
        this.#move(event.destination, { moneyIn: event.amount });
        break;
      case 'withdrawalChanged':
        // What is held is the account's until it is paid.
        if (event.status === 'completed') this.#move(event.account, { moneyOut: event.amount });
        break;
      case 'positionTraded':
      case 'fundSettled':
      case 'sharesOperated':
      case 'sharesSettled':
        this.#move(event.account, {});
        break;
      default:
        break;
    }
  }

  #move(user: Address, by: Partial<Sums>): void {
    for (const changed of this.#changed) changed.add(user);
    let sums = this.#sums.get(user);
    if (sums === undefined) {
      sums = { ...NOTHING };
      this.#sums.set(user, sums);
    }
    for (const key of SUM_KEYS) {
      const amount = by[key];
      if (amount !== undefined) sums[key] += amount;
    }
  }

  dump(): AccountValuesDump {
    return {
      lastMs: this.#lastMs ?? null,
      sums: [...this.#sums].map(([user, sums]) => [user, SUM_KEYS.map((key) => String(sums[key]))]),
      changed: this.#changed.map((users) => [...users]),
    };
  }

  restore({ changed, lastMs, sums }: AccountValuesDump): void {
    this.#lastMs = lastMs ?? undefined;
    for (const [user, amounts] of sums) {
      const [moneyIn, moneyOut, volume, fees, funding] = amounts.map(BigInt);
      this.#sums.set(user, {
        moneyIn: moneyIn ?? 0n,
        moneyOut: moneyOut ?? 0n,
        volume: volume ?? 0n,
        fees: fees ?? 0n,
        funding: funding ?? 0n,
      });
    }
    for (const [at, users] of changed.entries()) {
      for (const user of users) this.#changed[at]?.add(user);
    }
  }

  clear(): void {
    this.#sums.clear();
    for (const changed of this.#changed) changed.clear();
    this.#lastMs = undefined;
  }
}

const NOTHING: Readonly<Sums> = { moneyIn: 0n, moneyOut: 0n, volume: 0n, fees: 0n, funding: 0n };
/** In the order of the dump. */
const SUM_KEYS = ['moneyIn', 'moneyOut', 'volume', 'fees', 'funding'] as const;

function shownSums(sums: Sums): Omit<AccountSums, 'value'> {
  return {
    moneyIn: Number(sums.moneyIn),
    moneyOut: Number(sums.moneyOut),
    volume: Number(sums.volume),
    fees: Number(sums.fees),
    funding: Number(sums.funding),
  };
}

export type AccountValuesDump = {
  readonly lastMs: number | null;
  readonly sums: readonly (readonly [user: Address, amounts: readonly string[]])[];
  /** By step, the finest first. */
  readonly changed: readonly (readonly Address[])[];
};
