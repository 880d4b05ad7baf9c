import type { DepositSource } from '@oddlot/engine';
import { type Address, address, type Hash } from '@oddlot/units';
import { type DepositLog, returnIdOf } from '@oddlot/custody/bridge-contract';

type AsideReason =
  /** The tokens were minted, but not by the venue. */
  | 'fromZero'
  | 'fromOperator'
  /** Exchanges and contracts send funds on behalf of many users, so the owner is unknown. */
  | 'fromContract'
  /** The amount exceeds what the venue can represent exactly. */
  | 'tooLarge'
  /** The bridge event has no matching transfer, so the contract does not behave as expected. */
  | 'noTransfer'
  /** The address is bound as an agent and has no account (R-agents). */
  | 'bound';

/** A deposit held outside the engine until the operator returns it or it can be credited. */
export type Aside = {
  readonly reason: AsideReason;
  /** The account that would be credited, or the sender. */
  readonly account: Address;
  readonly amount: string;
  readonly source: DepositSource;
  readonly isOwn: boolean;
  readonly returned?: Hash;
};

/**
 * A credited deposit that is no longer on the chain, because the chain dropped a fully confirmed
 * block.
 */
export type ReorganisedDeposit = {
  readonly account: Address;
  readonly amount: string;
  readonly source: DepositSource;
};

/**
 * The sum of an account's deposits below the minimum. They are credited once the sum reaches the
 * minimum; `parts` is the number of deposits.
 */
export type PendingDepositSum = {
  readonly amount: number;
  readonly parts: number;
  readonly isOwn: boolean;
};

/**
 * The sum and number of amounts that are too small to record individually or that exceed the book's
 * bounds.
 */
type Dust = { readonly amount: string; readonly parts: number };

export type DepositBook = {
  readonly pots: Readonly<Record<Address, PendingDepositSum>>;
  readonly aside: readonly Aside[];
  /** The tokens that the venue minted to back its faucet, in micro-USDC as decimal text. */
  readonly minted: string;
  /**
   * The deposits that an operator has accepted as lost. If one reappears on the chain, it is not
   * credited again.
   */
  readonly vanished: readonly ReorganisedDeposit[];
  readonly dust: Dust;
};

type Found = {
  readonly account: Address;
  readonly amount: bigint;
  readonly source: DepositSource;
  readonly isOwn: boolean;
  /** True for a transfer that no bridge event accounts for. */
  readonly isPlain: boolean;
  readonly isBacked: boolean;
};

/**
 * Bounds on the records that untrusted senders can create. One transaction can contain thousands of
 * tiny transfers to as many accounts. Amounts too small to record individually are therefore added
 * up, and only the largest of the amounts below the minimum are kept.
 */

type DepositBounds = {
  /** The amount in micro-USDC below which deposits are not recorded by account. */
  readonly dustMicroUsdc: number;
  readonly smallPerBlock: number;
  /** The maximum number of held amounts below the minimum per sender. */
  readonly smallPerSender: number;
  /**
   * The maximum number of accounts with pending small amounts, and the maximum number of held
   * amounts.
   */
  readonly entriesMax: number;
  /** The maximum number of returned amounts, which are only displayed. */
  readonly returnedMax: number;
};

export const DEPOSIT_BOUNDS: DepositBounds = {
  dustMicroUsdc: 10_000,
  smallPerBlock: 1_000,
  smallPerSender: 10,
  entriesMax: 10_000,
  returnedMax: 1_000,
};

const NO_DUST: Dust = { amount: '0', parts: 0 };

function withDust({ amount, parts }: Dust, more: readonly bigint[]): Dust {
  const sum = more.reduce((total, each) => total + each, BigInt(amount));
  return { amount: String(sum), parts: parts + more.length };
}

/**
 * Returns true for an amount that is recorded only if the account already has pending small
 * amounts.
 */
function isTiny({ amount }: Found, { dustMicroUsdc }: DepositBounds): boolean {
  return amount < BigInt(dustMicroUsdc);
}

/**
 * Returns the deposits that exceed the bound per block. The largest deposits of the block are kept.
 */
function beyondBlocks(
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

/** Returns the book reduced to its bounds. Removed amounts are added to the dust total. */
function boundedBook(book: DepositBook, bounds: DepositBounds, minMicroUsdc: number): DepositBook {
  const removed: bigint[] = [];
  const pots = boundedPots(book.pots, bounds.entriesMax, removed);
  const aside = boundedAside(book.aside, { ...bounds, minMicroUsdc }, removed);
  if (pots === book.pots && aside === book.aside) return book;
  return { ...book, pots, aside, dust: withDust(book.dust, removed) };
}

function boundedPots(
  pots: DepositBook['pots'],
  entriesMax: number,
  removed: bigint[],
): DepositBook['pots'] {
  const all = Object.entries(pots) as [Address, PendingDepositSum][];
  if (all.length <= entriesMax) return pots;
  const smallestFirst = all.toSorted(([, a], [, b]) => a.amount - b.amount);
  const left = new Set(smallestFirst.slice(0, all.length - entriesMax).map(([account]) => account));
  removed.push(...smallestFirst.slice(0, left.size).map(([, { amount }]) => BigInt(amount)));
  return Object.fromEntries(all.filter(([account]) => !left.has(account)));
}

/**
 * Removes the smallest held amounts in excess of the bounds. An amount that is waiting for an agent
 * binding to end belongs to a known account and is never removed.
 */
function boundedAside(
  aside: readonly Aside[],
  bounds: DepositBounds & { readonly minMicroUsdc: number },
  removed: bigint[],
): readonly Aside[] {
  const isOpen = ({ reason, returned }: Aside): boolean =>
    returned === undefined && reason !== 'bound';
  const amountOf = (each: Aside) => ({ each, amount: BigInt(each.amount) });
  const open = aside.filter(isOpen).map(amountOf).sort(byAmount);
  const small = open.filter(({ amount }) => amount < BigInt(bounds.minMicroUsdc));
  const bySender = [...Map.groupBy(small, ({ each }) => each.account).values()];
  const beyond = new Set([
    ...bySender.flatMap((of) => of.slice(bounds.smallPerSender)),
    ...open.slice(bounds.entriesMax),
  ]);
  const returned = aside.filter((each) => each.returned !== undefined);
  const old = new Set(returned.slice(0, Math.max(0, returned.length - bounds.returnedMax)));
  if (beyond.size === 0 && old.size === 0) return aside;
  removed.push(...[...beyond].map(({ amount }) => amount));
  const left = new Set([...[...beyond].map(({ each }) => each), ...old]);
  return aside.filter((each) => !left.has(each));
}

/**
 * A pure function that derives deposits from the settlement chain's logs: which are credited, which
 * are held, and why. Reading the same logs again yields the same result.
 */

/** A deposit to credit (R-deposit). */
export type Credit = {
  readonly account: Address;
  readonly amountMicroUsdc: number;
  readonly source: DepositSource;
  readonly isOwn: boolean;
};

export type DepositRules = {
  readonly minMicroUsdc: number;
  readonly bounds?: DepositBounds;
  /**
   * The accounts whose transfers are not deposits: the relayer, validators, guardian and minter.
   */
  readonly operators: ReadonlySet<Address>;
  /** True if the venue mints this token itself, so that minted tokens are the venue's own. */
  readonly isMinter: boolean;
  /**
   * The senders that are contracts. Accounts with delegated code (EIP-7702) do not count as
   * contracts.
   */
  readonly contracts: ReadonlySet<Address>;
  /**
   * The predecessors of this bridge. Their transfers move funds that have already been credited to
   * accounts.
   */
  readonly formerBridges?: ReadonlySet<Address>;
  /**
   * Returns true for deposits that the engine has credited, along with all of the account's small
   * amounts pending at that time.
   */
  readonly isCredited: (deposit: DepositSource) => boolean;
};

export const EMPTY_BOOK: DepositBook = {
  pots: {},
  aside: [],
  minted: '0',
  vanished: [],
  dust: NO_DUST,
};

const ZERO = address('0x0000000000000000000000000000000000000000');

export function creditsOf(
  book: DepositBook,
  logs: readonly DepositLog[],
  rules: DepositRules,
): { readonly credits: readonly Credit[]; readonly book: DepositBook } {
  const pots = new Map(Object.entries(book.pots) as [Address, PendingDepositSum][]);
  const aside = [...book.aside];
  const vanished = [...book.vanished];
  const credits: Credit[] = [];
  let minted = BigInt(book.minted);
  const { bounds = DEPOSIT_BOUNDS, minMicroUsdc } = rules;
  const all = transactionsOf(logs).flatMap(depositsOfTransaction);
  const beyond = beyondBlocks(all, bounds, minMicroUsdc);
  const dust: bigint[] = [];
  for (const found of all) {
    const { account, amount, isOwn, source } = found;
    if (found.isPlain && rules.formerBridges?.has(account) === true) continue;
    if (amount === 0n) continue;
    if (found.isPlain && account === ZERO && rules.isMinter) {
      minted += amount;
      continue;
    }
    if (isBack(vanished, found)) continue;
    // The logs are being read again because the stored position was lost, so the result must not
    // depend on the current state.
    if (rules.isCredited(source)) {
      // A deposit below the minimum was credited because it brought the pending amount up to the
      // minimum, which reset that amount to zero. Larger deposits leave the pending amount
      // unchanged.
      if (amount < BigInt(rules.minMicroUsdc)) pots.delete(account);
      continue;
    }
    if (beyond.has(found) || (isTiny(found, bounds) && !pots.has(account))) {
      if (found.isBacked) dust.push(amount);
      continue;
    }
    const reason = asideReason(found, rules);
    if (reason !== undefined) {
      aside.push({ reason, account, amount: String(amount), source, isOwn });
      continue;
    }
    const credit = { account, amountMicroUsdc: Number(amount), source, isOwn };
    const whole =
      credit.amountMicroUsdc >= rules.minMicroUsdc ? credit : fillPot(pots, credit, rules);
    if (whole !== undefined) credits.push(whole);
  }
  const next = {
    pots: Object.fromEntries(pots) as DepositBook['pots'],
    aside: withReturns(aside, logs),
    minted: String(minted),
    vanished,
    dust: withDust(book.dust, dust),
  };
  return { credits, book: boundedBook(next, bounds, minMicroUsdc) };
}

/**
 * Returns true for a deposit that reappears after a reorganisation. It is recognised by its
 * transaction and account, because a transaction's log numbers change when it moves.
 */
function isBack(vanished: ReorganisedDeposit[], { account, source }: Found): boolean {
  const at = vanished.findIndex(
    (each) => each.source.txHash === source.txHash && each.account === account,
  );
  if (at >= 0) vanished.splice(at, 1);
  return at >= 0;
}

function withReturns(aside: readonly Aside[], logs: readonly DepositLog[]): readonly Aside[] {
  const returns = new Map(
    logs.flatMap(({ returnId, source }) =>
      returnId === undefined ? [] : [[returnId, source.txHash] as const],
    ),
  );
  if (returns.size === 0) return aside;
  return aside.map((each) => {
    const { logIndex, txHash } = each.source;
    const returned = returns.get(returnIdOf(txHash as `0x${string}`, logIndex));
    return returned === undefined ? each : { ...each, returned };
  });
}

export function depositsIn(logs: readonly DepositLog[]): readonly Found[] {
  return transactionsOf(logs).flatMap(depositsOfTransaction);
}

/** Returns the senders of plain transfers above dust, which must be checked for being contracts. */
export function plainSenders(
  { pots }: DepositBook,
  logs: readonly DepositLog[],
  { bounds = DEPOSIT_BOUNDS, minMicroUsdc }: Pick<DepositRules, 'bounds' | 'minMicroUsdc'>,
): readonly Address[] {
  const found = transactionsOf(logs).flatMap(depositsOfTransaction);
  const beyond = beyondBlocks(found, bounds, minMicroUsdc);
  const counts = (each: Found): boolean => !isTiny(each, bounds) && !beyond.has(each);
  // These accounts have pending small amounts, or these logs could start one.
  const known = new Set(found.filter(counts).map(({ account }) => account));
  const senders = found.filter(
    (each) =>
      each.isPlain &&
      each.amount > 0n &&
      each.account !== ZERO &&
      !beyond.has(each) &&
      (known.has(each.account) || pots[each.account] !== undefined),
  );
  return [...new Set(senders.map(({ account }) => account))];
}

function transactionsOf(logs: readonly DepositLog[]): readonly (readonly DepositLog[])[] {
  const byHash = new Map<Hash, DepositLog[]>();
  for (const log of logs) {
    if (log.kind === 'return' || log.kind === 'payout') continue;
    const known = byHash.get(log.source.txHash);
    if (known === undefined) byHash.set(log.source.txHash, [log]);
    else known.push(log);
  }
  return [...byHash.values()];
}

/**
 * Returns the deposits of one transaction. Each bridge event is matched with the nearest preceding
 * transfer of the same amount that no other event has claimed.
 */
function depositsOfTransaction(logs: readonly DepositLog[]): readonly Found[] {
  const unused: DepositLog[] = [];
  const found: Found[] = [];
  for (const log of logs) {
    if (log.kind === 'transfer') {
      unused.push(log);
      continue;
    }
    const { account, amount, source } = log;
    const at = unused.findLastIndex((transfer) => transfer.amount === amount);
    const [transfer] = at < 0 ? [] : unused.splice(at, 1);
    const isOwn = transfer?.account === account;
    found.push({
      account,
      amount,
      source,
      isOwn,
      isPlain: false,
      isBacked: transfer !== undefined,
    });
  }
  for (const { account, amount, source } of unused) {
    found.push({ account, amount, source, isOwn: true, isPlain: true, isBacked: true });
  }
  return found.sort((a, b) => a.source.logIndex - b.source.logIndex);
}

function asideReason(found: Found, rules: DepositRules): AsideReason | undefined {
  const { account, amount, isBacked, isPlain } = found;
  if (!isBacked) return 'noTransfer';
  if (account === ZERO) return 'fromZero';
  if (isPlain && rules.operators.has(account)) return 'fromOperator';
  if (isPlain && rules.contracts.has(account)) return 'fromContract';
  return amount > BigInt(Number.MAX_SAFE_INTEGER) ? 'tooLarge' : undefined;
}

/**
 * Adds a small deposit to its account's pending amount. If that amount reaches the minimum, the
 * deposit is returned with the whole amount.
 */
function fillPot(
  pots: Map<Address, PendingDepositSum>,
  { account, amountMicroUsdc, isOwn, source }: Credit,
  { minMicroUsdc }: DepositRules,
): Credit | undefined {
  const pot = pots.get(account) ?? { amount: 0, parts: 0, isOwn: false };
  const amount = pot.amount + amountMicroUsdc;
  const filled = { amount, parts: pot.parts + 1, isOwn: pot.isOwn || isOwn };
  if (amount < minMicroUsdc) {
    if (amountMicroUsdc > 0) pots.set(account, filled);
    return undefined;
  }
  pots.delete(account);
  return { account, amountMicroUsdc: amount, source, isOwn: filled.isOwn };
}
