import { createClient, privateKeyWallet, type Client, type OrderEntry } from '@oddlot/sdk';
import { Client as HttpClient } from '../support/client.ts';
import { readMarket, type Market } from '../support/market.ts';
import type { Venue } from '../support/venue-process.ts';
import { keyOf } from '../support/wallet.ts';

/** An account with a client that signs with the account's own key. */
export type Person = { readonly client: Client; readonly address: string };

const clients: Client[] = [];

/**
 * Returns a client that retries quickly, because a test's venue restarts within seconds. For the
 * same reason, its orders expire late.
 */
export function clientOf(venue: Venue, name: string): Person {
  const wallet = privateKeyWallet(keyOf(`e2e ${name}`));
  const backoff = { baseMs: 50, maxMs: 500, random: Math.random };
  const client = createClient({
    url: venue.url,
    wallet,
    backoff,
    retriesMax: 40,
    orderLifeMs: 60_000,
  });
  clients.push(client);
  return { client, address: wallet.address };
}

/** Creates an account with 1,000 USDC from the faucet. */
export async function trader(venue: Venue, name: string): Promise<Person> {
  const person = clientOf(venue, name);
  await person.client.faucet({ user: person.address });
  return person;
}

/** Ends all clients' streams. */
export function closeClients(): void {
  for (const client of clients.splice(0)) client.close();
}

/** Returns a perp once it has a mark. */
export async function aMarket(venue: Venue, { address }: Person): Promise<Market> {
  return readMarket(new HttpClient(venue.url), 'ETH-USDC', address);
}

export function limit(
  market: Market,
  order: {
    side: 'buy' | 'sell';
    price: string;
    size: string;
    tif?: 'Gtc' | 'Alo' | 'Ioc';
    cloid?: string;
  },
): OrderEntry {
  return {
    a: market.id,
    b: order.side === 'buy',
    p: order.price,
    s: order.size,
    r: false,
    t: { limit: { tif: order.tif ?? 'Gtc' } },
    c: order.cloid,
  };
}
