import {
  createClient,
  limitOrder,
  privateKeyWallet,
  randomPrivateKey,
  type Client,
} from '@oddlot/sdk';

export type MarketMaker = { readonly client: Client; readonly asset: number };

/**
 * Quotes sizes that a test account can trade. The prices are fixed, so that a test can predict its
 * cost.
 */
export async function quoteMarket(
  url: string,
  {
    market,
    bids,
    asks,
    size,
  }: {
    readonly market: string;
    readonly bids: readonly string[];
    readonly asks: readonly string[];
    readonly size: string;
  },
): Promise<MarketMaker> {
  const client = createClient({ url, wallet: privateKeyWallet(randomPrivateKey()) });
  await client.faucet({ user: client.wallet!.address });
  const { universe } = await client.info.perpMeta();
  const asset = universe.find(({ name }) => name === market)!.index;
  const sides = [
    ['buy', bids],
    ['sell', asks],
  ] as const;
  const orders = sides.flatMap(([side, prices]) =>
    prices.map((price) => limitOrder({ asset, side, price, size })),
  );
  const reply = await client.exchange.order({ orders }, { confirm: 'executed' });
  if (reply.status !== 'executed' || reply.failure !== undefined) {
    throw new Error(`The quotes were rejected: ${JSON.stringify(reply)}`);
  }
  return { client, asset };
}
