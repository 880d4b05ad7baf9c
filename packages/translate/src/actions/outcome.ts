import {
  type Authority,
  listingFault,
  type MarketGrid,
  type RegisterEventCommand,
  type RegisterMarketCommand,
  type RegisterSeriesCommand,
} from '@oddlot/engine';
import type { ActionOf } from '@oddlot/protocol';
import { type InstrumentId, MONEY_DECIMALS, type TimeMs } from '@oddlot/units';
import type { SignedOperatorCommand } from '@oddlot/replica/block';
import { count, exactCount, nearestCount } from './count.ts';
import type { ScaleLookup } from '../instruments.ts';
import type { ActionTranslations } from './translation.ts';

type OutcomeDeploy = ActionOf<'outcomeDeploy'>;
type WireEvent = NonNullable<OutcomeDeploy['registerEvent']>;
type WireMarket = NonNullable<OutcomeDeploy['registerMarket']>;
type WireSeries = NonNullable<OutcomeDeploy['registerSeries']>;
type WireGrid = Pick<
  WireMarket,
  'priceTick' | 'sizeDecimals' | 'minOrderSize' | 'maxOrderSize' | 'takerFeeRate' | 'orderDelayMs'
>;

const RATE_DECIMALS = 8;
const PRICE_DECIMALS = 8;
const WINDOW_DEFAULT = 60;
const TRADING = { open: 'open', halt: 'halted', close: 'closed' } as const;

function eventListing(wire: WireEvent): RegisterEventCommand['event'] {
  const { startTime, endTime, eventId, ...texts } = wire;
  return {
    ...texts,
    startMs: startTime as TimeMs,
    endMs: endTime as TimeMs,
    ...(eventId === undefined ? {} : { eventId }),
  };
}

function marketListing(wire: WireMarket): RegisterMarketCommand['market'] {
  const { instrumentId } = wire;
  return {
    ...grid(wire),
    eventSlug: wire.eventSlug,
    slug: wire.slug,
    question: wire.question,
    groupTitle: wire.groupTitle,
    description: wire.description,
    resolutionSource: wire.resolutionSource,
    outcomes: wire.outcomes,
    startMs: wire.startTime as TimeMs,
    endMs: wire.endTime as TimeMs,
    underlying: wire.underlying,
    ...(instrumentId === undefined ? {} : { instrumentId: instrumentId as InstrumentId }),
  };
}

function seriesListing(wire: WireSeries): RegisterSeriesCommand['series'] {
  return {
    ...grid(wire),
    slug: wire.slug,
    title: wire.title,
    symbol: wire.symbol,
    recurrence: wire.recurrence,
    source: wire.source,
    category: wire.category,
    tags: wire.tags,
    image: wire.image,
    icon: wire.icon,
    firstStartMs: wire.firstStartTime as TimeMs,
    listAhead: wire.listAhead,
    enabled: wire.enabled,
    windowSeconds: wire.window ?? WINDOW_DEFAULT,
  };
}

function grid(wire: WireGrid): MarketGrid {
  const { sizeDecimals: szDecimals } = wire;
  return {
    szDecimals,
    priceTick: exactCount(wire.priceTick, MONEY_DECIMALS - szDecimals),
    minOrderSize: exactCount(wire.minOrderSize, szDecimals),
    maxOrderSize: exactCount(wire.maxOrderSize, szDecimals),
    takerFeeE8: exactCount(wire.takerFeeRate, RATE_DECIMALS),
    orderDelayMs: wire.orderDelayMs,
  };
}

/**
 * Checks a market's times and grid by the engine's rules, so that a client can validate a listing
 * before sending it. It does not check whether the slug and the id are free.
 */
export function marketFault(
  market: NonNullable<OutcomeDeploy['registerMarket']>,
  event: Pick<NonNullable<OutcomeDeploy['registerEvent']>, 'startTime' | 'endTime'>,
  nowMs: number,
): { readonly field: string; readonly why: string } | undefined {
  const times = { startMs: event.startTime, endMs: event.endTime };
  return listingFault(marketListing(market), times, nowMs);
}

function deployCommand(
  action: OutcomeDeploy,
  operator: Authority,
  instruments: ScaleLookup,
): SignedOperatorCommand {
  const { registerEvent, registerMarket, registerSeries, setTrading, pushPrice, resolve } = action;
  if (registerEvent !== undefined) {
    return { type: 'registerEvent', operator, event: eventListing(registerEvent) };
  }
  if (registerMarket !== undefined) {
    return { type: 'registerMarket', operator, market: marketListing(registerMarket) };
  }
  if (registerSeries !== undefined) {
    return { type: 'registerSeries', operator, series: seriesListing(registerSeries) };
  }
  if (setTrading !== undefined) {
    const instrumentIds = setTrading.instrumentIds.map((id) => id as InstrumentId);
    return { type: 'setTrading', operator, instrumentIds, to: TRADING[setTrading.state] };
  }
  if (pushPrice !== undefined) {
    const prices = pushPrice.prices.map(({ symbol, source, px, time }) => ({
      symbol,
      source,
      priceE8: nearestCount(px, PRICE_DECIMALS),
      observedMs: time as TimeMs,
    }));
    return { type: 'pushPrice', operator, prices };
  }
  const { instrumentId = 0, settlementFraction = '', oracleOutcome, evidence } = resolve ?? {};
  const szDecimals = instruments(instrumentId)?.szDecimals ?? MONEY_DECIMALS;
  const fraction = count(settlementFraction, MONEY_DECIMALS - szDecimals);
  return {
    type: 'resolveMarket',
    operator,
    instrumentId: instrumentId as InstrumentId,
    fraction: fraction.value,
    ...(fraction.exact ? {} : { fractionInexact: true as const }),
    oracleOutcome: oracleOutcome ?? null,
    evidence: evidence ?? null,
  };
}

export const OUTCOME_ACTIONS = {
  outcomeOperate: {
    commands: ['operateOutcome'],
    toCommand: ({ split, merge }, authority, instruments) => {
      const entries = (split ?? merge ?? []).map(({ asset, sz }) => {
        const size = count(sz, instruments(asset)?.szDecimals ?? 0);
        return {
          instrumentId: asset as InstrumentId,
          size: size.value,
          ...(size.exact ? {} : { sizeInexact: true as const }),
        };
      });
      const kind = split === undefined ? 'merge' : 'split';
      return { type: 'operateOutcome', authority, kind, entries };
    },
  },
  outcomeDeploy: {
    commands: [
      'registerEvent',
      'registerMarket',
      'registerSeries',
      'setTrading',
      'pushPrice',
      'resolveMarket',
    ],
    toCommand: deployCommand,
  },
} as const satisfies ActionTranslations;
