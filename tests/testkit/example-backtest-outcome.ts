import { buyYes } from '@oddlot/sdk';
import { replayMarket } from '@oddlot/testkit';

const T0 = Date.parse('2025-03-01T00:00:00Z');
const trades = ['0.40', '0.42', '0.47', '0.61'].map((price, at) => {
  return { kind: 'trade', timeMs: T0 + at * 60_000, price, size: '50', isBuy: true } as const;
});
const { fees, pnl, settlement } = await replayMarket({
  recording: trades,
  outcome: { settlementFraction: '1' },
  bot: ({ client, instrument: { id: asset } }) => {
    let isLong = false;
    return async () => {
      if (isLong) return;
      isLong = true;
      await client.exchange.order({ orders: [buyYes({ asset, price: '0.45', size: '100' })] });
    };
  },
});
console.log(pnl, fees, settlement);
