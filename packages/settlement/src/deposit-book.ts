import type { DepositSource } from '@oddlot/engine';
import { type Address, address, type Hash } from '@oddlot/units';
import { type DepositLog, returnIdOf } from '@oddlot/custody/bridge-contract';

/** What is known of money that reached the bridge and is not credited. */

/** Why money that the bridge has got is nobody's for now. */
type AsideReason =
  /** Made out of nothing, and not by the venue. */
  | 'fromZero'
  | 'fromOperator'
  /** Exchanges and contracts pay for many; nobody knows for whom. */
  | 'fromContract'
  /** More than the venue counts exactly. */
  | 'tooLarge'
  /** An event of the bridge that no transfer stands behind: the contract is not what it should be. */
  | 'noTransfer'
  /** The address is bound as an agent and has no account (R-agents). */
  | 'bound';

/** Kept outside of the engine, for the operator to return, or until what is in the way is gone. */
export type Aside = {
  readonly reason: AsideReason;
  /** Whom it would be credited to, or who sent it. */
  readonly account: Address;
  /** Decimal text of micro-USDC. */
  readonly amount: string;
  readonly source: DepositSource;
  readonly isOwn: boolean;
  /** The payout that gave it back. */
  readonly returned?: Hash;
};

/** Credited, and no longer where it was: the chain gave up a block that had all its confirmations. */
export type Vanished = {
  readonly account: Address;
  /** Decimal text of micro-USDC. */
  readonly amount: string;
  readonly source: DepositSource;
};

/** Amounts below the minimum that wait for more. */
export type Pot = { readonly amount: number; readonly parts: number; readonly isOwn: boolean };

/** What is too small to be told apart, or was beyond what is kept: a sum, and of how many. */
type Dust = { readonly amount: string; readonly parts: number };

export type DepositBook = {
  /** By account. */
  readonly pots: Readonly<Record<Address, Pot>>;
  readonly aside: readonly Aside[];
  /** What the venue made itself, to stand behind what its faucet gave; decimal text of micro-USDC. */
  readonly minted: string;
  /** What an operator has accepted as lost; one that comes back to the chain is not credited again. */
  readonly vanished: readonly Vanished[];
  readonly dust: Dust;
};

/** What stands in the logs of a transaction for somebody. */
type Found = {
  readonly account: Address;
  readonly amount: bigint;
  readonly source: DepositSource;
  readonly isOwn: boolean;
  /** A transfer that no event of the bridge accounts for. */
  readonly isPlain: boolean;
  readonly isBacked: boolean;
};

/**
 * What strangers can make a venue remember. A transaction may hold thousands of transfers of next to nothing, for as many accounts: what is
 * too small to be told apart is one sum, and of what is below the minimum the largest amounts are kept.
 */

type DepositBounds = {
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

const NO_DUST: Dust = { amount: '0', parts: 0 };

function withDust({ amount, parts }: Dust, more: readonly bigint[]): Dust {
  const sum = more.reduce((total, each) => total + each, BigInt(amount));
  return { amount: String(sum), parts: parts + more.length };
}

/** Too small to be remembered for an account that has nothing here; to what one has it adds up. */
function isTiny({ amount }: Found, { dustMicroUsdc }: DepositBounds): boolean {
  return amount < BigInt(dustMicroUsdc);
}

/** Deposits of these beyond what a block may add. The largest ones stay. */
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

/** A book that is not larger than it may be: what is left out is dust from now on. */
function boundedBook(book: DepositBook, bounds: DepositBounds, minMicroUsdc: number): DepositBook {
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

/**
 * What the logs of the settlement chain say about deposits, as a pure function: which are credited,
 * and which are kept aside and why. Reading the same logs again gives the same.
 */

/** A deposit that is to be credited (R-deposit). */
export type Credit = {
  readonly account: Address;
  readonly amountMicroUsdc: number;
  readonly source: DepositSource;
  readonly isOwn: boolean;
};

export type DepositRules = {
  readonly minMicroUsdc: number;
  readonly bounds?: DepositBounds;
  /** Whose transfers are no deposits: relayer, validators, guardian, minter. */
  readonly operators: ReadonlySet<Address>;
  /** The venue makes this token itself, so what comes out of nothing is its own doing. */
  readonly isMinter: boolean;
  /** Senders that are contracts; accounts that only borrow code (EIP-7702) are none. */
  readonly contracts: ReadonlySet<Address>;
  /** Bridges that this one follows: what they pay over is what accounts have already. */
  readonly formerBridges?: ReadonlySet<Address>;
  /** What the engine is known to have credited, with all that waited in the account's pot then. */
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

/** What the next logs, in their order, add to a book and bring to be credited. */
export function creditsOf(
  book: DepositBook,
  logs: readonly DepositLog[],
  rules: DepositRules,
): { readonly credits: readonly Credit[]; readonly book: DepositBook } {
  const pots = new Map(Object.entries(book.pots) as [Address, Pot][]);
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
    // Read once more after the notes were lost: what has become of it does not depend on today.
    if (rules.isCredited(source)) {
      // A small one was credited because it made the pot full, and took all of it along; others leave it alone.
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
 * A transaction that a reorganisation moved has its logs under other numbers: what was credited for it is
 * told by the transaction and by whom it went to.
 */
function isBack(vanished: Vanished[], { account, source }: Found): boolean {
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

/** What stands in logs for whom, whatever becomes of it. */
export function depositsIn(logs: readonly DepositLog[]): readonly Found[] {
  return transactionsOf(logs).flatMap(depositsOfTransaction);
}

/** Senders of plain transfers that may be more than dust: of these it matters whether they are contracts. */
export function plainSenders(
  { pots }: DepositBook,
  logs: readonly DepositLog[],
  { bounds = DEPOSIT_BOUNDS, minMicroUsdc }: Pick<DepositRules, 'bounds' | 'minMicroUsdc'>,
): readonly Address[] {
  const found = transactionsOf(logs).flatMap(depositsOfTransaction);
  const beyond = beyondBlocks(found, bounds, minMicroUsdc);
  const counts = (each: Found): boolean => !isTiny(each, bounds) && !beyond.has(each);
  // These have a pot, or one may begin for them in these logs.
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

/** Each event of the bridge uses up the nearest earlier unused transfer of its amount. */
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

/** Small amounts of an account add up; the one that makes them enough stands for all. */
function fillPot(
  pots: Map<Address, Pot>,
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
