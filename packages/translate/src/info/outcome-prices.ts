import type { State } from '@oddlot/engine';
import {
  type InfoQueryOf,
  LIMITS,
  type OutcomeAssetCtx,
  type OutcomeProbability,
} from '@oddlot/protocol';
import { formatMoney, present } from '@oddlot/units';
import type { MarketRecord } from '../read-models/outcome-catalogue.ts';
import { pointsIn } from '../read-models/probabilities.ts';
import type { PointRow } from '../read-models/tiered-series.ts';
import { outcomeName } from '../instruments.ts';
import { formatHalfPrice, formatPrice, formatSize } from '../format.ts';
import {
  answer,
  eventIn,
  type InfoContext,
  type InfoHandler,
  marketIn,
  marketsNeeded,
  type PastNeeds,
  type PastRows,
  type StateQueries,
} from './info-context.ts';
import { midOrNull, priceOrNull, shownMarket } from './outcome-market.ts';

const outcomeAssetCtxs: InfoHandler<'outcomeAssetCtxs', OutcomeAssetCtx[]> = (
  context,
  { instrumentIds },
) => answer(known(context, instrumentIds).map((record) => assetContext(context.state, record)));

const assetCtxNeeds: PastNeeds<'outcomeAssetCtxs'> = (context, { instrumentIds }) =>
  marketsNeeded(context, instrumentIds);

/** Returns the markets in the order of the request, omitting unknown ones. */
function known(context: InfoContext, instrumentIds: readonly number[]): MarketRecord[] {
  return instrumentIds.map((id) => marketIn(context, id)).filter((record) => record !== undefined);
}

function assetContext(state: State, record: MarketRecord): OutcomeAssetCtx {
  const market = shownMarket(state, record);
  const { day, live, scale } = market;
  const { bestAsk = 0, bestBid = 0 } = live ?? {};
  const { volume } = record;
  const hasBoth = bestBid > 0 && bestAsk > 0;
  return {
    instrumentId: record.instrumentId,
    coin: outcomeName(record.instrumentId),
    markPx: formatHalfPrice(scale, market.halves),
    midPx: midOrNull(market),
    bestBid: priceOrNull(scale, bestBid),
    bestAsk: priceOrNull(scale, bestAsk),
    lastPx: priceOrNull(scale, record.lastTrade),
    prevDayPx: priceOrNull(scale, day.previousClose),
    dayNtlVlm: formatMoney(day.notional),
    dayBaseVlm: formatSize(scale, day.lots),
    totalNtlVlm: formatMoney(volume.total),
    openInterest: formatSize(scale, live?.pairs ?? 0),
    spread: hasBoth ? formatPrice(scale, bestAsk - bestBid) : null,
    time: state.timeMs,
  };
}

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1_440;

/** The length and default resolution of each interval, in minutes. */
const INTERVALS = {
  '1h': { reach: 60, fidelity: 1 },
  '6h': { reach: 360, fidelity: 5 },
  '1d': { reach: DAY_MINUTES, fidelity: 10 },
  '1w': { reach: 7 * DAY_MINUTES, fidelity: 60 },
  '1m': { reach: 30 * DAY_MINUTES, fidelity: 180 },
  max: { reach: Infinity, fidelity: 720 },
} as const;

const outcomeProbability: InfoHandler<'outcomeProbability', OutcomeProbability> = (
  context,
  query,
) => {
  const { markets, past, state } = context;
  const series = spansOf(context, query).map(({ record, span, stepMs }) => {
    const { instrumentId } = record;
    const { halves, scale, unit } = shownMarket(state, record);
    const bars = past?.bars.get(instrumentId);
    const points =
      bars === undefined
        ? markets.probabilities.points(instrumentId, { ...span, stepMs })
        : pointsIn(marksOfTrades(record, unit, bars), { ...span, stepMs });
    const current = formatHalfPrice(scale, halves);
    const shown = points.map((point) => ({
      t: point.atMs,
      p: formatHalfPrice(scale, point.halves),
    }));
    // The last point is the current value, even if it is between two steps of the grid.
    const isToNow = query.endTime === undefined || query.endTime >= span.toMs;
    if (isToNow && (shown.at(-1)?.t ?? 0) < span.toMs) shown.push({ t: span.toMs, p: current });
    return { instrumentId, current, points: shown };
  });
  return answer({ series });
};

/**
 * Returns the history needed for markets no longer in memory: first their events and then, in a
 * second round, their trades.
 */
const probabilityNeeds: PastNeeds<'outcomeProbability'> = (context, query) => {
  const events = marketsNeeded(context, query.instrumentIds);
  if (events !== undefined) return events;
  const { markets, past } = context;
  const bars = spansOf(context, query)
    .filter(({ record: { instrumentId: id } }) => markets.catalogue.market(id) === undefined)
    .filter(({ record }) => past?.bars.has(record.instrumentId) !== true)
    .map(({ record, span, stepMs }) => ({
      instrumentId: record.instrumentId,
      stepMs: BAR_STEPS.findLast((each) => each <= stepMs) ?? MINUTE_MS,
      startMs: span.fromMs,
      endMs: span.toMs,
    }));
  return bars.length === 0 ? undefined : { bars };
};

/** The lengths of the candle rows that the history database stores. */
const BAR_STEPS = [MINUTE_MS, 15 * MINUTE_MS, 240 * MINUTE_MS] as const;

/**
 * Approximates the marks of a market whose recorded marks were dropped: 0.5 at the start, then each
 * step's last trade price from the end of that step, and finally the result.
 */
function marksOfTrades(
  { resolution }: MarketRecord,
  unit: number,
  { rows, stepMs }: PastRows,
): PointRow[] {
  const resolvedMs = resolution?.resolvedMs ?? Infinity;
  const marks: PointRow[] = [[0, unit]];
  for (const [startMs, , , , close] of rows) {
    if (startMs + stepMs < resolvedMs) marks.push([startMs + stepMs, 2 * close]);
  }
  if (resolution !== null) marks.push([resolvedMs, 2 * resolution.fraction]);
  return marks;
}

type ProbabilityQuery = InfoQueryOf<'outcomeProbability'>;
type Span = { readonly fromMs: number; readonly toMs: number };

function spansOf(
  context: InfoContext,
  query: ProbabilityQuery,
): { readonly record: MarketRecord; readonly span: Span; readonly stepMs: number }[] {
  const records = known(context, query.instrumentIds);
  const pointsMax = Math.min(
    LIMITS.priceHistoryPointsMax,
    Math.floor(LIMITS.probabilityPointsMax / Math.max(1, records.length)),
  );
  return records.map((record) => {
    const span = spanOf(context, query, record);
    return { record, span, stepMs: stepOf(query, span, pointsMax) };
  });
}

/**
 * Returns the period to show. The period ends at the resolution, because later points would be
 * constant.
 */
function spanOf(
  context: InfoContext,
  { endTime, interval, startTime }: ProbabilityQuery,
  { listing, resolution }: MarketRecord,
): Span {
  const nowMs = context.state.timeMs;
  const { event } = present(eventIn(context, listing.eventSlug), 'the event of a market');
  const toMs = Math.min(endTime ?? nowMs, nowMs, resolution?.resolvedMs ?? nowMs);
  const fromMs = startTime ?? toMs - INTERVALS[interval].reach * MINUTE_MS;
  return { fromMs: Math.max(fromMs, event.createdMs), toMs };
}

/** Returns the requested step, or a longer one if the response would have too many points. */
function stepOf(
  { fidelity, interval }: ProbabilityQuery,
  { fromMs, toMs }: Span,
  pointsMax: number,
): number {
  const asked = (fidelity ?? INTERVALS[interval].fidelity) * MINUTE_MS;
  const least = Math.ceil(Math.max(0, toMs - fromMs) / pointsMax / MINUTE_MS) * MINUTE_MS;
  return Math.max(asked, least);
}

export const OUTCOME_PRICE_QUERIES = {
  outcomeAssetCtxs: { answer: outcomeAssetCtxs, needs: assetCtxNeeds },
  outcomeProbability: { answer: outcomeProbability, needs: probabilityNeeds },
} as const satisfies StateQueries;
