import { instrumentId as toInstrumentId, present, timeMs } from '@oddlot/units';
import type { CommandResult, SkippedEntry } from '../messages/block.ts';
import type {
  PushPriceCommand,
  ReferencePrice,
  RegisterEventCommand,
  RegisterMarketCommand,
  RegisterSeriesCommand,
  ResolveMarketCommand,
  SetTradingCommand,
} from '../messages/command.ts';
import type { Reject } from '../messages/reject.ts';
import {
  gridFault,
  isEventIdTaken,
  isIdTaken,
  listEvent,
  type ListingFault,
  listMarket,
} from '../outcome/list-market.ts';
import type { Execution } from '../state/execution.ts';
import type { State } from '../state/state.ts';
import { LIMITS } from '../messages/limits.ts';
import { periodOf, priceFeedKey } from '../state/outcomes.ts';
import { listSeriesMarkets } from '../steps/series.ts';
import type { MarketPhase } from '../messages/commands/outcome.ts';
import { changePhase, closeMarket, fitsEvent, resolve, shareOf } from '../outcome/market-phase.ts';
import { observe } from '../outcome/series.ts';

/** Lists an event; of one that is listed and has no result yet the texts change. */
export function registerEvent(execution: Execution, command: RegisterEventCommand): CommandResult {
  const { commandIndex, events, state } = execution;
  const reject = checkRegisterEvent(state, command);
  if (reject !== undefined) return { reject };
  const listed = state.outcomes.events.get(command.event.slug);
  if (listed === undefined) {
    return { created: { eventId: listEvent(execution, command.event, undefined) } };
  }
  const { endMs, eventId, mutuallyExclusive, startMs } = listed;
  const times = { startMs: timeMs(startMs), endMs: timeMs(endMs) };
  const event = { ...command.event, ...times, mutuallyExclusive };
  state.digest.text(event.slug);
  events.push({ type: 'outcomeEventListed', commandIndex, eventId, event, seriesSlug: undefined });
  return { created: { eventId } };
}

/** Judges a listing: the slug, the times, the id. */
export function checkRegisterEvent(
  { outcomes }: State,
  { event }: RegisterEventCommand,
): Reject | undefined {
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
}

/** Lists a market in an event. */
export function registerMarket(
  execution: Execution,
  command: RegisterMarketCommand,
): CommandResult {
  const reject = checkRegisterMarket(execution.state, command, execution.state.timeMs);
  if (reject !== undefined) return { reject };
  return { created: { instrumentId: listMarket(execution, command.market, undefined) } };
}

/** Judges a listing: the event, the slug, the times, the grid, the id. */
export function checkRegisterMarket(
  { outcomes }: State,
  { market }: RegisterMarketCommand,
  nowMs: number,
): Reject | undefined {
  const { eventSlug, instrumentId, slug } = market;
  const event = outcomes.events.get(eventSlug);
  if (event === undefined) return { reason: 'eventUnknown', slug: eventSlug };
  if (outcomes.marketSlugs.has(slug)) return { reason: 'slugUsed', slug };
  // R-event-sets: nobody joins an exclusive set whose results have begun.
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
}

/** What is wrong with a listing by itself, whatever else is listed; undefined when nothing is. */
export function listingFault(
  market: RegisterMarketCommand['market'],
  event: { readonly startMs: number; readonly endMs: number },
  nowMs: number,
): ListingFault | undefined {
  return timesFault(market, event, nowMs) ?? gridFault(market);
}

/** A market runs within its event, and ends after now. */
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

/** Lists a series and its first markets; of a known one, what markets not yet listed will be. */
export function registerSeries(
  execution: Execution,
  command: RegisterSeriesCommand,
): CommandResult {
  const { commandIndex, events, state } = execution;
  const reject = checkRegisterSeries(state, command);
  if (reject !== undefined) return { reject };
  const { series: listing } = command;
  const { series } = state.outcomes;
  const known = series.get(listing.slug);
  if (known === undefined) {
    series.set(listing.slug, { listing, nextStartMs: listing.firstStartMs });
    sortKeys(series);
  } else {
    known.listing = listing;
    // Its period may be another one: markets start at whole multiples of it.
    const period = periodOf(listing);
    const earliest = Math.max(known.nextStartMs, listing.firstStartMs);
    known.nextStartMs = Math.ceil(earliest / period) * period;
  }
  state.digest.text(listing.slug);
  state.digest.text(JSON.stringify(listing));
  events.push({ type: 'outcomeSeriesListed', commandIndex, series: listing });
  listSeriesMarkets(execution);
  return { created: { seriesSlug: listing.slug } };
}

/** Judges a listing: the start, the grid. */
export function checkRegisterSeries(
  _state: State,
  { series }: RegisterSeriesCommand,
): Reject | undefined {
  const period = periodOf(series);
  if (series.firstStartMs % period !== 0) {
    return invalid('firstStartTime', `must be a whole multiple of the period, ${period} ms`);
  }
  if (series.listAhead < 1 || series.listAhead > LIMITS.seriesAheadMax) {
    return invalid('listAhead', `must be 1 to ${LIMITS.seriesAheadMax}`);
  }
  const fault = gridFault(series);
  return fault === undefined ? undefined : invalid(fault.field, fault.why);
}

function invalid(field: string, why: string): Reject {
  return { reason: 'definitionInvalid', field, why };
}

/** A map that lived and one that was restored are iterated in the same order. */
function sortKeys<Value>(map: Map<string, Value>): void {
  const entries = [...map].sort(([a], [b]) => (a < b ? -1 : 1));
  map.clear();
  for (const [key, value] of entries) map.set(key, value);
}

/** From where each phase can be entered by hand (R-phases). */
const FROM: Record<SetTradingCommand['to'], readonly MarketPhase[]> = {
  open: ['upcoming', 'halted'],
  halted: ['open'],
  closed: ['upcoming', 'open', 'halted'],
};

/** Opens, halts or closes markets, all of them or none. */
export function setTrading(execution: Execution, command: SetTradingCommand): CommandResult {
  const { state } = execution;
  const reject = checkSetTrading(state, command);
  if (reject !== undefined) return { reject };
  for (const id of command.instrumentIds) {
    const market = present(state.outcomes.markets.get(id), 'a judged market');
    if (command.to === 'closed') closeMarket(execution, market);
    else if (market.phase !== command.to) changePhase(execution, market, command.to);
  }
  return {};
}

/** Judges the change for each market. */
export function checkSetTrading(
  { outcomes }: State,
  { instrumentIds, to }: SetTradingCommand,
): Reject | undefined {
  for (const instrumentId of instrumentIds) {
    const market = outcomes.markets.get(instrumentId);
    const isSettled = outcomes.settled.has(instrumentId);
    if (market === undefined && !isSettled) return { reason: 'instrumentUnknown', instrumentId };
    const from = market?.phase ?? 'resolved';
    if (!FROM[to].includes(from)) return { reason: 'phaseChangeInvalid', instrumentId, from, to };
  }
  return undefined;
}

/** Takes reference prices, each on its own: one that does not count does not stop the others. */
export function pushPrice(execution: Execution, command: PushPriceCommand): CommandResult {
  const skipped: SkippedEntry[] = [];
  for (const [index, price] of command.prices.entries()) {
    const why = takePrice(execution, price);
    if (why !== undefined) skipped.push({ index, why });
  }
  return skipped.length === 0 ? {} : { skipped };
}

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
  // R-series: no price is filled in afterwards. One that comes later is for readers alone.
  if (state.timeMs - atMs <= LIMITS.observationLateMs) observe(feed, atMs, priceE8);
  state.digest.text(key);
  state.digest.number(priceE8);
  state.digest.number(atMs);
  const taken = { symbol, source, priceE8, observedMs: timeMs(atMs) };
  events.push({ type: 'referencePriceTaken', commandIndex, ...taken });
  return undefined;
}

/** A deployer's result of a closed market (R-settlement). */
export function resolveMarket(execution: Execution, command: ResolveMarketCommand): CommandResult {
  const { state } = execution;
  const reject = checkResolveMarket(state, command);
  if (reject !== undefined) return { reject };
  const market = present(state.outcomes.markets.get(command.instrumentId), 'a judged market');
  const { evidence, fraction, oracleOutcome } = command;
  const result = { fraction, by: 'operator', oracleOutcome, evidence, inputs: null } as const;
  resolve(execution, market, result, command.operator?.txHash);
  return {};
}

/** Judges a result: the market, its phase, the fraction, and the sum of its event (R-event-sets). */
export function checkResolveMarket(
  { outcomes }: State,
  { fraction, fractionInexact, instrumentId }: ResolveMarketCommand,
): Reject | undefined {
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
  if (fractionInexact === true) return { reason: 'fractionInexact', instrumentId, floor: fraction };
  const event = present(outcomes.events.get(market.definition.eventSlug), 'the event of a market');
  return fitsEvent(event, shareOf(market, fraction)) ? undefined : { reason: 'fractionsOff' };
}
