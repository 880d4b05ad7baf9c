/** What can be drawn over the candles, and what has a place of its own under them. */
export const INDICATORS = ['sma', 'ema', 'vwap', 'bollinger', 'rsi', 'macd', 'profile'] as const;
export type Indicator = (typeof INDICATORS)[number];

/** Not in prices: it stands under the candles. */
export function hasOwnPane(kind: Indicator): boolean {
  return kind === 'rsi' || kind === 'macd';
}
