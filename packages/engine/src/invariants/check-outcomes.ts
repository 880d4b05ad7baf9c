import { assert, microUsdc, present } from '@oddlot/units';
import { NONE, readSlotInt, REDUCE_ONLY } from '../book/order-pool.ts';
import { outcomeSnapshotOf } from '../outcome/outcome-order.ts';
import { FRACTION_ONE } from '../outcome/market-phase.ts';
import type { Account } from '../state/account.ts';
import { type MarketEvent, outcomeLegOf } from '../state/outcome-market.ts';
import type { State } from '../state/state.ts';

/** What must hold of outcome markets after every block, from scratch. */
export function checkOutcomes(state: State): void {
  const { outcomes } = state;
  const yes = new Map<number, number>();
  const no = new Map<number, number>();
  const places = new Map<number, number>();
  let resting = 0;
  for (const account of state.accounts) {
    checkAccount(state, account);
    for (const [id, holding] of account.outcomes) {
      const isKnown = holding.market.holders.has(account.index);
      assert(isKnown, `${id} knows that ${account.address} has a place in it`);
      places.set(id, (places.get(id) ?? 0) + 1);
      yes.set(id, (yes.get(id) ?? 0) + holding.yes.size);
      no.set(id, (no.get(id) ?? 0) + holding.no.size);
    }
  }
  for (const id of outcomes.marketIds) {
    const market = present(outcomes.markets.get(id), 'a listed market');
    market.book.checkConsistency();
    const bid = market.book.bestPrice(true);
    const ask = market.book.bestPrice(false);
    assert(bid === 0 || ask === 0 || bid < ask, `the book of ${id} is not crossed`);
    const rests = market.book.orderCount > 0;
    const mayRest = market.phase === 'open' || market.phase === 'halted';
    assert(!rests || mayRest, `nothing rests in ${id} while it is ${market.phase}`);
    resting += market.book.orderCount;
    assert(market.holders.size === (places.get(id) ?? 0), `${id} knows who has a place in it`);
    if (market.phase === 'resolved') {
      const { fraction } = present(market.resolution, 'a resolution');
      const owed =
        BigInt(yes.get(id) ?? 0) * BigInt(fraction) +
        BigInt(no.get(id) ?? 0) * BigInt(market.unit - fraction);
      assert(market.locked === owed, `what ${id} has locked is what its holders are owed`);
      continue;
    }
    // R-conservation: total YES = total NO = locked collateral.
    assert((yes.get(id) ?? 0) === market.pairs, `the YES shares of ${id} are its pairs`);
    assert((no.get(id) ?? 0) === market.pairs, `the NO shares of ${id} are its pairs`);
    const locked = microUsdc(BigInt(market.pairs) * BigInt(market.unit));
    assert(market.locked === locked, `${id} locks 1.00 for each share of a pair`);
  }
  assert(resting === outcomes.orderTx.size, 'every resting order, and no other, has its action');
  for (const event of outcomes.events.values()) checkEvent(state, event);
}

/** R-event-sets: what an event counts is what its markets were resolved to. */
function checkEvent({ outcomes }: State, event: MarketEvent): void {
  let resolved = 0;
  let sum = 0;
  for (const id of event.instrumentIds) {
    const market = outcomes.markets.get(id);
    const settled = outcomes.settled.get(id);
    const fraction = market?.resolution?.fraction ?? settled?.fraction;
    if (fraction === undefined) continue;
    resolved += 1;
    sum += fraction * 10 ** (market?.definition ?? present(settled, 'a settled market')).szDecimals;
  }
  const isCounted = resolved === event.resolved && sum === event.fractionSum;
  assert(isCounted, `${event.slug} counts its results`);
  assert(!event.mutuallyExclusive || sum <= FRACTION_ONE, `${event.slug} pays one at most`);
}

/** R-reserve: nothing is spent twice. */
function checkAccount(state: State, account: Account): void {
  const { pool } = state;
  let reserved = 0n;
  const sells = new Map<string, number>();
  const sell = (id: number, leg: string, size: number): void => {
    const key = `${id}/${leg}`;
    sells.set(key, (sells.get(key) ?? 0) + size);
  };
  for (const [id, holding] of account.outcomes) {
    for (let slot = holding.orders.head; slot !== NONE; slot = readSlotInt(pool.ownNext, slot)) {
      const order = outcomeSnapshotOf(state, slot);
      if ((readSlotInt(pool.flags, slot) & REDUCE_ONLY) !== 0) {
        sell(id, outcomeLegOf(order), order.remaining);
      } else {
        reserved += present(state.reserves.get(order.orderId), 'the reserve of a buy');
      }
    }
  }
  for (const { accountIndex, request, reserve } of state.outcomes.queue.all()) {
    if (accountIndex !== account.index) continue;
    if (request.reduceOnly) sell(request.instrumentId, outcomeLegOf(request), request.size);
    else reserved += reserve;
  }
  assert(account.outcomeReserved === reserved, `${account.address} reserves what its buys need`);
  assert(account.outcomeBalance >= 0n, `${account.address} has not spent twice`);
  for (const [id, holding] of account.outcomes) {
    for (const leg of ['yes', 'no'] as const) {
      const shares = holding[leg];
      const held = sells.get(`${id}/${leg}`) ?? 0;
      assert(shares.reserved === held, `${account.address} reserves the shares of its sells`);
      assert(shares.reserved <= shares.size, `${account.address} sells what it has in ${id}`);
      assert(shares.size > 0 || shares.cost === 0n, 'no shares, no cost');
    }
  }
}
