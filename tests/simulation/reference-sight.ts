import type { Command } from '@oddlot/engine';
import type { Book, Market, Position, ReferenceBooks } from './reference-books.ts';
import { abs, max, type ScopeNumbers, withdrawableOf } from './reference-margin.ts';

/**
 * How the reference ledger handles markets without a valid price (R-oracle-stale, R-ratio), and
 * losses since the last valid mark (R-bankruptcy-price).
 */

export function isUnpriced(books: ReferenceBooks, market: Market): boolean {
  const isStale = books.nowMs - market.oracleMs > books.parameters.oracleStaleMs;
  return !market.isDelisted && (market.isHalted || isStale);
}

const judgedOf = ({ judged, mark }: Market): bigint => (judged === 0n ? mark : judged);

/** Records the observation times of a command's prices. */
export function readPrices(books: ReferenceBooks, command: Command): void {
  if (command.type !== 'pushOracle') return;
  for (const { instrumentId, oracle } of command.prices) {
    const market = books.markets.get(instrumentId);
    if (market === undefined || market.isDelisted) continue;
    const { observedMs } = command;
    if (observedMs > books.nowMs + 5_000 || observedMs < market.oracleMs) continue;
    market.oracleMs = Math.min(observedMs, books.nowMs);
    market.oracle = BigInt(oracle);
  }
}

/** At the end of an entry, valid marks become the reference for the next entry. */
export function endEntry(books: ReferenceBooks): void {
  for (const market of books.markets.values()) {
    if (!isUnpriced(books, market)) market.judged = market.mark;
    market.oracleBefore = market.oracle;
  }
  for (const { positions } of books.accounts.values()) {
    for (const position of positions.values()) position.funded = undefined;
  }
}

/**
 * Returns a margin account's positions: one isolated position, or all of an account's cross
 * positions.
 */
function positionsOf(
  books: ReferenceBooks,
  owner: Book,
  position: Position | undefined,
): Position[] {
  if (position !== undefined) return [position];
  return books
    .legs(owner)
    .filter(({ leg }) => !leg.isIsolated && leg.size !== 0n)
    .map((each) => each.position);
}

function unjudged(books: ReferenceBooks, owner: Book, position: Position | undefined): Position[] {
  if (owner === books.fund) return [];
  const held = positionsOf(books, owner, position).filter(({ size }) => size !== 0n);
  return held.filter(({ market }) => isUnpriced(books, market));
}

/** Returns twice the position's value if it has no valid price, and 0 otherwise. */
function shareOf(books: ReferenceBooks, owner: Book, position: Position | undefined): bigint {
  return unjudged(books, owner, position).reduce((sum, { market, size }) => {
    return sum + 2n * abs(size) * max(market.mark, judgedOf(market));
  }, 0n);
}

/** R-ratio: returns a margin account's figures. Its equity excludes unconfirmed profit. */
export function healthOf(
  books: ReferenceBooks,
  owner: Book,
  position: Position | undefined,
): ScopeNumbers {
  const numbers = position === undefined ? books.cross(owner) : books.isolated(owner, position);
  const paper = unjudged(books, owner, position).reduce((sum, { market, size }) => {
    return sum + max(0n, size * (market.mark - judgedOf(market)));
  }, 0n);
  return { ...numbers, equity: numbers.equity - paper };
}

export function withdrawable(books: ReferenceBooks, owner: Book): bigint {
  const cross = books.cross(owner);
  const equity = cross.equity - shareOf(books, owner, undefined);
  return withdrawableOf(owner.balance, { ...cross, equity });
}

/**
 * Returns true if a cross account is margin-restricted. Isolated accounts are processed only in
 * markets with a valid price.
 */
export function isMarginRestricted(books: ReferenceBooks, owner: Book): boolean {
  const { equity, initial } = books.cross(owner);
  const share = shareOf(books, owner, undefined);
  return share > 0n && equity - share < initial;
}

/**
 * Returns a position's loss since its last valid mark, including the funding paid in this entry.
 */
function lossOf({ funded, market, size }: Position): bigint {
  const fall = max(0n, size * (judgedOf(market) - market.mark));
  if (funded === undefined || funded.size > 0n !== size > 0n) return fall;
  const left = abs(size);
  const whole = abs(funded.size);
  return fall + (left >= whole ? funded.paid : (funded.paid * left) / whole);
}

/**
 * Returns a position's loss and that of its whole margin account. The ratio of the two is the
 * position's share of a deficit.
 */
export function lossesOf(
  books: ReferenceBooks,
  owner: Book,
  position: Position,
  isIsolated: boolean,
): { readonly own: bigint; readonly all: bigint } {
  const scope = positionsOf(books, owner, isIsolated ? position : undefined);
  return { own: lossOf(position), all: scope.reduce((sum, each) => sum + lossOf(each), 0n) };
}
