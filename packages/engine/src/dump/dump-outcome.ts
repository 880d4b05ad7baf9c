import { present, timeMs, usdcFromText } from '@oddlot/units';
import { byKey, byText } from '../collections/sorting.ts';
import { clientOrderKey } from '../messages/command.ts';
import { createMarket } from '../outcome/list-market.ts';
import { packPast, watchMarket, watchPast } from '../outcome/market-phase.ts';
import type { Account } from '../state/account.ts';
import {
  createOutcomeHolding,
  type LegHolding,
  type MarketDefinition,
  type OutcomeMarket,
} from '../state/outcome-market.ts';
import { priceFeedKey } from '../state/outcomes.ts';
import type { State } from '../state/state.ts';

type OutcomesDump = ReturnType<typeof dumpOutcomes>;

/**
 * Returns outcome markets as plain data. A packed dump stores settled events in compact form; a
 * plain dump lists all events in the same form.
 */
export function dumpOutcomes({ outcomes }: State, isPacked: boolean) {
  const { events, settled } = outcomes;
  return {
    /** A packed dump contains only the unsettled events here. */
    events: [...(isPacked ? events.live : events).values()]
      .sort((a, b) => byText(a.slug, b.slug))
      .map((event) => ({ ...event, instrumentIds: [...event.instrumentIds] })),
    nextEventId: outcomes.nextEventId,
    nextInstrumentId: outcomes.nextInstrumentId,
    markets: outcomes.marketIds.map((id) =>
      dumpMarket(present(outcomes.markets.get(id), 'a listed market')),
    ),
    settled: [...(isPacked ? settled.live : settled).values()].sort(
      (a, b) => a.instrumentId - b.instrumentId,
    ),
    ...(isPacked ? { past: outcomes.past.dump() } : {}),
    series: [...outcomes.series.values()].map(
      ({ listing, nextStartMs }) => [listing, nextStartMs] as const,
    ),
    /** The prices of a feed are sorted by time, oldest first. */
    prices: byKey(outcomes.prices).map(([, { lastMs, seconds, source, symbol }]) => {
      const rows = seconds.map(
        ({ observedMs, priceE8, secondMs }) => [secondMs, observedMs, priceE8] as const,
      );
      return [symbol, source, rows, lastMs] as const;
    }),
    queue: outcomes.queue
      .all()
      .map(
        (each) =>
          [
            each.queueId,
            each.accountIndex,
            each.request,
            each.txHash,
            each.index,
            each.dueMs,
            each.acceptedMs,
            String(each.reserve),
          ] as const,
      ),
    nextQueueId: outcomes.queue.nextId,
    settling: [...outcomes.settling],
    orderTx: [...outcomes.orderTx.entries()].sort(([a], [b]) => a - b),
  };
}

function dumpMarket(market: OutcomeMarket) {
  const { definition, lastTrade, lastTradeMs, locked, pairs, phase, strike } = market;
  return {
    definition,
    phase,
    pairs,
    locked: String(locked),
    lastTrade: [lastTrade, lastTradeMs] as const,
    /** The strike is absent until it can be determined. */
    ...(strike === undefined ? {} : { strike }),
    isJudged: market.isJudged,
    resolution: market.resolution ?? null,
  };
}

/**
 * Restores events and markets. It must run before the accounts are restored, because their holdings
 * refer to markets.
 */
export function restoreMarkets(state: State, plain: OutcomesDump): void {
  const { outcomes } = state;
  outcomes.nextEventId = plain.nextEventId;
  outcomes.nextInstrumentId = plain.nextInstrumentId;
  for (const event of plain.events) {
    outcomes.events.set(event.slug, { ...event, instrumentIds: [...event.instrumentIds] });
    outcomes.eventIds.add(event.eventId);
  }
  for (const settled of plain.settled) {
    outcomes.settled.set(settled.instrumentId, settled);
    outcomes.marketSlugs.set(settled.slug, settled.instrumentId);
  }
  for (const market of plain.markets) restoreMarket(state, market);
  outcomes.past.restore(plain.past ?? []);
  for (const settled of plain.settled) watchPast(state, settled);
  packPast(state);
  for (const [listing, nextStartMs] of plain.series) {
    outcomes.series.set(listing.slug, { listing, nextStartMs });
  }
  for (const [symbol, source, rows, lastMs] of plain.prices) {
    const seconds = rows.map(([secondMs, observedMs, priceE8]) => ({
      secondMs,
      observedMs,
      priceE8,
    }));
    outcomes.prices.set(priceFeedKey(symbol, source), { symbol, source, lastMs, seconds });
  }
  outcomes.queue.nextId = plain.nextQueueId;
  for (const each of plain.settling) outcomes.settling.push(each);
  for (const [orderId, txHash] of plain.orderTx) outcomes.orderTx.set(orderId, txHash);
}

function restoreMarket(state: State, plain: ReturnType<typeof dumpMarket>): void {
  const { definition } = plain;
  // The definition is copied, because the caller may keep using the dump.
  const market = createMarket(state, restoredDefinition(definition));
  market.phase = plain.phase;
  market.pairs = plain.pairs;
  market.locked = usdcFromText(plain.locked);
  [market.lastTrade, market.lastTradeMs] = plain.lastTrade;
  market.strike = plain.strike;
  market.isJudged = plain.isJudged;
  market.resolution = plain.resolution ?? undefined;
  state.outcomes.marketSlugs.set(definition.slug, definition.instrumentId);
  watchMarket(state, market);
}

/** Restores undefined fields, which JSON omits. */
function restoredDefinition(plain: MarketDefinition): MarketDefinition {
  const { reference, seriesSlug } = plain;
  return { ...plain, seriesSlug: seriesSlug ?? undefined, reference: reference ?? undefined };
}

/**
 * Restores the delay queue. It must run after the accounts are restored, because accounts count
 * their queued orders.
 */
export function restoreQueue(state: State, plain: OutcomesDump): void {
  const { queue } = state.outcomes;
  for (const row of plain.queue) {
    const [queueId, accountIndex, request, txHash, index, dueMs, acceptedMs, reserve] = row;
    const rest = { txHash, index, dueMs, acceptedMs, reserve: usdcFromText(reserve) };
    queue.push({ queueId, accountIndex, request, ...rest });
    const account = present(state.accounts[accountIndex], 'the owner of a queued order');
    account.liveOrders += 1;
    if (request.clientOrderId === undefined) continue;
    const key = present(clientOrderKey(request.clientOrderId), 'a valid client order id');
    account.clientOrders.set(key, -queueId);
  }
}

export function dumpOutcomeHoldings(account: Account) {
  return [...account.outcomes].map(([id, { no, yes }]) => [id, dumpLeg(yes), dumpLeg(no)] as const);
}

function dumpLeg({ cost, feesPaid, realised, reserved, size, updatedMs }: LegHolding) {
  return [size, String(cost), reserved, String(feesPaid), String(realised), updatedMs] as const;
}

export function restoreOutcomeHoldings(
  state: State,
  account: Account,
  rows: ReturnType<typeof dumpOutcomeHoldings>,
): void {
  for (const [id, yes, no] of rows) {
    const market = present(state.outcomes.markets.get(id), 'the market of a holding');
    const holding = createOutcomeHolding(market, timeMs(0));
    restoreLeg(holding.yes, yes);
    restoreLeg(holding.no, no);
    account.outcomes.set(id, holding);
    market.holders.set(account.index, true);
  }
}

function restoreLeg(leg: LegHolding, plain: ReturnType<typeof dumpLeg>): void {
  const [size, cost, reserved, feesPaid, realised, updatedMs] = plain;
  leg.size = size;
  leg.cost = usdcFromText(cost);
  leg.reserved = reserved;
  leg.feesPaid = usdcFromText(feesPaid);
  leg.realised = usdcFromText(realised);
  leg.updatedMs = timeMs(updatedMs);
}
