import type { Address } from '@oddlot/units';
import { demand, usdc } from './finding.ts';
import { type Change, judgedMarksOf } from './flows.ts';
import type { Closed } from './lots.ts';
import { magnitude } from './state-copy.ts';
import type { Entry } from './venue.ts';

/**
 * R-liquidation, R-adl: bounds what a bankruptcy costs other accounts. An account that is closed
 * against a bankrupt position loses only the profit that the gap added to the closed lots, and none
 * of the profit it already had at the last valid marks. An account that is neither bankrupt nor
 * deleveraged pays nothing.
 */

/** The rounding of one close, in micro-USDC, on top of the rounding of its price. */
const CLOSE_SLACK = 4n;

/** Checks the entry and returns the total profit lost by deleveraged accounts. */
export function judgeGap(
  entry: Entry,
  changes: ReadonlyMap<Address, Change>,
  closed: readonly Closed[],
  fund: Address,
): bigint {
  const allowed = new Map<Address, bigint>();
  const funding = fundingPerLot(entry);
  for (const each of closed) {
    const { account, instrumentId: id, price, size } = each.event;
    const worst = worstPrice(entry, id, each.isLong);
    const slack = (funding.get(id) ?? 0n) + 1n;
    const worse = BigInt(each.isLong ? worst - price : price - worst);
    demand(
      worse <= slack,
      'deleveraged at a worse price',
      () => `${account} had ${size} lots of ${id} closed at ${price}, judged at ${worst} before`,
    );
    const mark = entry.after.markets.get(id)?.mark ?? 0;
    const profit = BigInt(Math.max(0, each.isLong ? mark - worst : worst - mark));
    const sum = allowed.get(account) ?? 0n;
    allowed.set(account, sum + BigInt(size) * (profit + slack) + CLOSE_SLACK);
  }
  const failing = new Set<Address>();
  for (const event of entry.result.events) {
    if (event.type === 'liquidationStep') failing.add(event.account);
    if (event.type === 'fundSettled') failing.add(event.account);
  }
  let forgone = 0n;
  for (const [account, { relief }] of changes) {
    if (account === fund) continue;
    if (relief < 0n) forgone -= relief;
    if (failing.has(account)) continue;
    const most = allowed.get(account) ?? 0n;
    demand(
      -relief <= most,
      'taken from a bystander',
      () => `${account} lost ${usdc(-relief)} by what is not its own, ${usdc(most)} at most`,
    );
  }
  return forgone;
}

/**
 * Returns the worst price for a holder on this side among the last valid mark and this entry's
 * marks.
 */
function worstPrice(entry: Entry, id: number, isLong: boolean): number {
  const marks = [judgedMarksOf(entry)(id)];
  for (const event of entry.result.events) {
    if (event.type === 'markUpdated' && event.instrumentId === id) marks.push(event.mark);
  }
  const mark = entry.after.markets.get(id)?.mark;
  if (mark !== undefined) marks.push(mark);
  return isLong ? Math.min(...marks) : Math.max(...marks);
}

/** Returns the largest funding per lot in this entry, rounded up. */
function fundingPerLot({ result }: Entry): Map<number, bigint> {
  const most = new Map<number, bigint>();
  for (const event of result.events) {
    if (event.type !== 'fundingPaid' || event.size === 0) continue;
    const amount = event.amount < 0n ? -event.amount : event.amount;
    const perLot = amount / magnitude(event.size) + 1n;
    if (perLot > (most.get(event.instrumentId) ?? 0n)) most.set(event.instrumentId, perLot);
  }
  return most;
}
