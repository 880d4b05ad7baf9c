import type { State } from '@oddlot/engine';
import {
  type InfoQueryOf,
  LIMITS,
  type OutcomeAssetCtx,
  type OutcomeProbability,
} from '@oddlot/protocol';
import { present } from '@oddlot/units';
import type { MarketData } from '../../read-models/market-data.ts';
import type { MarketRecord } from '../../read-models/catalogue.ts';
import { outcomeName } from '../actions/instrument-lookup.ts';
import { formatHalfPrice, formatMoney, formatPrice, formatSize } from '../format.ts';
import { answer, type InfoHandler } from './handler.ts';
import { midOrNull, priceOrNull, shownMarket } from './outcome-market.ts';

/** What traders watch of outcome markets, in YES prices. */
export const outcomeAssetCtxs: InfoHandler<'outcomeAssetCtxs', OutcomeAssetCtx[]> = (
  { state, markets },
  { instrumentIds },
) => answer(known(markets, instrumentIds).map((record) => assetContext(state, record)));

/** In the order of the request, without those that nobody knows. */
function known({ catalogue }: MarketData, instrumentIds: readonly number[]): MarketRecord[] {
  return instrumentIds.map((id) => catalogue.market(id)).filter((record) => record !== undefined);
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

/** How far back an interval reaches and how fine it is unless the client says, in minutes. */
const INTERVALS = {
  '1h': { reach: 60, fidelity: 1 },
  '6h': { reach: 360, fidelity: 5 },
  '1d': { reach: DAY_MINUTES, fidelity: 10 },
  '1w': { reach: 7 * DAY_MINUTES, fidelity: 60 },
  '1m': { reach: 30 * DAY_MINUTES, fidelity: 180 },
  max: { reach: Infinity, fidelity: 720 },
} as const;

/** How YES probabilities moved. */
export const outcomeProbability: InfoHandler<'outcomeProbability', OutcomeProbability> = (
  { state, markets },
  query,
) => {
  const records = known(markets, query.instrumentIds);
  const pointsMax = Math.min(
    LIMITS.priceHistoryPointsMax,
    Math.floor(LIMITS.probabilityPointsMax / Math.max(1, records.length)),
  );
  const series = records.map((record) => {
    const { halves, scale } = shownMarket(state, record);
    const span = spanOf(query, state.timeMs, record, markets);
    const points = markets.probabilities.points(record.instrumentId, {
      ...span,
      stepMs: stepOf(query, span, pointsMax),
    });
    const current = formatHalfPrice(scale, halves);
    const shown = points.map((point) => ({
      t: point.atMs,
      p: formatHalfPrice(scale, point.halves),
    }));
    // A line ends where the market stands, also between two steps of its grid.
    const isToNow = query.endTime === undefined || query.endTime >= span.toMs;
    if (isToNow && (shown.at(-1)?.t ?? 0) < span.toMs) shown.push({ t: span.toMs, p: current });
    return { instrumentId: record.instrumentId, current, points: shown };
  });
  return answer({ series });
};

type ProbabilityQuery = InfoQueryOf<'outcomeProbability'>;
type Span = { readonly fromMs: number; readonly toMs: number };

/** Of a market that is resolved the last part before that is shown: nothing moves any more. */
function spanOf(
  { endTime, interval, startTime }: ProbabilityQuery,
  nowMs: number,
  { listing, resolution }: MarketRecord,
  { catalogue }: MarketData,
): Span {
  const event = present(catalogue.listedEvent(listing.eventSlug), 'the event of a market');
  const toMs = Math.min(endTime ?? nowMs, nowMs, resolution?.resolvedMs ?? nowMs);
  const fromMs = startTime ?? toMs - INTERVALS[interval].reach * MINUTE_MS;
  return { fromMs: Math.max(fromMs, event.createdMs), toMs };
}

/** As fine as it was asked for, but not more points than an answer can have. */
function stepOf(
  { fidelity, interval }: ProbabilityQuery,
  { fromMs, toMs }: Span,
  pointsMax: number,
): number {
  const asked = (fidelity ?? INTERVALS[interval].fidelity) * MINUTE_MS;
  const least = Math.ceil(Math.max(0, toMs - fromMs) / pointsMax / MINUTE_MS) * MINUTE_MS;
  return Math.max(asked, least);
}
