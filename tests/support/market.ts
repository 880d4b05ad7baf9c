import { eventually, type Client, type Json } from './client.ts';
import { down, exact, show, times, roundedUp, type Exact } from './exact.ts';

/** A perp as the API reports it, with helpers for valid prices and sizes. */
export type Market = {
  readonly id: number;
  readonly name: string;
  readonly coin: string;
  readonly tick: Exact;
  readonly lot: Exact;
  readonly mark: Exact;
  readonly maxLeverage: number;
  readonly maxLimitOrderSize: number;
  readonly maxMarketOrderSize: number;
  readonly takerRate: Exact;
  readonly makerRate: Exact;
  /** Returns the price at this distance from the mark, in basis points, rounded to the tick. */
  at(basisPoints: number): string;
  ticks(price: string, count: number): string;
  /** Returns the smallest size that is worth at least this many USDC at the mark. */
  worth(usdc: number): string;
  lots(count: number): string;
};

const BASE_TAKER = exact('0.00045');
const BASE_MAKER = exact('0.00015');

/**
 * Reads a perp. The mark comes from a query that requires an account, so `user` can be any account.
 */
export async function readMarket(client: Client, name: string, user: string): Promise<Market> {
  const { universe } = await client.data({ type: 'perpMeta' });
  const meta = universe.find((entry: Json) => entry.name === name);
  const detail = await client.data({ type: 'perpMetaDetail', assetName: meta.baseCurrency });
  const perp = detail.instruments.find(
    (entry: Json) => entry.perp.instrumentId === meta.index,
  ).perp;
  const markPx = await eventually(async () => {
    const data = await client.data({ type: 'activeAssetData', user, coin: String(meta.index) });
    if (!(exact(data.markPx) > 0n)) throw new Error(`${name} has no mark yet`);
    return data.markPx as string;
  });
  const tick = exact(meta.priceTick);
  const lot = exact(meta.basePrecision);
  const mark = exact(markPx);
  return {
    id: meta.index,
    name,
    coin: String(meta.index),
    tick,
    lot,
    mark,
    maxLeverage: meta.maxLeverage,
    maxLimitOrderSize: meta.maxLimitOrderSize,
    maxMarketOrderSize: meta.maxMarketOrderSize,
    takerRate: lower(BASE_TAKER, exact(perp.takerFeeRate)),
    makerRate: lower(BASE_MAKER, exact(perp.makerFeeRate)),
    at: (basisPoints) => show(down((mark * BigInt(10_000 + basisPoints)) / 10_000n, tick)),
    ticks: (price, count) => show(exact(price) + BigInt(count) * tick),
    worth: (usdc) => show(roundedUp((exact(usdc) * exact(1)) / mark, lot)),
    lots: (count) => show(times(lot, exact(count))),
  };
}

/** A fill's fee rate is the lower of two rates: the tier's and the instrument's. */
function lower(a: Exact, b: Exact): Exact {
  return a < b ? a : b;
}
