import { createClient, privateKeyWallet, type Client } from '@oddlot/sdk';
import { OPERATOR_KEY } from './operators.ts';

/** A perp whose price changes only when its operator pushes one. */
export type OwnPerp = {
  readonly name: string;
  readonly asset: number;
  push(price: string): Promise<void>;
  change(changes: { readonly haltTrading?: boolean; readonly delisted?: true }): Promise<void>;
};

let listed = 0;

/** Lists a perp with an initial price on a venue that has these tests' operators. */
export async function listPerp(
  url: string,
  {
    base = 'T',
    price,
    tick,
    szDecimals,
    operator = OPERATOR_KEY,
  }: {
    readonly base?: string;
    readonly price: string;
    readonly tick: string;
    readonly szDecimals: number;
    /** An operator key for that venue. */
    readonly operator?: `0x${string}`;
  },
): Promise<OwnPerp> {
  const client: Client = createClient({ url, wallet: privateKeyWallet(operator) });
  const { venueAdmin } = client.exchange;
  const confirm = { confirm: 'executed' } as const;
  listed += 1;
  const name = `${base}${listed}-USDC`;
  const reply = await venueAdmin.registerPerp(
    {
      name,
      baseCurrency: `${base}${listed}`,
      quoteCurrency: 'USDC',
      perpType: 'linear',
      szDecimals,
      priceTick: tick,
      bookTicks: [tick],
      maxLimitOrderSize: '2000000',
      maxMarketOrderSize: '1000000',
      takerFeeRate: '0.00045',
      makerFeeRate: '0.00015',
      onlyIsolated: false,
      impactNotional: '1000',
      marginTable: {
        tiers: [{ tier: 1, minSize: '0', maxSize: '10000000', maxLeverage: 20, mmr: '0.025' }],
      },
    },
    confirm,
  );
  const asset = reply.status === 'executed' ? reply.created!.instrumentId! : 0;
  const push = async (oraclePx: string): Promise<void> => {
    const prices = [{ instrumentId: asset, oraclePx, externalPerpPx: null }];
    await venueAdmin.pushOracle({ prices, time: Date.now() }, confirm);
  };
  await push(price);
  return {
    name,
    asset,
    push,
    change: async (changes) => {
      await venueAdmin.setPerp({ instrumentId: asset, ...changes }, confirm);
    },
  };
}
