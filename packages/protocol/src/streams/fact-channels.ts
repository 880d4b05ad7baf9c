/**
 * Channels that tell what happened: each of their frames has the block that it tells of, and whoever names a block goes on
 * behind it in any process of the venue. All others tell what holds, where the newest frame is all there is to know.
 */
export const FACT_CHANNELS = [
  'trades',
  'outcomeTrades',
  'orderUpdates',
  'outcomeOrderUpdates',
  'outcomeOrderUpdate',
  'userFundings',
  'explorerBlock',
  'explorerTxs',
  'recentTrades',
  'userFills',
  'userHistoricalOrders',
  'userNonFundingLedgerUpdates',
] as const;
