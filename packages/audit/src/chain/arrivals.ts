import type { CreditDepositCommand, DepositSource } from '@oddlot/engine';
import type { AppliedBlock, Projection } from '@oddlot/replica/block';
import { z } from 'zod';

type Arrival = { readonly account: string; readonly amount: bigint; readonly isOwn: boolean };
type Left = { readonly amount: bigint; readonly hasOwn: boolean };
type Place = { readonly block: number; readonly hash: string };

/**
 * The maximum number of accounts with uncredited deposits. If there are more, those with the
 * smallest amounts are removed and cannot be credited.
 */
const ACCOUNTS_MAX = 100_000;
const NOTHING: Left = { amount: 0n, hasOwn: false };

const Dumped = z.object({
  readTo: z.object({ block: z.int(), hash: z.string() }).optional(),
  left: z.array(z.tuple([z.string(), z.string(), z.boolean()])),
});

/**
 * Deposits that arrived at the bridge for each account and have not been credited. The replica's
 * snapshots contain them, because the credited amounts depend on the applied blocks.
 */
export class Arrivals implements Projection {
  readonly name = 'arrivals';
  readonly version = 1;
  readonly #accountsMax: number;
  readonly #left = new Map<string, Left>();
  /** The deposits in the block being judged. Each is counted once. */
  readonly #expected = new Map<string, { readonly account: string; readonly amount: bigint }>();
  #readTo: Place | undefined;

  constructor(accountsMax = ACCOUNTS_MAX) {
    this.#accountsMax = accountsMax;
  }

  /** The last block of the chain that was read, with its hash. */
  get readTo(): Place | undefined {
    return this.#readTo;
  }

  /** The number of accounts with uncredited deposits. */
  get size(): number {
    return this.#left.size;
  }

  add(arrivals: readonly Arrival[], readTo: Place): void {
    for (const { account, amount, isOwn } of arrivals) {
      const before = this.#left.get(account) ?? NOTHING;
      const hasOwn = before.hasOwn || isOwn;
      this.#left.set(account, { amount: before.amount + amount, hasOwn });
    }
    this.#readTo = readTo;
    this.#forgetSmallest();
  }

  /**
   * Returns the amount that has arrived for an account and is neither credited nor reserved for
   * another deposit in the block.
   */
  left(account: string, source: DepositSource): Left {
    const { amount, hasOwn } = this.#left.get(account) ?? NOTHING;
    let left = amount;
    for (const [place, each] of this.#expected) {
      if (each.account === account && place !== placeOf(source)) left -= each.amount;
    }
    return { amount: left, hasOwn };
  }

  /**
   * Records a valid deposit in the block being judged. The engine determines whether it is
   * credited.
   */
  expect({ account, amountMicroUsdc, source }: CreditDepositCommand): void {
    this.#expected.set(placeOf(source), { account, amount: BigInt(amountMicroUsdc) });
  }

  onBlock({ result }: AppliedBlock): void {
    this.#expected.clear();
    for (const event of result.events) {
      if (event.type !== 'depositCredited') continue;
      const { amount, hasOwn } = this.#left.get(event.account) ?? NOTHING;
      const left = amount - event.amount;
      if (left > 0n) this.#left.set(event.account, { amount: left, hasOwn });
      else this.#left.delete(event.account);
    }
  }

  dump(): unknown {
    const left = [...this.#left].map(([account, { amount, hasOwn }]) => [
      account,
      String(amount),
      hasOwn,
    ]);
    return { left, ...(this.#readTo === undefined ? {} : { readTo: this.#readTo }) };
  }

  restore(data: unknown): void {
    const { left, readTo } = Dumped.parse(data);
    this.reset();
    this.#readTo = readTo;
    for (const [account, amount, hasOwn] of left) {
      this.#left.set(account, { amount: BigInt(amount), hasOwn });
    }
  }

  reset(): void {
    this.#left.clear();
    this.#expected.clear();
    this.#readTo = undefined;
  }

  #forgetSmallest(): void {
    const surplus = this.#left.size - this.#accountsMax;
    if (surplus <= 0) return;
    const sums = [...this.#left].sort(([, a], [, b]) => (a.amount < b.amount ? -1 : 1));
    for (const [account] of sums.slice(0, surplus)) this.#left.delete(account);
  }
}

function placeOf({ logIndex, txHash }: DepositSource): string {
  return `${txHash}:${logIndex}`;
}
