import { Instruments, marketOrder, placeOrders, type Client } from '@oddlot/sdk';
import { connect } from './connect.ts';

/**
 * Funding is what longs pay shorts by the hour. Where two venues disagree about it, a long on the one and a short on the other cost
 * nothing when the price moves and collect the difference. Both legs are orders that are good at once or not at all; what one
 * leg got more than the other is closed at once, so that no price risk is left.
 */

export type Arbitrage = {
  readonly base: string;
  readonly size: string;
  /** The least difference of the two rates, a fraction per hour. */
  readonly least: number;
  readonly slippagePercent: string;
};

/** What an hour costs a long at the moment, as a fraction. */
export async function fundingOf(client: Client, instrumentId: number): Promise<number> {
  for await (const event of client.streams.activeAssetCtx({ coin: String(instrumentId) })) {
    if (event.type === 'data') return Number(event.data.ctx.funding);
  }
  throw new Error('The client was closed');
}

/** Opens both legs if it is worth it; gives the size of the pair, or nothing. */
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
  // The other book had less: what is left of the first leg goes back.
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
