import type { Candle } from '@oddlot/sdk';
import { toPixels } from '../../../lib/decimal.ts';

/** How much traded within a range of prices. */
type ProfileBin = { readonly low: number; readonly high: number; readonly volume: number };

const BINS = 30;

/** What traded at which prices, from the lowest up. What a candle traded is spread evenly over its prices. */
export function volumeProfile(candles: readonly Candle[]): readonly ProfileBin[] {
  const traded = candles
    .map(({ h, l, v }) => ({ high: toPixels(h), low: toPixels(l), volume: toPixels(v) }))
    .filter(({ volume }) => volume > 0);
  const lowest = Math.min(...traded.map(({ low }) => low));
  const highest = Math.max(...traded.map(({ high }) => high));
  if (traded.length === 0 || highest <= lowest) return [];
  const width = (highest - lowest) / BINS;
  const volumes = new Array<number>(BINS).fill(0);
  for (const { high, low, volume } of traded) {
    const [from, to] = [binOf(low), binOf(high)];
    for (let bin = from; bin <= to; bin++) {
      const bottom = Math.max(low, lowest + bin * width);
      const top = Math.min(high, lowest + (bin + 1) * width);
      const share = high === low ? 1 : Math.max(0, top - bottom) / (high - low);
      volumes[bin]! += volume * share;
    }
  }
  return volumes.map((volume, bin) => ({
    low: lowest + bin * width,
    high: lowest + (bin + 1) * width,
    volume,
  }));

  function binOf(price: number): number {
    return Math.min(BINS - 1, Math.max(0, Math.floor((price - lowest) / width)));
  }
}
