import type { Address } from '@oddlot/units';
import type { Aside, DepositBook, Dust, Found, Pot } from './deposit-shapes.ts';

/**
 * What strangers can make a venue remember. A transaction may hold thousands of transfers of next to nothing, for as many accounts: what is
 * too small to be told apart is one sum, and of what is below the minimum the largest amounts are kept.
 */

export type DepositBounds = {
  /** Less than this is not kept by account, in micro-USDC. */
  readonly dustMicroUsdc: number;
  /** Amounts below the minimum that one block may add. */
  readonly smallPerBlock: number;
  /** Amounts below the minimum that are kept aside of one sender. */
  readonly smallPerSender: number;
  /** Accounts whose small amounts wait for more, and amounts kept aside: of each so many. */
  readonly keptMax: number;
  /** Amounts that were returned, and are only shown. */
  readonly returnedMax: number;
};

export const DEPOSIT_BOUNDS: DepositBounds = {
  dustMicroUsdc: 10_000,
  smallPerBlock: 1_000,
  smallPerSender: 10,
  keptMax: 10_000,
  returnedMax: 1_000,
};

export const NO_DUST: Dust = { amount: '0', parts: 0 };

export function withDust({ amount, parts }: Dust, more: readonly bigint[]): Dust {
  const sum = more.reduce((total, each) => total + each, BigInt(amount));
  return { amount: String(sum), parts: parts + more.length };
}

/** Too small to be remembered for an account that has nothing here; to what one has it adds up. */
export function isTiny({ amount }: Found, { dustMicroUsdc }: DepositBounds): boolean {
  return amount < BigInt(dustMicroUsdc);
}

/** Deposits of these beyond what a block may add. The largest ones stay. */
export function beyondBlocks(
  found: readonly Found[],
  bounds: DepositBounds,
  minMicroUsdc: number,
): ReadonlySet<Found> {
  const small = found.filter((each) => !isTiny(each, bounds) && each.amount < BigInt(minMicroUsdc));
  const crowds = [...Map.groupBy(small, ({ source }) => source.blockNumber).values()];
  return new Set(crowds.flatMap((crowd) => crowd.sort(byAmount).slice(bounds.smallPerBlock)));
}

function byAmount(a: { readonly amount: bigint }, b: { readonly amount: bigint }): number {
  return a.amount === b.amount ? 0 : a.amount < b.amount ? 1 : -1;
}

/** A book that is not larger than it may be: what is left out is dust from now on. */
export function boundedBook(
  book: DepositBook,
  bounds: DepositBounds,
  minMicroUsdc: number,
): DepositBook {
  const gone: bigint[] = [];
  const pots = boundedPots(book.pots, bounds.keptMax, gone);
  const aside = boundedAside(book.aside, { ...bounds, minMicroUsdc }, gone);
  if (pots === book.pots && aside === book.aside) return book;
  return { ...book, pots, aside, dust: withDust(book.dust, gone) };
}

function boundedPots(
  pots: DepositBook['pots'],
  keptMax: number,
  gone: bigint[],
): DepositBook['pots'] {
  const all = Object.entries(pots) as [Address, Pot][];
  if (all.length <= keptMax) return pots;
  const smallestFirst = all.toSorted(([, a], [, b]) => a.amount - b.amount);
  const left = new Set(smallestFirst.slice(0, all.length - keptMax).map(([account]) => account));
  gone.push(...smallestFirst.slice(0, left.size).map(([, { amount }]) => BigInt(amount)));
  return Object.fromEntries(all.filter(([account]) => !left.has(account)));
}

/** What waits for the end of a binding is somebody's, and stays. */
function boundedAside(
  aside: readonly Aside[],
  bounds: DepositBounds & { readonly minMicroUsdc: number },
  gone: bigint[],
): readonly Aside[] {
  const isOpen = ({ reason, returned }: Aside): boolean =>
    returned === undefined && reason !== 'bound';
  const amountOf = (each: Aside) => ({ each, amount: BigInt(each.amount) });
  const open = aside.filter(isOpen).map(amountOf).sort(byAmount);
  const small = open.filter(({ amount }) => amount < BigInt(bounds.minMicroUsdc));
  const bySender = [...Map.groupBy(small, ({ each }) => each.account).values()];
  const beyond = new Set([
    ...bySender.flatMap((of) => of.slice(bounds.smallPerSender)),
    ...open.slice(bounds.keptMax),
  ]);
  const returned = aside.filter((each) => each.returned !== undefined);
  const old = new Set(returned.slice(0, Math.max(0, returned.length - bounds.returnedMax)));
  if (beyond.size === 0 && old.size === 0) return aside;
  gone.push(...[...beyond].map(({ amount }) => amount));
  const left = new Set([...[...beyond].map(({ each }) => each), ...old]);
  return aside.filter((each) => !left.has(each));
}
