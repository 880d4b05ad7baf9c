import {
  addUsdc,
  divExact,
  instrumentId as toInstrumentId,
  type MicroUsdc,
  microUsdc,
  negUsdc,
  notional,
  present,
  subUsdc,
  timeMs,
  ZERO_USDC,
} from '@oddlot/units';
import { postCollateral, postToOutcome } from '../ledger/post.ts';
import type { SkippedEntry } from '../messages/block.ts';
import type {
  MarketPhase,
  OperateEntry,
  ReferencePrice,
  RegisterMarketCommand,
  SetTradingCommand,
} from '../messages/command.ts';
import { LIMITS } from '../messages/limits.ts';
import type { Reject } from '../messages/reject.ts';
import {
  gridFault,
  isEventIdTaken,
  isIdTaken,
  listEvent,
  type ListingFault,
  listMarket,
} from '../outcome/list-market.ts';
import { changePhase, closeMarket, fitsEvent, resolve, shareOf } from '../outcome/market-phase.ts';
import { outcomeHoldingOf } from '../outcome/outcome-order.ts';
import { observe } from '../outcome/series.ts';
import { unknownMarket } from '../outcome/validate-outcome-order.ts';
import { releasedPart } from '../perp/position.ts';
import type { Account } from '../state/account.ts';
import type { Execution } from '../state/execution.ts';
import type { LegHolding, OutcomeMarket } from '../state/outcome-market.ts';
import { periodOf, priceFeedKey } from '../state/outcomes.ts';
import type { State } from '../state/state.ts';
import { listSeriesMarkets } from '../steps/series.ts';
import { checkedPerEntry, type CommandTable, PASSIVE } from './command-row.ts';
import { gateOperation } from '../auth/gate.ts';

export const OUTCOME_COMMANDS = {
  /**
   * Exchanges collateral for pairs of YES and NO, or pairs for collateral. Either all entries are
   * executed or none (R-split-merge).
   */
  operateOutcome: {
    signedBy: 'agent',
    class: PASSIVE,
    gate: gateOperation,
    restricted: 'stops',
    check(state, account, { entries, kind }) {
      const { address } = account;
      let spent = 0n;
      const used = new Map<number, number>();
      for (const [rejectIndex, entry] of entries.entries()) {
        const { instrumentId, size } = entry;
        const market = state.outcomes.markets.get(instrumentId);
        const reject =
          market === undefined
            ? notAMarket(state, entry)
            : (checkOperatePhase(market, kind, entry) ??
              checkOperateSize(entry) ??
              (kind === 'split'
                ? checkSplit(account, market, size, spent)
                : checkMerge(account, entry, used.get(instrumentId) ?? 0)));
        if (reject !== undefined) return { account: address, reject, rejectIndex };
        if (market === undefined) continue;
        spent += notional(market.unit, size);
        used.set(instrumentId, (used.get(instrumentId) ?? 0) + size);
      }
      return { account: address };
    },
    execute(execution, account, command) {
      for (const entry of command.entries) operate(execution, account, command.kind, entry);
    },
  },

  /** Lists an event, or changes the texts of a listed event that has no result yet. */
  registerEvent: {
    signedBy: 'deployers',
    check({ outcomes }, { event }) {
      const { endMs, eventId, slug, startMs } = event;
      const listed = outcomes.events.get(slug);
      if (listed !== undefined) {
        return listed.resolved > 0 ? { reason: 'slugUsed', slug } : undefined;
      }
      if (endMs <= startMs) {
        const why = `must be after startTime, ${startMs}`;
        return { reason: 'definitionInvalid', field: 'endTime', why };
      }
      if (eventId !== undefined && isEventIdTaken(outcomes, eventId)) {
        return { reason: 'definitionInvalid', field: 'eventId', why: 'is used already' };
      }
      return undefined;
    },
    execute(execution, command) {
      const { commandIndex, events, state } = execution;
      const listed = state.outcomes.events.get(command.event.slug);
      if (listed === undefined) {
        return { created: { eventId: listEvent(execution, command.event, undefined) } };
      }
      const { endMs, eventId, mutuallyExclusive, startMs } = listed;
      const times = { startMs: timeMs(startMs), endMs: timeMs(endMs) };
      const event = { ...command.event, ...times, mutuallyExclusive };
      state.digest.text(event.slug);
      events.push({
        type: 'outcomeEventListed',
        commandIndex,
        eventId,
        event,
        seriesSlug: undefined,
      });
      return { created: { eventId } };
    },
  },

  registerMarket: {
    signedBy: 'deployers',
    check({ outcomes }, { market }, nowMs) {
      const { eventSlug, instrumentId, slug } = market;
      const event = outcomes.events.get(eventSlug);
      if (event === undefined) return { reason: 'eventUnknown', slug: eventSlug };
      if (outcomes.marketSlugs.has(slug)) return { reason: 'slugUsed', slug };
      // An exclusive event accepts no new markets after its first result (R-event-sets).
      const first = event.instrumentIds[0];
      if (event.mutuallyExclusive && event.resolved > 0 && first !== undefined) {
        return { reason: 'alreadyResolved', instrumentId: toInstrumentId(first) };
      }
      const fault = listingFault(market, event, nowMs);
      if (fault !== undefined) return { reason: 'definitionInvalid', ...fault };
      if (instrumentId === undefined) return undefined;
      if (instrumentId < LIMITS.perpIdEnd || instrumentId > LIMITS.instrumentIdMax) {
        const why = `must be ${LIMITS.perpIdEnd} to ${LIMITS.instrumentIdMax}`;
        return { reason: 'definitionInvalid', field: 'instrumentId', why };
      }
      return isIdTaken(outcomes, instrumentId)
        ? { reason: 'instrumentIdUsed', instrumentId }
        : undefined;
    },
    execute(execution, command) {
      return { created: { instrumentId: listMarket(execution, command.market, undefined) } };
    },
  },

  /**
   * Lists a series and its first markets, or changes the markets of a known series that have not
   * been listed yet.
   */
  registerSeries: {
    signedBy: 'deployers',
    check(_state, { series }) {
      const period = periodOf(series);
      if (series.firstStartMs % period !== 0) {
        return invalid('firstStartTime', `must be a whole multiple of the period, ${period} ms`);
      }
      if (series.listAhead < 1 || series.listAhead > LIMITS.seriesAheadMax) {
        return invalid('listAhead', `must be 1 to ${LIMITS.seriesAheadMax}`);
      }
      const fault = gridFault(series);
      return fault === undefined ? undefined : invalid(fault.field, fault.why);
    },
    execute(execution, command) {
      const { commandIndex, events, state } = execution;
      const { series: listing } = command;
      const { series } = state.outcomes;
      const known = series.get(listing.slug);
      if (known === undefined) {
        series.set(listing.slug, { listing, nextStartMs: listing.firstStartMs });
        sortKeys(series);
      } else {
        known.listing = listing;
        // The period may have changed, and markets start at whole multiples of it.
        const period = periodOf(listing);
        const earliest = Math.max(known.nextStartMs, listing.firstStartMs);
        known.nextStartMs = Math.ceil(earliest / period) * period;
      }
      state.digest.text(listing.slug);
      state.digest.text(JSON.stringify(listing));
      events.push({ type: 'outcomeSeriesListed', commandIndex, series: listing });
      listSeriesMarkets(execution);
      return { created: { seriesSlug: listing.slug } };
    },
  },

  /** Opens, halts or closes markets. The change applies to all of them or to none. */
  setTrading: {
    signedBy: 'deployers',
    check({ outcomes }, { instrumentIds, to }) {
      for (const instrumentId of instrumentIds) {
        const market = outcomes.markets.get(instrumentId);
        const isSettled = outcomes.settled.has(instrumentId);
        if (market === undefined && !isSettled)
          return { reason: 'instrumentUnknown', instrumentId };
        const from = market?.phase ?? 'resolved';
        if (!FROM[to].includes(from))
          return { reason: 'phaseChangeInvalid', instrumentId, from, to };
      }
      return undefined;
    },
    execute(execution, command) {
      const { state } = execution;
      for (const id of command.instrumentIds) {
        const market = present(state.outcomes.markets.get(id), 'a judged market');
        if (command.to === 'closed') closeMarket(execution, market);
        else if (market.phase !== command.to) changePhase(execution, market, command.to);
      }
    },
  },

  /** Records reference prices separately: an ignored price does not affect the others. */
  pushPrice: {
    signedBy: 'deployers',
    check: checkedPerEntry,
    execute(execution, command) {
      const skipped: SkippedEntry[] = [];
      for (const [index, price] of command.prices.entries()) {
        const why = takePrice(execution, price);
        if (why !== undefined) skipped.push({ index, why });
      }
      return skipped.length === 0 ? {} : { skipped };
    },
  },

  /** Records a deployer's result of a closed market (R-settlement). */
  resolveMarket: {
    signedBy: 'deployers',
    check({ outcomes }, { fraction, fractionInexact, instrumentId }) {
      const market = outcomes.markets.get(instrumentId);
      if (market === undefined) {
        return outcomes.settled.has(instrumentId)
          ? { reason: 'alreadyResolved', instrumentId }
          : { reason: 'instrumentUnknown', instrumentId };
      }
      const from = market.phase;
      if (from === 'resolved') return { reason: 'alreadyResolved', instrumentId };
      if (from !== 'closed')
        return { reason: 'phaseChangeInvalid', instrumentId, from, to: 'resolved' };
      if (fraction < 0 || fraction > market.unit || (fraction === market.unit && fractionInexact)) {
        return { reason: 'definitionInvalid', field: 'settlementFraction', why: 'must be 0 to 1' };
      }
      if (fractionInexact === true)
        return { reason: 'fractionInexact', instrumentId, floor: fraction };
      const event = present(
        outcomes.events.get(market.definition.eventSlug),
        'the event of a market',
      );
      return fitsEvent(event, shareOf(market, fraction)) ? undefined : { reason: 'fractionsOff' };
    },
    execute(execution, command) {
      const { state } = execution;
      const market = present(state.outcomes.markets.get(command.instrumentId), 'a judged market');
      const { evidence, fraction, oracleOutcome } = command;
      const result = { fraction, by: 'operator', oracleOutcome, evidence, inputs: null } as const;
      resolve(execution, market, result, command.operator?.txHash);
    },
  },
} satisfies Partial<CommandTable>;

function notAMarket(state: State, { instrumentId }: OperateEntry): Reject {
  if (instrumentId < LIMITS.perpIdEnd) return { reason: 'outcomeUnknown', instrumentId };
  return unknownMarket(state, instrumentId);
}

/** Rejects splits unless the market is open, and rejects merges after its resolution. */
function checkOperatePhase(
  { phase }: OutcomeMarket,
  kind: 'split' | 'merge',
  { instrumentId }: OperateEntry,
): Reject | undefined {
  if (phase === 'resolved') return { reason: 'marketResolved', instrumentId };
  if (kind === 'merge' || phase === 'open') return undefined;
  if (phase === 'halted') return { reason: 'tradingHalted', instrumentId };
  return { reason: 'marketClosed', instrumentId };
}

function checkOperateSize({ instrumentId, size, sizeInexact }: OperateEntry): Reject | undefined {
  if (size < 0 || (size === 0 && sizeInexact !== true)) {
    return { reason: 'sizeBelowMin', instrumentId, min: 1 };
  }
  if (sizeInexact === true) return { reason: 'sizeOffLot', instrumentId };
  const max = LIMITS.sizeMax;
  return size > max ? { reason: 'sizeAboveMax', instrumentId, max } : undefined;
}

function checkSplit(
  account: Account,
  market: OutcomeMarket,
  size: number,
  spent: bigint,
): Reject | undefined {
  const required = notional(market.unit, size);
  const free = account.outcomeBalance - spent;
  const available = free < 0n ? ZERO_USDC : microUsdc(free);
  return required <= available ? undefined : { reason: 'balanceInsufficient', required, available };
}

function checkMerge(
  account: Account,
  { instrumentId, size: required }: OperateEntry,
  used: number,
): Reject | undefined {
  const holding = account.outcomes.get(instrumentId);
  const free = (leg: LegHolding | undefined): number =>
    leg === undefined ? 0 : leg.size - leg.reserved - used;
  const available = Math.max(0, Math.min(free(holding?.yes), free(holding?.no)));
  if (required <= available) return undefined;
  return { reason: 'pairsInsufficient', instrumentId, required, available };
}

function operate(
  execution: Execution,
  account: Account,
  kind: 'split' | 'merge',
  { instrumentId, size }: OperateEntry,
): void {
  const { state } = execution;
  const market = present(state.outcomes.markets.get(instrumentId), 'a checked market');
  const holding = outcomeHoldingOf(state, account, market);
  const amount = notional(market.unit, size);
  const isSplit = kind === 'split';
  const signed = isSplit ? amount : negUsdc(amount);
  market.pairs += isSplit ? size : -size;
  postCollateral(state, market, signed);
  postToOutcome(state, account, negUsdc(signed));
  // One lot of a pair is worth an even number of price units, so half of it is exact.
  const half = microUsdc(divExact(amount, 2n));
  const legs = [holding.yes, holding.no] as const;
  const startSizes = [holding.yes.size, holding.no.size] as const;
  const [yes, no] = legs.map((leg) =>
    isSplit ? bookHalf(state, leg, size, half) : takeHalf(state, leg, size, half),
  );
  for (const leg of legs) leg.updatedMs = timeMs(state.timeMs);
  execution.events.push({
    type: 'sharesOperated',
    commandIndex: execution.commandIndex,
    account: account.address,
    instrumentId,
    kind,
    size,
    amount,
    startSizes,
    realised: [yes ?? ZERO_USDC, no ?? ZERO_USDC],
  });
}

/** Adds the shares from a split to one outcome at a cost of 0.50 each. */
function bookHalf(state: State, leg: LegHolding, size: number, half: MicroUsdc): MicroUsdc {
  if (leg.size === 0) {
    leg.feesPaid = ZERO_USDC;
    leg.realised = ZERO_USDC;
  }
  leg.size += size;
  leg.cost = addUsdc(leg.cost, half);
  state.digest.number(leg.size);
  state.digest.amount(leg.cost);
  return ZERO_USDC;
}

/** Removes the shares for a merge from one outcome at a price of 0.50 each. */
function takeHalf(state: State, leg: LegHolding, size: number, half: MicroUsdc): MicroUsdc {
  const released = releasedPart(leg.cost, size, leg.size);
  const realised = subUsdc(half, released);
  leg.size -= size;
  leg.cost = subUsdc(leg.cost, released);
  leg.realised = addUsdc(leg.realised, realised);
  state.digest.number(leg.size);
  state.digest.amount(leg.cost);
  return realised;
}

export function listingFault(
  market: RegisterMarketCommand['market'],
  event: { readonly startMs: number; readonly endMs: number },
  nowMs: number,
): ListingFault | undefined {
  return timesFault(market, event, nowMs) ?? gridFault(market);
}

function timesFault(
  { endMs, startMs }: RegisterMarketCommand['market'],
  event: { readonly startMs: number; readonly endMs: number },
  nowMs: number,
): ListingFault | undefined {
  if (startMs < event.startMs) {
    return { field: 'startTime', why: `must not be before the event's, ${event.startMs}` };
  }
  if (startMs >= endMs) return { field: 'startTime', why: `must be before endTime, ${endMs}` };
  if (endMs > event.endMs) {
    return { field: 'endTime', why: `must not be after the event's, ${event.endMs}` };
  }
  return endMs > nowMs
    ? undefined
    : { field: 'endTime', why: `must be after the consensus time, ${nowMs}` };
}

function invalid(field: string, why: string): Reject {
  return { reason: 'definitionInvalid', field, why };
}

/** Sorts a map by its keys, so that a restored map is iterated in the same order. */
function sortKeys<Value>(map: Map<string, Value>): void {
  const entries = [...map].sort(([a], [b]) => (a < b ? -1 : 1));
  map.clear();
  for (const [key, value] of entries) map.set(key, value);
}

/** The phases from which an operator can move a market to each phase (R-phases). */
const FROM: Record<SetTradingCommand['to'], readonly MarketPhase[]> = {
  open: ['upcoming', 'halted'],
  halted: ['open'],
  closed: ['upcoming', 'open', 'halted'],
};

function takePrice(
  { commandIndex, events, state }: Execution,
  { observedMs, priceE8, source, symbol }: ReferencePrice,
): SkippedEntry['why'] | undefined {
  if (!Number.isSafeInteger(priceE8) || priceE8 <= 0) return 'priceOutOfRange';
  if (observedMs > state.timeMs + LIMITS.observationAheadMs) return 'stale';
  const atMs = Math.min(observedMs, state.timeMs);
  const { prices } = state.outcomes;
  const key = priceFeedKey(symbol, source);
  let feed = prices.get(key);
  if (feed === undefined) {
    if (prices.size >= LIMITS.priceFeeds) return 'instrumentUnknown';
    feed = { symbol, source, lastMs: 0, seconds: [] };
    prices.set(key, feed);
  }
  if (atMs < feed.lastMs) return 'stale';
  feed.lastMs = atMs;
  // Missing prices are never added later (R-series). A late observation is only reported in events.
  if (state.timeMs - atMs <= LIMITS.observationLateMs) observe(feed, atMs, priceE8);
  state.digest.text(key);
  state.digest.number(priceE8);
  state.digest.number(atMs);
  const taken = { symbol, source, priceE8, observedMs: timeMs(atMs) };
  events.push({ type: 'referencePriceTaken', commandIndex, ...taken });
  return undefined;
}
