import { type Hash, present, timeMs, usdcFromText } from '@oddlot/units';
import {
  clientOrderKey,
  type MarketPhase,
  type OrderRequest,
  type PriceSource,
  type SeriesListing,
  type TwapInputs,
} from '../messages/command.ts';
import { createMarket } from '../outcome/list-market.ts';
import { packPast, watchMarket, watchPast } from '../outcome/market-phase.ts';
import type { Account } from '../state/account.ts';
import {
  createOutcomeHolding,
  type LegHolding,
  type MarketDefinition,
  type MarketEvent,
  type OutcomeMarket,
  type Resolution,
  type SettledMarket,
} from '../state/outcome-market.ts';
import type { RunDump } from '../state/past-events.ts';
import { priceFeedKey } from '../state/outcomes.ts';
import type { State } from '../state/state.ts';

/** Everything about outcome markets as plain data. */
export type OutcomesDump = {
  /** By slug; of a packed dump those that are not past. */
  readonly events: readonly MarketEvent[];
  readonly nextEventId: number;
  readonly nextInstrumentId: number;
  /** By instrument id. */
  readonly markets: readonly MarketDump[];
  readonly settled: readonly SettledMarket[];
  /** Absent from a plain dump. */
  readonly past?: readonly RunDump[];
  /** By slug. */
  readonly series: readonly (readonly [listing: SeriesListing, nextStartMs: number])[];
  /** By symbol and source; seconds oldest first. */
  readonly prices: readonly PriceDump[];
  /** By due time, then arrival. */
  readonly queue: readonly QueuedDump[];
  readonly nextQueueId: number;
  readonly settling: readonly number[];
  /** By order id. */
  readonly orderTx: readonly (readonly [orderId: number, txHash: Hash])[];
};

type MarketDump = {
  readonly definition: MarketDefinition;
  readonly phase: MarketPhase;
  readonly pairs: number;
  readonly locked: string;
  readonly lastTrade: readonly [price: number, atMs: number];
  /** Absent before it can be known. */
  readonly strike?: TwapInputs | null;
  readonly isJudged: boolean;
  readonly resolution: Resolution | null;
};

type PriceDump = readonly [
  symbol: string,
  source: PriceSource,
  seconds: readonly (readonly [secondMs: number, observedMs: number, priceE8: number])[],
  lastMs: number,
];

type QueuedDump = readonly [
  queueId: number,
  accountIndex: number,
  request: OrderRequest,
  txHash: Hash,
  index: number,
  dueMs: number,
  acceptedMs: number,
  reserve: string,
];

/** What an account has in a market: YES and NO, each size, cost, fees, realised, when. */
export type OutcomeHoldingDump = readonly [instrumentId: number, yes: LegDump, no: LegDump];

type LegDump = readonly [
  size: number,
  cost: string,
  reserved: number,
  feesPaid: string,
  realised: string,
  updatedMs: number,
];

/** A packed one tells what is past in little room; a plain one as if nothing had been let go of. */
export function dumpOutcomes({ outcomes }: State, isPacked: boolean): OutcomesDump {
  const { events, settled } = outcomes;
  return {
    events: [...(isPacked ? events.live : events).values()]
      .sort((a, b) => (a.slug < b.slug ? -1 : 1))
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
    series: [...outcomes.series.values()].map(({ listing, nextStartMs }) => [listing, nextStartMs]),
    prices: [...outcomes.prices.entries()]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, { lastMs, seconds, source, symbol }]) => [
        symbol,
        source,
        seconds.map(({ observedMs, priceE8, secondMs }) => [secondMs, observedMs, priceE8]),
        lastMs,
      ]),
    queue: outcomes.queue
      .all()
      .map((each) => [
        each.queueId,
        each.accountIndex,
        each.request,
        each.txHash,
        each.index,
        each.dueMs,
        each.acceptedMs,
        String(each.reserve),
      ]),
    nextQueueId: outcomes.queue.nextId,
    settling: [...outcomes.settling],
    orderTx: [...outcomes.orderTx.entries()].sort(([a], [b]) => a - b),
  };
}

function dumpMarket(market: OutcomeMarket): MarketDump {
  const { definition, lastTrade, lastTradeMs, locked, pairs, phase, strike } = market;
  return {
    definition,
    phase,
    pairs,
    locked: String(locked),
    lastTrade: [lastTrade, lastTradeMs],
    ...(strike === undefined ? {} : { strike }),
    isJudged: market.isJudged,
    resolution: market.resolution ?? null,
  };
}

/** Before the accounts: their holdings point at markets. */
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

function restoreMarket(state: State, plain: MarketDump): void {
  const { definition } = plain;
  // A market in the list of the dump may be shared with whoever made it; the state owns its own.
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

/** JSON leaves out what is undefined. */
function restoredDefinition(plain: MarketDefinition): MarketDefinition {
  const { reference, seriesSlug } = plain;
  return { ...plain, seriesSlug: seriesSlug ?? undefined, reference: reference ?? undefined };
}

/** After the accounts: queued orders count among theirs. */
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

export function dumpOutcomeHoldings(account: Account): OutcomeHoldingDump[] {
  return [...account.outcomes.entries()].map(([id, { no, yes }]) => [
    id,
    dumpLeg(yes),
    dumpLeg(no),
  ]);
}

function dumpLeg({ cost, feesPaid, realised, reserved, size, updatedMs }: LegHolding): LegDump {
  return [size, String(cost), reserved, String(feesPaid), String(realised), updatedMs];
}

export function restoreOutcomeHoldings(
  state: State,
  account: Account,
  rows: readonly OutcomeHoldingDump[],
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

function restoreLeg(leg: LegHolding, plain: LegDump): void {
  const [size, cost, reserved, feesPaid, realised, updatedMs] = plain;
  leg.size = size;
  leg.cost = usdcFromText(cost);
  leg.reserved = reserved;
  leg.feesPaid = usdcFromText(feesPaid);
  leg.realised = usdcFromText(realised);
  leg.updatedMs = timeMs(updatedMs);
}
