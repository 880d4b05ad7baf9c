import {
  createClient,
  limitOrder,
  privateKeyWallet,
  randomPrivateKey,
  type Client,
} from '@oddlot/sdk';
import { perpNear } from './trading.ts';

/** Accounts that trade continuously: they place orders, trade and cancel. */
export type Load = { stop(): Promise<void> };

const TRADERS = 4;
const PAUSE_MS = 100;
const EXECUTED = { confirm: 'executed' } as const;

export async function startLoad(url: string, market = 'BTC-USDC'): Promise<Load> {
  const over = new AbortController();
  const traders = await Promise.all(
    Array.from({ length: TRADERS }, async () => {
      const client = createClient({ url, wallet: privateKeyWallet(randomPrivateKey()) });
      await client.faucet({ user: client.wallet!.address });
      return client;
    }),
  );
  const { asset } = await perpNear(traders[0]!, market);
  const running = traders.map(async (client, at) => {
    for (let round = at; !over.signal.aborted; round += 1) {
      // If an order is lost because the venue was killed, the next round sends a new one.
      await trade(client, asset, round).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  });
  return {
    stop: async () => {
      over.abort();
      await Promise.all(running);
    },
  };
}

/**
 * Sends a bid and an offer near the market in one round and a taker order in the next, and
 * occasionally cancels all orders.
 */
async function trade({ exchange }: Client, asset: number, round: number): Promise<void> {
  const isBuy = round % 2 === 0;
  const side = isBuy ? 'buy' : 'sell';
  if (round % 20 === 19) {
    await exchange.cancelAll({ accountType: 'perp' }, EXECUTED);
    return;
  }
  const isTaking = round % 5 === 0;
  const away = isTaking ? -15 : 1 + (round % 9);
  const price = String(isBuy ? 97_000 - away : 97_000 + away);
  const orders = [limitOrder({ asset, side, price, size: '0.0005' })];
  await exchange.order({ orders }, EXECUTED);
}
