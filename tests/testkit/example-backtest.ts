import { marketOrder } from '@oddlot/sdk';
import { replayMarket } from '@oddlot/testkit';

const report = await replayMarket({
  recording: 'BTCUSDT-1h-2025-01.csv',
  page: 'backtest.html',
  bot: ({ client, instrument }) => {
    let isLong = false;
    return async ({ price }) => {
      if (isLong || Number(price) > 95_000) return;
      isLong = true;
      const terms = { instrument, side: 'buy', size: '0.01', slippagePercent: '0.5' } as const;
      const order = await marketOrder(client, terms);
      await client.exchange.order({ orders: [order] }, { confirm: 'executed' });
    };
  },
});
console.log(report.pnl, report.drawdown, report.liquidations);
