import { isSigned } from '@oddlot/engine';
import type { Address } from '@oddlot/units';
import { demand } from './finding.ts';
import { judgedMarksOf, marksOf } from './flows.ts';
import { LotBook } from './lots.ts';
import { type Held, hasValidMark, magnitude, type Funds, unrealised } from './state-copy.ts';
import type { Entry } from './venue.ts';

/**
 * R-adl: checks the order of deleveraging. The ranks are those at the time the gap is settled. They
 * are known only if no account acted and nothing was paid earlier in the entry.
 */
export function judgeRanks(entry: Entry, fund: Address): void {
  const { events } = entry.result;
  if (!events.some(({ type }) => type === 'deleveraged')) return;
  if (entry.commands.some((command) => isSigned(command))) return;
  if (events.some(({ type }) => type === 'fundingPaid' || type === 'perpSettled')) return;
  const lots = new LotBook(entry.before, events, fund);
  const sides = new Map<string, readonly Ranked[]>();
  for (const event of events) {
    if (event.type === 'tradeExecuted') return;
    const known = lots.closed.length;
    lots.note(event);
    const closed = lots.closed[known];
    if (closed === undefined) continue;
    const { account, instrumentId: id } = closed.event;
    const side = `${id} ${closed.isLong}`;
    const ranked = sides.get(side) ?? rankedIn(entry, id, closed.isLong, fund);
    sides.set(side, ranked);
    for (const before of ranked) {
      if (before.address === account) break;
      const left = lots.oldOf(before.address, id, closed.isLong);
      demand(
        left === 0,
        'deleveraged out of turn',
        () =>
          `${account} lost lots of ${id} while ${before.address}, who ranks higher, had ${left}`,
      );
    }
  }
}

type Ranked = {
  readonly address: Address;
  /**
   * The rank is `over` divided by `under`. With no equity, a profitable position ranks first, and
   * any other position ranks last.
   */
  readonly over: bigint;
  readonly under: bigint;
  readonly notional: bigint;
};

function rankedIn(entry: Entry, id: number, isLong: boolean, fund: Address): Ranked[] {
  const ranked: Ranked[] = [];
  for (const funds of entry.before.fundsByAccount.values()) {
    if (funds.address === fund) continue;
    for (const held of funds.held) {
      if (held.id !== id || held.size === 0 || held.size > 0 !== isLong) continue;
      ranked.push(rankOf(entry, funds, held));
    }
  }
  return ranked.sort((a, b) => {
    const [left, right] = [a.over * b.under, b.over * a.under];
    if (left !== right) return left > right ? -1 : 1;
    if (a.notional !== b.notional) return a.notional > b.notional ? -1 : 1;
    return a.address < b.address ? -1 : 1;
  });
}

function rankOf(entry: Entry, funds: Funds, held: Held): Ranked {
  const { address } = funds;
  const marks = marksOf(entry);
  const gain = unrealised(held, marks);
  const profit = gain > 0n ? gain : 0n;
  const notional = magnitude(held.size) * BigInt(marks(held.id));
  const equity = equityOf(entry, funds, held);
  if (equity <= 0n) {
    return profit > 0n
      ? { address, notional, over: 1n, under: 0n }
      : { address, notional, over: 0n, under: 1n };
  }
  const paid = held.cost < 0n ? -held.cost : held.cost;
  return { address, notional, over: profit * notional, under: (paid === 0n ? 1n : paid) * equity };
}

/**
 * R-ratio: returns the equity of the position's margin account. Positions without a valid price
 * count at the worse of two values.
 */
function equityOf(entry: Entry, funds: Funds, held: Held): bigint {
  const marks = marksOf(entry);
  const judged = judgedMarksOf(entry);
  const worse = (each: Held): bigint => {
    const market = entry.after.markets.get(each.id);
    const atMark = unrealised(each, marks);
    if (market !== undefined && hasValidMark(market)) return atMark;
    const atJudged = unrealised(each, judged);
    return atJudged < atMark ? atJudged : atMark;
  };
  if (held.isIsolated) return held.margin + worse(held);
  let equity = funds.balance;
  for (const each of funds.held) if (!each.isIsolated) equity += worse(each);
  return equity;
}
