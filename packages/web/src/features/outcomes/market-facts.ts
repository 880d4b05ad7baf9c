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

/** What a market is called: inside of its event, or by its question where it is the only one. */
export function nameOf(market: OutcomeMarketMeta, event?: OutcomeEventMeta): string {
  if (market.group_title !== null && market.group_title !== '') return market.group_title;
  // Markets of a series differ in nothing but their time.
  if (event !== undefined && event.series_slug !== null) return spanOf(market);
  return event?.markets.length === 1 ? event.title : market.question;
}

const DAY_MS = 86_400_000;

function spanOf({ end_time: end, start_time: start }: OutcomeMarketMeta): string {
  const shown = end - start < DAY_MS ? hourMinute : dateTime;
  return `${shown(start)}–${shown(end)}`;
}

const LABEL_CHARS = 16;

/** The same where a figure stands behind it in one text: the name is cut, never the figure. */
export function legLabel(market: OutcomeMarketMeta, leg: Leg): string {
  const letters = [...legName(market, leg)];
  if (letters.length <= LABEL_CHARS) return letters.join('');
  return `${letters.slice(0, LABEL_CHARS - 1).join('')}…`;
}

/** What a leg is called: `Up`, `Rain`, `Yes`. */
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

/** The live mark in YES prices, or until it is there the one that came with the event; none where nobody made one. */
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
 * A market with what the stream says of its price to beat: whether a series has one must be in sight with its first
 * moment, and the event is asked for only every few seconds.
 */
export function withLiveStrike(
  market: OutcomeMarketMeta,
  byId: ReadonlyMap<number, Ticker>,
): OutcomeMarketMeta {
  const status = byId.get(market.instrument_id)?.strikeStatus;
  if (status === undefined || market.underlying === null) return market;
  return { ...market, underlying: { ...market.underlying, strike_status: status } };
}

/** R-series: too few prices were there before its start, and so nothing decides it but the operator. */
export function lacksStrike({ underlying }: OutcomeMarketMeta): boolean {
  return underlying?.strike_status === 'missing';
}

/** USDC that changed hands, in whole ones. */
export function turnover(amount: string): string {
  return compact(isDecimal(amount) ? roundTo(amount, 0) : undefined);
}

const NOTHING_LIVE: ReadonlyMap<number, Ticker> = new Map();

/**
 * The likeliest first, as it was when somebody came: rows that change places can't be pressed. What nobody has
 * priced comes last.
 */
export function inOrder(markets: readonly OutcomeMarketMeta[]): readonly OutcomeMarketMeta[] {
  return markets.toSorted((a, b) =>
    byLikelihood(yesPriceOf(a, NOTHING_LIVE), yesPriceOf(b, NOTHING_LIVE)),
  );
}

export function wasNeverTraded({ phase, pricing }: OutcomeMarketMeta): boolean {
  return (phase === 'closed' || phase === 'resolved') && pricing.last_price === null;
}

/** A colour of the charts by the place of a market in its event; beyond the lines of the chart none of its own. */
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
      // The venue writes what was paid with a minus.
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

/**
 * A market has one book, in YES prices. Who trades NO sees the same orders mirrored: a bid for YES at 0.46 is an
 * offer of NO at 0.54.
 */

/** Both sides for one leg, in prices of that leg, best first. */
export type Ladder = { readonly bids: readonly Level[]; readonly asks: readonly Level[] };

export function otherLeg(leg: Leg): Leg {
  return leg === 'Yes' ? 'No' : 'Yes';
}

/** The other way round is the same. */
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

/** What a leg paid to this account when its market was resolved; nothing, if it was the wrong one. */
export type Payout = { readonly outcome: Leg; readonly sz: string; readonly amount: string };

export function usePayouts(instrumentId: number): readonly Payout[] {
  const user = useSession()?.address;
  const rows = ledgerLists.use(user, (state) => state.rows);
  return rows.flatMap(({ delta }) =>
    delta.type === 'outcomeSettlement' && delta.instrumentId === instrumentId ? [delta] : [],
  );
}
