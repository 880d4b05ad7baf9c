import { type DepositLog, returnIdOf } from '@oddlot/custody/bridge-contract';
import type { DepositSource } from '@oddlot/engine';
import { type Address, address, type Hash } from '@oddlot/units';
import {
  beyondBlocks,
  boundedBook,
  type DepositBounds,
  DEPOSIT_BOUNDS,
  isTiny,
  NO_DUST,
  withDust,
} from './deposit-bounds.ts';
import type { Aside, AsideReason, DepositBook, Found, Pot, Vanished } from './deposit-shapes.ts';

export type { Aside, DepositBook, Pot, Vanished } from './deposit-shapes.ts';

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
