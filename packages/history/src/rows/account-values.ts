import { splitEvents } from '@oddlot/translate/read-models/block-events';
import { worthOfHolders, type EngineEvent, type State } from '@oddlot/engine';
import type { Address } from '@oddlot/units';
import type { AppliedBlock } from '@oddlot/replica/block';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@oddlot/translate/read-models/candle-interval';
import type { AccountSums } from '../history.ts';
import type { AccountValueRecord } from './block-rows.ts';
import { tradedSides } from './traded-sides.ts';

/**
 * Values are stored at the end of each of these intervals, shortest first. A value for a longer
 * interval also serves the shorter ones.
 */
const VALUE_STEPS_MS: readonly number[] = [5 * MINUTE_MS, HOUR_MS, DAY_MS];

/** The totals since the account was created, in micro-USDC. */
type Sums = {
  moneyIn: bigint;
  moneyOut: bigint;
  volume: bigint;
  fees: bigint;
  funding: bigint;
};

/** The amounts one event adds to an account's totals. */
type Move = { readonly user: Address; readonly timeMs: number; readonly by: Partial<Sums> };

/** A time at which values are stored, and the index of the longest interval that ends then. */
type Border = { readonly timeMs: number; readonly step: number };

/**
 * Account values at the ends of intervals, with cumulative totals, so that the profit in any window
 * is the difference between two rows. The first block after the end of an interval creates rows for
 * accounts that hold assets with changing prices, and for accounts that have changed since the
 * previous end. For all others, the last row is still valid. Changes in that block count as after
 * the end, unless they were due before it.
 */
export class AccountValues {
  readonly #sums = new Map<Address, Sums>();
  /** For each interval, the accounts that have changed since it last ended. */
  readonly #changed = VALUE_STEPS_MS.map(() => new Set<Address>());
  #lastMs: number | undefined;

  take(state: State, block: AppliedBlock): AccountValueRecord[] {
    const { timeMs } = block;
    const lastMs = this.#lastMs;
    this.#lastMs = timeMs;
    if (lastMs === undefined && block.height > 1) return this.#begin(state, timeMs);
    let moves = movesOf(block);
    const records: AccountValueRecord[] = [];
    for (const border of lastMs === undefined ? [] : bordersPassed(lastMs, timeMs)) {
      for (const move of moves) if (move.timeMs <= border.timeMs) this.#move(move);
      moves = moves.filter((move) => move.timeMs > border.timeMs);
      const changed = this.#changed[border.step];
      const isPicked = (user: Address): boolean => changed?.has(user) === true;
      // Records are pushed one by one, because a call cannot have a million arguments.
      for (const record of this.#records(state, border, isPicked, moves)) records.push(record);
      for (const each of this.#changed.slice(0, border.step + 1)) each.clear();
    }
    for (const move of moves) this.#move(move);
    return records;
  }

  /**
   * Starts without earlier blocks (R-era) or with the first block. An account's current value
   * counts as deposits, not as profit.
   */
  #begin(state: State, nowMs: number): AccountValueRecord[] {
    for (const { account, value } of worthOfHolders(state, () => true)) {
      this.#sums.set(account, { ...NOTHING, moneyIn: value });
    }
    const step = VALUE_STEPS_MS.length - 1;
    const timeMs = nowMs - (nowMs % (VALUE_STEPS_MS[step] ?? nowMs));
    return this.#records(state, { timeMs, step }, () => true, []);
  }

  sumsOf(user: Address): Omit<AccountSums, 'value'> {
    return shownSums(this.#sums.get(user) ?? NOTHING);
  }

  /**
   * Returns the rows at the end of an interval. The state is later, so events after that end are
   * subtracted from its values.
   */
  #records(
    state: State,
    { step, timeMs }: Border,
    isPicked: (user: Address) => boolean,
    later: readonly Move[],
  ): AccountValueRecord[] {
    const stepMs = VALUE_STEPS_MS[step] ?? timeMs;
    const gains = gainsOf(later);
    const records: AccountValueRecord[] = [];
    for (const { account: user, value: worth } of worthOfHolders(state, isPicked)) {
      const sums = shownSums(this.#sums.get(user) ?? NOTHING);
      const value = Number(worth - (gains.get(user) ?? 0n));
      records.push({ user, stepMs, timeMs, value, ...sums });
    }
    return records;
  }

  #move({ by, user }: Move): void {
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

/**
 * Returns the first end of each interval between two blocks, oldest first. Nothing changes until
 * the next block, so later ends of the same interval need no row.
 */
function bordersPassed(lastMs: number, timeMs: number): Border[] {
  const steps = new Map<number, number>();
  for (const [step, stepMs] of VALUE_STEPS_MS.entries()) {
    const borderMs = Math.ceil(lastMs / stepMs) * stepMs;
    if (borderMs < timeMs) steps.set(borderMs, step);
  }
  return [...steps].map(([borderMs, step]) => ({ timeMs: borderMs, step }));
}

function movesOf(block: AppliedBlock): Move[] {
  const { timeMs } = block;
  const moves: Move[] = [];
  const add = (user: Address, by: Partial<Sums>, atMs: number = timeMs): void =>
    void moves.push({ user, timeMs: atMs, by });
  const sides = tradedSides(block);
  for (const [index, event] of splitEvents(block).others.entries()) {
    for (const { account, builderFee, fee, price, size } of sides[index] ?? []) {
      const fees = fee + (builderFee?.amount ?? 0n);
      add(account, { volume: BigInt(price) * BigInt(size), fees });
    }
    addMoves(add, event);
  }
  return moves;
}

function addMoves(
  add: (user: Address, by: Partial<Sums>, atMs?: number) => void,
  event: EngineEvent,
): void {
  switch (event.type) {
    case 'fundingPaid':
      add(event.account, { funding: event.amount }, event.dueMs);
      break;
    case 'faucetCredited':
    case 'depositCredited':
    case 'treasurySent':
    case 'builderRewardsClaimed':
      add(event.account, { moneyIn: event.amount });
      break;
    case 'tokenSent':
      if (event.account === event.destination) break;
      add(event.account, { moneyOut: event.amount, fees: event.fee });
      add(event.destination, { moneyIn: event.amount });
      break;
    case 'withdrawalChanged':
      // A requested withdrawal still belongs to the account until it is paid out.
      if (event.status === 'completed') add(event.account, { moneyOut: event.amount });
      break;
    case 'positionTraded':
    case 'fundSettled':
    case 'sharesOperated':
    case 'sharesSettled':
      add(event.account, {});
      break;
    default:
      break;
  }
}

function gainsOf(moves: readonly Move[]): ReadonlyMap<Address, bigint> {
  const gains = new Map<Address, bigint>();
  for (const { by, user } of moves) {
    const { fees = 0n, funding = 0n, moneyIn = 0n, moneyOut = 0n } = by;
    gains.set(user, (gains.get(user) ?? 0n) + moneyIn - moneyOut + funding - fees);
  }
  return gains;
}

const NOTHING: Readonly<Sums> = { moneyIn: 0n, moneyOut: 0n, volume: 0n, fees: 0n, funding: 0n };
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
  /** The changed accounts per interval, shortest first. */
  readonly changed: readonly (readonly Address[])[];
};
