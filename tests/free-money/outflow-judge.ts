import {
  type Command,
  isSigned,
  type SignedCommand,
  type TradeExecuted,
  type TradeSide,
} from '@oddlot/engine';
import type { Address } from '@oddlot/units';
import { demand, usdc } from './finding.ts';
import { judgedMarksOf, marksOf, sidesOf } from './flows.ts';
import {
  crossNumbers,
  isMarginRestricted,
  isolatedNumbers,
  type ScopeNumbers,
} from './margin-model.ts';
import type { Held, Funds, StateCopy } from './state-copy.ts';
import type { Entry } from './venue.ts';

/**
 * R-oracle-stale, R-order-of-events: checks that no money leaves a margin-restricted account, and
 * that any money leaving in the entry of a price gap is free both before and after the gap. The
 * check compares balances rather than commands, so it also covers unknown ways of moving money out.
 */
export function judgeOutflows(entry: Entry, fund: Address): void {
  const acts = entry.commands.filter((command) => isSigned(command));
  const busy = touched(entry);
  for (const [address, before] of entry.before.fundsByAccount) {
    const after = entry.after.fundsByAccount.get(address);
    // The insurance fund is never margin-restricted.
    if (after === undefined || busy.has(address) || address === fund) continue;
    judgeCross(entry, before, after, acts);
    judgeIsolated(entry, before, after, acts);
  }
  // If the entry has several commands, the state at each fill is unknown.
  if (acts.length > 1) return;
  const fundsByAccount = new Map(entry.before.fundsByAccount);
  for (const event of entry.result.events) {
    if (event.type !== 'tradeExecuted') continue;
    judgeFill(entry, fundsByAccount, event, fund);
    for (const { side, signed } of sidesOf(event)) {
      const funds = fundsByAccount.get(side.account);
      if (funds !== undefined) fundsByAccount.set(side.account, filled(funds, event, side, signed));
    }
  }
  judgeReserved(entry);
}

/**
 * Returns the state after the entry, with the markets as they were while commands ran. If a closing
 * hour ends with too few samples, its market starts waiting only in the entry's last steps
 * (R-delist).
 */
function inEntry({ after, before }: Entry): StateCopy {
  const markets = new Map(after.markets);
  for (const [id, market] of markets) {
    const then = before.markets.get(id);
    if (!market.isWaiting || then === undefined || then.isWaiting) continue;
    markets.set(id, { ...market, isWaiting: false, isHalted: then.isHalted });
  }
  return { ...after, markets };
}

/**
 * Returns the accounts whose money changed because of trades, funding or liquidations. Other judges
 * check them.
 */
function touched(entry: Entry): Set<Address> {
  const accounts = new Set<Address>();
  for (const event of entry.result.events) {
    switch (event.type) {
      case 'tradeExecuted':
        accounts.add(event.taker.account).add(event.maker.account);
        break;
      case 'positionTraded':
      case 'fundSettled':
      case 'fundingPaid':
        accounts.add(event.account);
        break;
      default:
    }
  }
  return accounts;
}

function judgeCross(
  entry: Entry,
  before: Funds,
  after: Funds,
  acts: readonly SignedCommand[],
): void {
  if (after.balance >= before.balance) return;
  const left = before.balance - after.balance;
  // The requirement is the one from before the entry, because new orders are checked separately and
  // other orders can be cancelled.
  const then = asLeveraged(before, after, acts);
  const own = acts.length > 1 || hasFailed(entry, before.address) ? withoutOrders(then) : then;
  const rest = { ...own, balance: after.balance };
  const atJudged = judgedMarksOf(entry);
  const numbers = crossNumbers(rest, inEntry(entry), marksOf(entry), atJudged);
  demand(
    !isMarginRestricted(numbers),
    'out of a blind scope',
    () =>
      `${usdc(left)} left the balance of ${before.address} by ${namesOf(acts)}; ${say(numbers)}`,
  );
  if (!isAheadOfGap(before.address, acts)) return;
  const ahead = crossNumbers(rest, inEntry(entry), atJudged, atJudged);
  demand(
    ahead.value >= ahead.initial || ahead.notional === 0n,
    'out ahead of a gap',
    () => `${usdc(left)} left the balance of ${before.address} by ${namesOf(acts)}; ${say(ahead)}`,
  );
}

function judgeIsolated(
  entry: Entry,
  before: Funds,
  after: Funds,
  acts: readonly SignedCommand[],
): void {
  for (const held of before.held) {
    const now = after.held.find(({ id, leg }) => id === held.id && leg === held.leg);
    if (!held.isIsolated || now === undefined || now.margin >= held.margin) continue;
    const left = held.margin - now.margin;
    const judged = judgedMarksOf(entry);
    const numbers = isolatedNumbers(now, inEntry(entry), marksOf(entry), judged);
    const what = () =>
      `${usdc(left)} left the margin in ${held.id} of ${before.address} by ${namesOf(acts)}`;
    demand(
      !isMarginRestricted(numbers),
      'out of a blind scope',
      () => `${what()}; ${say(numbers)}`,
    );
    if (!isAheadOfGap(before.address, acts)) continue;
    const then = isolatedNumbers(now, inEntry(entry), judged, judged);
    demand(then.value >= then.initial, 'out ahead of a gap', () => `${what()}; ${say(then)}`);
  }
}

/** Commands that move money out of the cross balance. */
const LEAVING: ReadonlySet<Command['type']> = new Set(['sendToken', 'withdraw']);

const AHEAD: ReadonlySet<Command['type']> = new Set([
  'sendToken',
  'withdraw',
  'updateIsolatedMargin',
  'updateLeverage',
]);

/**
 * R-block: returns true if every one of the account's commands runs before the gap is settled.
 * After an order, the account's other commands also wait until then.
 */
function isAheadOfGap(address: Address, acts: readonly SignedCommand[]): boolean {
  return acts.every(({ authority, type }) => authority.signer !== address || AHEAD.has(type));
}

/** R-fill-check: a margin-restricted account can only reduce positions, and only near the mark. */
function judgeFill(
  entry: Entry,
  fundsByAccount: ReadonlyMap<Address, Funds>,
  trade: TradeExecuted,
  fund: Address,
): void {
  const { instrumentId: id, price } = trade;
  const mark = entry.after.markets.get(id)?.mark ?? 0;
  for (const { side, signed } of sidesOf(trade)) {
    const funds = fundsByAccount.get(side.account);
    const held = funds === undefined ? undefined : heldOf(funds, id, signed, side.reduceOnly);
    if (funds === undefined || side.account === fund) continue;
    const isIsolated = side.marginMode === 'isolated';
    if (isIsolated && (held === undefined || held.size === 0)) continue;
    const judged = judgedMarksOf(entry);
    const numbers =
      isIsolated && held !== undefined
        ? isolatedNumbers(held, inEntry(entry), marksOf(entry), judged)
        : crossNumbers(withoutOrders(funds), inEntry(entry), marksOf(entry), judged);
    if (!isMarginRestricted(numbers)) continue;
    const start = side.startPosition;
    const isReducing = Math.abs(start + signed) < Math.abs(start) && start * (start + signed) >= 0;
    const worse = signed > 0 ? price - mark : mark - price;
    const bound = Math.min(0.005, 0.05 / Math.max(1, side.leverage));
    // Isolated openings are skipped above, because an order that reserved its margin before another
    // market lost its price can still fill.
    demand(
      isReducing && worse - 1 <= mark * bound,
      'traded while blind',
      () =>
        `${side.account} traded ${signed} lots of ${id} at ${price}, from ${start}, mark ${mark}; ${say(numbers)}`,
    );
  }
}

/**
 * Returns the account after a fill. A close realises a loss that the account already had, so only
 * the fill's price changes the account value.
 */
function filled(
  funds: Funds,
  { instrumentId: id, price }: TradeExecuted,
  { fee, marginMode, reduceOnly }: TradeSide,
  signed: number,
): Funds {
  const now = heldOf(funds, id, signed, reduceOnly);
  // This check does not model how fills change isolated margin.
  if (now === undefined || marginMode === 'isolated') return funds;
  const cost = now.cost + BigInt(signed) * BigInt(price);
  const held = funds.held.map((each) =>
    each === now ? { ...each, size: each.size + signed, cost } : each,
  );
  return { ...funds, balance: funds.balance - fee, held };
}

/**
 * R-oracle-stale: a margin-restricted account can open isolated positions only from reserved
 * margin.
 */
function judgeReserved(entry: Entry): void {
  for (const [address, before] of entry.before.fundsByAccount) {
    const after = entry.after.fundsByAccount.get(address);
    if (after === undefined || after.balance >= before.balance) continue;
    const trades = entry.result.events.filter(
      (event) =>
        event.type === 'tradeExecuted' &&
        sidesOf(event).some(({ side }) => side.account === address),
    ) as readonly TradeExecuted[];
    const isIsolated = trades.every((trade) =>
      sidesOf(trade).every(
        ({ side }) => side.account !== address || side.marginMode === 'isolated',
      ),
    );
    const isOther = entry.result.events.some(
      (event) =>
        (event.type === 'positionTraded' ||
          event.type === 'fundSettled' ||
          event.type === 'fundingPaid') &&
        event.account === address,
    );
    if (trades.length === 0 || !isIsolated || isOther) continue;
    const numbers = crossNumbers(after, inEntry(entry), marksOf(entry), judgedMarksOf(entry));
    demand(
      !isMarginRestricted(numbers),
      'out of a blind scope',
      () =>
        `${usdc(before.balance - after.balance)} of ${address} went into an isolated position; ${say(numbers)}`,
    );
  }
}

/**
 * R-leverage: an account may raise its leverage before money leaves, which lowers the requirement.
 */
function asLeveraged(before: Funds, after: Funds, acts: readonly SignedCommand[]): Funds {
  const own = acts.filter(({ authority }) => authority.signer === before.address);
  const raisedAt = own.findIndex(({ type }) => type === 'updateLeverage');
  if (raisedAt < 0 || own.slice(raisedAt + 1).every(({ type }) => !LEAVING.has(type))) {
    return before;
  }
  const held = before.held.map((each) => {
    const now = after.held.find(({ id, leg }) => id === each.id && leg === each.leg);
    return { ...each, leverage: now?.leverage ?? each.leverage };
  });
  return { ...before, held };
}

/**
 * R-fillable: returns true if this account's orders failed the fill test before any command ran.
 * They no longer require margin.
 */
function hasFailed(entry: Entry, address: Address): boolean {
  return entry.result.events.some(
    (event) =>
      event.type === 'orderUpdated' &&
      event.order.account === address &&
      event.status === 'cancelled' &&
      event.cancelCause === 'marginCanceled',
  );
}

/**
 * Removes the resting orders. Matching cancels orders that a margin-restricted account may not
 * fill, so they no longer require margin.
 */
function withoutOrders(funds: Funds): Funds {
  const held = funds.held.map((each) => ({ ...each, restingBuy: 0, restingSell: 0 }));
  return { ...funds, held };
}

function heldOf(funds: Funds, id: number, signed: number, reduceOnly: boolean): Held | undefined {
  const leg = funds.isHedged && signed > 0 === reduceOnly ? 1 : 0;
  return funds.held.find((each) => each.id === id && each.leg === leg);
}

function namesOf(acts: readonly Command[]): string {
  return acts.map(({ type }) => type).join(', ') || 'time alone';
}

function say({ staleNotional, initial, value }: ScopeNumbers): string {
  return `value ${usdc(value)}, of which ${usdc(staleNotional)} is in doubt, needs ${usdc(initial)}`;
}
