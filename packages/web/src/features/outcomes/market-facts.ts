import type { L2Book, Leg, Level, OutcomeEventMeta, OutcomeMarketMeta, Ticker } from '@oddlot/sdk';
import {
  add,
  isDecimal,
  magnitude,
  multiply,
  negate,
  roundTo,
  sign,
  subtract,
} from '../../lib/decimal.ts';
import { compact, dateTime, hourMinute } from '../../lib/format.ts';
import { ledgerLists } from '../../market/account-lists.ts';
import type { AccountState } from '../../market/account.ts';
import { sizeDecimals } from '../../market/cells.tsx';
import { byLikelihood, yesPriceOf } from '../../market/streams.ts';
import { useSession } from '../../session/session.ts';
import type { Grid } from './quote.ts';

export function nameOf(market: OutcomeMarketMeta, event?: OutcomeEventMeta): string {
  if (market.group_title !== null && market.group_title !== '') return market.group_title;
  if (event !== undefined && event.series_slug !== null) return spanOf(market);
  return event?.markets.length === 1 ? event.title : market.question;
}

const DAY_MS = 86_400_000;

function spanOf({ end_time: end, start_time: start }: OutcomeMarketMeta): string {
  const shown = end - start < DAY_MS ? hourMinute : dateTime;
  return `${shown(start)}–${shown(end)}`;
}

const LABEL_CHARS = 16;

export function legLabel(market: OutcomeMarketMeta, leg: Leg): string {
  const letters = [...legName(market, leg)];
  if (letters.length <= LABEL_CHARS) return letters.join('');
  return `${letters.slice(0, LABEL_CHARS - 1).join('')}…`;
}

export function legName(market: OutcomeMarketMeta, leg: Leg): string {
  return market.outcomes[leg === 'Yes' ? 0 : 1];
}

export function gridOf(market: OutcomeMarketMeta): Grid {
  return {
    tick: market.price_tick,
    sizeDecimals: sizeDecimals(market),
    takerFeeRate: market.taker_fee_rate,
  };
}

export function markOf(
  market: OutcomeMarketMeta,
  byId: ReadonlyMap<number, Ticker>,
): string | undefined {
  const { settlement_fraction: paid } = market.settlement;
  if (isDecimal(paid)) return paid;
  if (market.phase === 'upcoming') return undefined;
  return yesPriceOf(market, byId);
}

/**
 * Adds the live strike to a market, because the event itself is requested only every few seconds.
 */
export function withLiveStrike(
  market: OutcomeMarketMeta,
  byId: ReadonlyMap<number, Ticker>,
): OutcomeMarketMeta {
  const status = byId.get(market.instrument_id)?.strikeStatus;
  if (status === undefined || market.underlying === null) return market;
  return { ...market, underlying: { ...market.underlying, strike_status: status } };
}

/** Returns true for a market without a strike, which only the operator can resolve (R-series). */
export function lacksStrike({ underlying }: OutcomeMarketMeta): boolean {
  return underlying?.strike_status === 'missing';
}

export function turnover(amount: string): string {
  return compact(isDecimal(amount) ? roundTo(amount, 0) : undefined);
}

const NOTHING_LIVE: ReadonlyMap<number, Ticker> = new Map();

/**
 * Sorts the markets by their probability when first loaded, so that rows do not move while the user
 * works with them.
 */
export function inOrder(markets: readonly OutcomeMarketMeta[]): readonly OutcomeMarketMeta[] {
  return markets.toSorted((a, b) =>
    byLikelihood(yesPriceOf(a, NOTHING_LIVE), yesPriceOf(b, NOTHING_LIVE)),
  );
}

export function wasNeverTraded({ phase, pricing }: OutcomeMarketMeta): boolean {
  return (phase === 'closed' || phase === 'resolved') && pricing.last_price === null;
}

const PLOTS = 6;
export function plotColour(place: number): string {
  return place < PLOTS ? `var(--plot-${place + 1})` : 'var(--faint)';
}

export type Holding = {
  readonly leg: Leg;
  readonly shares: string;
  readonly entry: string;
  readonly value: string;
  readonly profit: string;
  readonly fees: string;
};

export function holdingsOf(state: AccountState['state'], instrumentId: number): readonly Holding[] {
  return (state?.assetPositions ?? [])
    .map(({ position }) => position)
    .filter(({ asset }) => asset === String(instrumentId))
    .filter(({ szi }) => isDecimal(szi) && sign(szi) !== 0)
    .map(({ cumFee, entryPx, positionValue, szi, unrealizedPnl }) => ({
      leg: sign(szi) > 0 ? 'Yes' : 'No',
      shares: magnitude(szi),
      entry: entryPx,
      value: positionValue,
      profit: add(unrealizedPnl, cumFee),
      fees: negate(cumFee),
    }));
}

export function sharesOf(holdings: readonly Holding[], leg: Leg): string {
  return holdings.find((holding) => holding.leg === leg)?.shares ?? '0';
}

export function worthAt(holdings: readonly Holding[], fraction: string): string {
  return holdings.reduce(
    (sum, { leg, shares }) => add(sum, multiply(shares, legPrice(fraction, leg))),
    '0',
  );
}

export function costOf(holdings: readonly Holding[]): string {
  return holdings.reduce((sum, { entry, fees, shares }) => {
    return add(sum, add(fees, multiply(shares, isDecimal(entry) ? entry : '0')));
  }, '0');
}

export type Bbo = readonly [Level | null, Level | null];

export function priceToSell(bbo: Bbo | undefined, leg: Leg): string | undefined {
  const best = leg === 'Yes' ? bbo?.[0] : bbo?.[1];
  if (best === null || best === undefined) return undefined;
  return leg === 'Yes' ? best.px : subtract('1', best.px);
}

/** The book of one outcome. The book of NO is mirrored: a YES bid at 0.46 is a NO offer at 0.54. */

export type Ladder = { readonly bids: readonly Level[]; readonly asks: readonly Level[] };

export function otherLeg(leg: Leg): Leg {
  return leg === 'Yes' ? 'No' : 'Yes';
}

export function legPrice(yesPrice: string, leg: Leg): string {
  return leg === 'Yes' ? yesPrice : subtract('1', yesPrice);
}

export function ladderOf(book: L2Book | undefined, leg: Leg): Ladder {
  const [bids = [], asks = []] = book?.levels ?? [];
  if (leg === 'Yes') return { bids, asks };
  return { bids: asks.map(mirrored), asks: bids.map(mirrored) };
}

function mirrored(level: Level): Level {
  return { ...level, px: subtract('1', level.px) };
}

export function priceToBuy(
  bbo: readonly [Level | null, Level | null] | undefined,
  leg: Leg,
): string | undefined {
  const best = leg === 'Yes' ? bbo?.[1] : bbo?.[0];
  return best === null || best === undefined ? undefined : legPrice(best.px, leg);
}

export type Payout = { readonly outcome: Leg; readonly sz: string; readonly amount: string };

export function usePayouts(instrumentId: number): readonly Payout[] {
  const user = useSession()?.address;
  const rows = ledgerLists.use(user, (state) => state.rows);
  return rows.flatMap(({ delta }) =>
    delta.type === 'outcomeSettlement' && delta.instrumentId === instrumentId ? [delta] : [],
  );
}
