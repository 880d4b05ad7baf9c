import type { Command } from '@oddlot/engine';
import type { Book, Market, Position, ReferenceBooks } from './reference-books.ts';
import { abs, max, type ScopeNumbers, withdrawableOf } from './reference-margin.ts';

/**
 * What the reference ledger makes of markets that nobody can judge (R-oracle-stale, R-ratio), and of
 * what was lost since they were last judged (R-bankruptcy-price).
 */

export function isUnpriced(books: ReferenceBooks, market: Market): boolean {
  const isStale = books.nowMs - market.oracleMs > books.parameters.oracleStaleMs;
  return !market.isDelisted && (market.isHalted || isStale);
}

const judgedOf = ({ judged, mark }: Market): bigint => (judged === 0n ? mark : judged);

/** When the prices of a command were observed. */
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

/** The entry is over: what could be judged in it is what the next one measures from. */
export function endEntry(books: ReferenceBooks): void {
  for (const market of books.markets.values()) {
    if (!isUnpriced(books, market)) market.judged = market.mark;
    market.oracleBefore = market.oracle;
  }
  for (const { positions } of books.accounts.values()) {
    for (const position of positions.values()) position.funded = undefined;
  }
}

/** The positions of a scope: an isolated one, or all cross ones of an account. */
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

/** Twice the size of what nobody can judge. */
function shareOf(books: ReferenceBooks, owner: Book, position: Position | undefined): bigint {
  return unjudged(books, owner, position).reduce((sum, { market, size }) => {
    return sum + 2n * abs(size) * max(market.mark, judgedOf(market));
  }, 0n);
}

/** R-ratio: a scope's numbers, its equity less what is only on paper. */
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

/** Of a cross scope: an isolated one is worked only in a market that can be judged. */
export function isBlind(books: ReferenceBooks, owner: Book): boolean {
  const { equity, initial } = books.cross(owner);
  const share = shareOf(books, owner, undefined);
  return share > 0n && equity - share < initial;
}

/** What a position lost since its last judged mark, with the funding that it paid in this entry. */
function lossOf({ funded, market, size }: Position): bigint {
  const fall = max(0n, size * (judgedOf(market) - market.mark));
  if (funded === undefined || funded.size > 0n !== size > 0n) return fall;
  const left = abs(size);
  const whole = abs(funded.size);
  return fall + (left >= whole ? funded.paid : (funded.paid * left) / whole);
}

/** The part of a debt that is a position's: its loss out of the scope's. */
export function lossesOf(
  books: ReferenceBooks,
  owner: Book,
  position: Position,
  isIsolated: boolean,
): { readonly own: bigint; readonly all: bigint } {
  const scope = positionsOf(books, owner, isIsolated ? position : undefined);
  return { own: lossOf(position), all: scope.reduce((sum, each) => sum + lossOf(each), 0n) };
}
