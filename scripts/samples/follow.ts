import { buyYes, limitOrder } from '@oddlot/sdk';
import { BTC, type Traces } from './act.ts';
import type { Json } from './recorder.ts';
import type { Stage } from './stage.ts';

const coin = String(BTC);
const confirm = { confirm: 'executed' } as const;

/** Subscribes to every channel, and makes something happen on each. */
export async function follow(stage: Stage, traces: Traces): Promise<void> {
  const { people, recorder, venue } = stage;
  const { alice, bob } = people;
  const { delayed, market } = traces;
  const user = alice.address;
  const waits: (() => Promise<void>)[] = [];
  const on = async (
    path: '/ws' | '/api-ws',
    type: string,
    fields: Record<string, Json> = {},
    frames?: number,
  ) => {
    waits.push(await recorder.follow(path, { type, ...fields }, frames));
  };
  await on('/ws', 'l2Book', { coin, tick: '1' });
  await on('/ws', 'l2Diff', { coin }, 2);
  await on('/ws', 'trades', { coin });
  await on('/ws', 'activeAssetCtx', { coin });
  await on('/ws', 'orderUpdates', { user });
  await on('/ws', 'outcomeOrderUpdates', { user });
  await on('/ws', 'outcomeBbos', { instrumentIds: [market] });
  await on('/ws', 'outcomeTrades', { instrumentIds: [market] });
  await on('/ws', 'clearinghouseState', { user, accountType: 'outcome' });
  await on('/ws', 'userFundings', { user });
  await on('/ws', 'explorerBlock');
  await on('/ws', 'explorerTxs');
  await on('/api-ws', 'outcomeOrderUpdate', { user, includeSuccess: false });
  await on('/api-ws', 'candle', { coin, interval: '1m' });
  await on('/api-ws', 'tickers', { instrumentIds: [BTC] });
  await on('/api-ws', 'recentTrades', { coin, limit: 1 });
  await on('/api-ws', 'userFills', { user, accountType: ['perp'] });
  await on('/api-ws', 'userHistoricalOrders', { user, accountType: ['perp'] });
  await on('/api-ws', 'userNonFundingLedgerUpdates', { user });

  const { exchange } = alice.client;
  const order = limitOrder({ asset: BTC, side: 'buy', price: '97002', size: '0.01' });
  await exchange.order({ orders: [order] }, confirm);
  const shares = buyYes({ asset: market, price: '0.6', size: '5' });
  await exchange.order({ orders: [shares] }, confirm);

  // A taker order that waits, and a market that is halted meanwhile.
  const quote = { ...buyYes({ asset: delayed, price: '0.4', size: '10' }), b: false };
  await bob.client.exchange.order({ orders: [quote] }, confirm);
  await exchange.order({ orders: [buyYes({ asset: delayed, price: '0.6', size: '10' })] });
  const halt = { instrumentIds: [delayed], state: 'halt' } as const;
  await venue.admin.client.exchange.outcomeDeploy.setTrading(halt as never, confirm);
  await venue.advance('1s');
  await Promise.all(waits.map((wait) => wait()));
}
