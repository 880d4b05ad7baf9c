import { createClient, limitOrder, privateKeyWallet, type Client } from '@oddlot/sdk';
import type { Page } from 'playwright-core';
import { keyOf } from '../../support/wallet.ts';
import { storedKeys } from './stored-keys.ts';

export type Perp = { readonly asset: number; readonly price: string };

/** Creates an account with test funds. */
export async function trader(url: string, name: string): Promise<Client> {
  const wallet = privateKeyWallet(keyOf(name));
  const client = createClient({ url, wallet });
  await client.faucet({ user: wallet.address });
  return client;
}

/** Returns an SDK client for the page's test account. */
export async function ownerOf(page: Page, url: string, address: string): Promise<Client> {
  for (const key of await storedKeys(page)) {
    const wallet = privateKeyWallet(key as `0x${string}`);
    if (wallet.address === address) return createClient({ url, wallet });
  }
  throw new Error('The page keeps no key of this account');
}

/** Returns a perp and a round price near its mark. */
export async function perpNear({ info, wallet }: Client, name: string): Promise<Perp> {
  const { universe } = await info.perpMeta();
  const asset = universe.find((perp) => perp.name === name)!.index;
  const { markPx } = await info.activeAssetData({ user: wallet!.address, coin: String(asset) });
  return { asset, price: String(Math.round(Number(markPx))) };
}

/** Makes one account sell to another. The seller's order rests first. */
export async function tradeBetween(
  seller: Client,
  buyer: Client,
  { asset, price, size }: Perp & { readonly size: string },
  builder?: { readonly b: string; readonly f: number },
): Promise<void> {
  const rest = builder === undefined ? {} : { builder };
  const order = { asset, price, size };
  await seller.exchange.order(
    { orders: [limitOrder({ ...order, side: 'sell' })] },
    { confirm: 'executed' },
  );
  await buyer.exchange.order(
    { orders: [limitOrder({ ...order, side: 'buy' })], ...rest },
    { confirm: 'executed' },
  );
}
