import { Instruments, marketOrder, placeOrders, type Client } from '@oddlot/sdk';
import { connect } from './connect.ts';

/**
 * Collects the difference between the funding rates of two venues. Funding is paid every hour
 * between longs and shorts. If the rates differ, a long on one venue and a short on the other earn
 * the difference without price risk. Both orders are immediate-or-cancel. If one order fills more
 * than the other, the excess is closed immediately.
 */

export type Arbitrage = {
  readonly base: string;
  readonly size: string;
  /** The minimum difference between the two rates, as a fraction per hour. */
  readonly least: number;
  readonly slippagePercent: string;
};

/** Returns the current hourly cost of holding a long, as a fraction. */
export async function fundingOf(client: Client, instrumentId: number): Promise<number> {
  for await (const event of client.streams.activeAssetCtx({ coin: String(instrumentId) })) {
    if (event.type === 'data') return Number(event.data.ctx.funding);
  }
  throw new Error('The client was closed');
}

/** Opens both legs if the difference is large enough. Returns the size of the pair, if any. */
export async function openPair(
  venues: readonly [Client, Client],
  { base, size, least, slippagePercent }: Arbitrage,
): Promise<string | undefined> {
  const legs = await Promise.all(
    venues.map(async (client) => {
      const instrument = await (await Instruments.load(client)).find(base);
      return { client, instrument, funding: await fundingOf(client, instrument.id) };
    }),
  );
  const [low, high] = legs.toSorted((a, b) => a.funding - b.funding) as [Leg, Leg];
  if (high.funding - low.funding < least) return undefined;
  const take = async (
    { client, instrument }: Leg,
    side: 'buy' | 'sell',
    sz: string,
  ): Promise<string> => {
    const order = await marketOrder(client, { instrument, side, size: sz, slippagePercent });
    const [placed] = await placeOrders(client, [order]);
    return placed?.result?.filledSz ?? '0';
  };
  const bought = await take(low, 'buy', size);
  if (Number(bought) === 0) return undefined;
  const sold = await take(high, 'sell', bought);
  const rest = Number(bought) - Number(sold);
  // The other venue's book had less liquidity, so the excess from the first order is sold.
  if (rest > 0) await take(low, 'sell', rest.toFixed(8).replace(/\.?0+$/, ''));
  return sold;
}

type Leg = {
  readonly client: Client;
  readonly instrument: Awaited<ReturnType<Instruments['find']>>;
  readonly funding: number;
};

if (import.meta.main) {
  const venues = [connect('FIRST'), connect('SECOND')] as const;
  const size = await openPair(venues, {
    base: 'BTC',
    size: '0.01',
    least: 0.00001,
    slippagePercent: '0.1',
  });
  console.log(size === undefined ? 'no opportunity' : `${size} BTC long here and short there`);
  for (const venue of venues) venue.close();
}
