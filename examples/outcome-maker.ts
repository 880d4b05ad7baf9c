import {
  buyNo,
  buyYes,
  onGrid,
  placeOrders,
  type Client,
  type OrderEntry,
  type OutcomeMarketMeta,
} from '@oddlot/sdk';
import { connect } from './connect.ts';

/**
 * Quotes markets on whether a price ends above a strike, such as those in a series. The value of
 * YES is the probability that a random walk ends above the strike. It depends on the distance to
 * the strike, the time remaining and the volatility.
 */

type Terms = {
  /** The annual volatility, as a fraction of the price. */
  readonly volatility: number;
  /** The distance between the estimated value and a quote, in USDC per share. */
  readonly edge: number;
  /** The size of each quote, in shares. */
  readonly size: string;
};

const YEAR_MS = 365 * 86_400_000;

/** Returns the probability that the price ends above the strike. */
export function probabilityAbove(
  {
    price,
    strike,
    leftMs,
  }: { readonly price: number; readonly strike: number; readonly leftMs: number },
  volatility: number,
): number {
  if (leftMs <= 0) return price > strike ? 1 : 0;
  return normal(Math.log(price / strike) / (volatility * Math.sqrt(leftMs / YEAR_MS)));
}

/**
 * Computes the normal distribution with formula 7.1.26 from Abramowitz and Stegun, which is
 * accurate to seven digits.
 */
function normal(deviations: number): number {
  const x = Math.abs(deviations) / Math.SQRT2;
  const t = 1 / (1 + 0.3275911 * x);
  const series =
    ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t;
  const within = 1 - series * Math.exp(-x * x);
  return deviations < 0 ? (1 - within) / 2 : (1 + within) / 2;
}

/**
 * Returns quotes that buy YES and NO, each slightly below its value, so that a pair costs less than
 * its payout of 1. The quotes are not post-only, because the venue would reject post-only quotes
 * while matching orders rest.
 */
export function outcomeQuotes(
  market: OutcomeMarketMeta,
  probability: number,
  { edge, size }: Terms,
): OrderEntry[] {
  const { instrument_id: asset, price_tick: tick } = market;
  const price = (worth: number): string => onGrid((worth - edge).toFixed(6), tick, 'down');
  const [yes, no] = [price(probability), price(1 - probability)];
  return [
    ...(Number(yes) > 0 ? [buyYes({ asset, price: yes, size })] : []),
    ...(Number(no) > 0 ? [buyNo({ asset, price: no, size })] : []),
  ];
}

/**
 * Cancels the old quotes of all matching markets and places new ones. Returns the number of resting
 * quotes.
 */
export async function requoteOutcomes(
  client: Client,
  nowMs: number,
  terms: Terms,
): Promise<number> {
  const { events } = await client.info.outcomeMeta({ status: 'open' });
  const markets = events
    .flatMap((event) => event.markets)
    .filter(({ underlying }) => underlying?.price_to_beat);
  await client.exchange.cancelAll({ accountType: 'outcome' }, { confirm: 'executed' });
  const orders: OrderEntry[] = [];
  for (const market of markets) {
    const { symbol, source, price_to_beat: strike } = market.underlying!;
    const { closePrice } = await client.info.cryptoPrice({ symbol, source });
    if (closePrice === null) continue;
    const state = {
      price: Number(closePrice),
      strike: Number(strike),
      leftMs: market.end_time - nowMs,
    };
    orders.push(...outcomeQuotes(market, probabilityAbove(state, terms.volatility), terms));
  }
  const placed = await placeOrders(client, orders);
  return placed.filter(({ result }) => result?.state === 'open').length;
}

if (import.meta.main) {
  const client = connect();
  const terms = { volatility: 0.6, edge: 0.03, size: '20' };
  for (;;) {
    // After a failed round, the next one tries again.
    await requoteOutcomes(client, Date.now(), terms).then(
      (standing) => console.log(`${standing} quotes are resting`),
      (error) => console.error(error.message),
    );
    await new Promise((resolve) => setTimeout(resolve, 5_000));
  }
}
