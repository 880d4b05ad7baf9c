import { marketOrder } from '@oddlot/sdk';
import { type Bot, replayMarket } from '@oddlot/testkit';

/**
 * Holds a long position while the short-term average price is above the long-term average, and a
 * short position otherwise. When run on a recording, it prints the result and writes a page with
 * the details.
 */

type Terms = {
  /** The number of turns in each average. */
  readonly fast: number;
  readonly slow: number;
  readonly size: number;
};

export function movingAverage({ fast, size, slow }: Terms): Bot {
  return ({ client, instrument }) => {
    const prices: number[] = [];
    let held = 0;
    return async ({ price }) => {
      prices.push(Number(price));
      if (prices.length < slow) return;
      if (prices.length > slow) prices.shift();
      const wanted = mean(prices.slice(-fast)) > mean(prices) ? size : -size;
      if (wanted === held) return;
      const order = await marketOrder(client, {
        instrument,
        side: wanted > held ? 'buy' : 'sell',
        size: Math.abs(wanted - held).toFixed(5),
        slippagePercent: '0.5',
      });
      const reply = await client.exchange.order({ orders: [order] }, { confirm: 'executed' });
      // The unfilled part is retried in the next turn.
      const filled = reply.status === 'executed' ? Number(reply.orders[0]?.filledSz ?? 0) : 0;
      held = Number((held + Math.sign(wanted - held) * filled).toFixed(5));
    };
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

if (import.meta.main) {
  const files = process.argv.slice(2);
  if (files.length === 0)
    throw new Error('Missing recording. Pass its file: node moving-average.ts BTCUSDT-1h.csv');
  const bot = movingAverage({ fast: 12, slow: 48, size: 0.05 });
  const report = await replayMarket({ recording: files, bot, page: 'backtest.html' });
  const { drawdown, fees, fills, funding, liquidations, pnl } = report;
  console.log(`profit ${pnl} USDC, including ${fees} in fees and ${funding} in funding`);
  console.log(`${fills.length} fills, ${liquidations.length} liquidation steps`);
  console.log(`maximum drawdown ${drawdown.usdc} USDC; see backtest.html for details`);
}
