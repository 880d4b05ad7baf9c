import { MONEY_DECIMALS, formatDecimal } from '@oddlot/units';

/** Micro-USDC in 24 hours. */
type LimitOptions = { readonly perDay: bigint; readonly perAccountDay: bigint };

/** Micro-USDC of a payout that count against the limit of its account, and against that of all. */
export type Counted = { readonly account: bigint; readonly all: bigint };

const DAY_MS = 86_400_000n;
/** Accounts whose share is free again are forgotten when there are so many. */
const ACCOUNTS_MAX = 10_000;

/**
 * Bounds what a venue that was broken into can have signed until somebody notices, in all and for one account. What was
 * signed frees itself evenly over the day, so that there is no hour at which it all begins anew, and nobody waits longer than
 * for their own share. What an account has brought to the bridge itself does not count for it when it takes that out again. In all
 * only what leaves on balance counts, whoever brought it and whoever takes it: else one who deposits, sends it to another account
 * and withdraws there could use up everybody's day with the same money.
 */
export class SigningLimits {
  readonly #options: LimitOptions;
  readonly #all: Draining;
  readonly #accounts = new Map<string, Draining>();

  constructor(options: LimitOptions) {
    this.#options = options;
    this.#all = new Draining(options.perDay);
  }

  /** Why so much is too much now; undefined where it is not. */
  refusal(user: string, usd: Counted, nowMs: number): string | undefined {
    const { perAccountDay, perDay } = this.#options;
    const one = perAccountDay - (this.#accounts.get(user)?.at(nowMs) ?? 0n);
    if (usd.account > one) {
      const most = dollars(perAccountDay);
      return `the daily limit per account is ${most} USDC; ${dollars(floor(one))} USDC are left`;
    }
    const all = perDay - this.#all.at(nowMs);
    if (usd.all <= all) return undefined;
    return `the daily limit is ${dollars(perDay)} USDC; ${dollars(floor(all))} USDC are left`;
  }

  count(user: string, usd: Counted, timeMs: number): void {
    this.#all.add(usd.all, timeMs);
    const account = this.#accounts.get(user) ?? new Draining(this.#options.perAccountDay);
    account.add(usd.account, timeMs);
    this.#accounts.set(user, account);
    if (this.#accounts.size > ACCOUNTS_MAX) this.#forget(timeMs);
  }

  #forget(nowMs: number): void {
    for (const [user, account] of this.#accounts) {
      if (account.at(nowMs) === 0n) this.#accounts.delete(user);
    }
  }
}

/** An amount that runs off by as much in a day as it may be at most. */
class Draining {
  readonly #perDay: bigint;
  #amount = 0n;
  #timeMs = 0;

  constructor(perDay: bigint) {
    this.#perDay = perDay;
  }

  at(nowMs: number): bigint {
    // A clock that was set back frees nothing.
    const sinceMs = BigInt(Math.max(0, Math.floor(nowMs - this.#timeMs)));
    return floor(this.#amount - (this.#perDay * sinceMs) / DAY_MS);
  }

  add(amount: bigint, timeMs: number): void {
    this.#amount = this.at(timeMs) + amount;
    this.#timeMs = Math.max(this.#timeMs, timeMs);
  }
}

function floor(amount: bigint): bigint {
  return amount > 0n ? amount : 0n;
}

function dollars(micro: bigint): string {
  return formatDecimal(micro, MONEY_DECIMALS);
}
