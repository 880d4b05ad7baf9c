/** What one exchange says about a symbol. */
export type SourcePrice = {
  readonly name: string;
  readonly weight: number;
  readonly priceE8: number;
};

const BASIS_POINTS = 10_000;

/**
 * Leaves out whoever is further from the median of the others than the limit, the worst first, since
 * one that is far off moves that median for everybody else. Of the last two that contradict each
 * other neither is believed.
 */
export function withoutOutliers(
  prices: readonly SourcePrice[],
  outlierBps: number,
): readonly SourcePrice[] {
  let kept = prices;
  while (kept.length > 1) {
    const worst = farthest(kept);
    if (worst.distance * BASIS_POINTS <= outlierBps) return kept;
    if (kept.length === 2) return [];
    kept = kept.filter((price) => price !== worst.price);
  }
  return kept;
}

function farthest(prices: readonly SourcePrice[]): { price?: SourcePrice; distance: number } {
  let worst: { price?: SourcePrice; distance: number } = { distance: 0 };
  for (const price of prices) {
    const others = prices
      .filter((other) => other !== price)
      .map((other) => ({ ...other, weight: 1 }));
    const median = weightedMedian(others);
    const distance = Math.abs(price.priceE8 - median) / median;
    if (distance > worst.distance) worst = { price, distance };
  }
  return worst;
}

/**
 * The price with half of the weight on each side; where a border falls on exactly half, the middle of
 * the two prices beside it. Zero of nothing.
 */
export function weightedMedian(prices: readonly SourcePrice[]): number {
  const sorted = prices.toSorted((a, b) => a.priceE8 - b.priceE8);
  const half = sorted.reduce((sum, { weight }) => sum + weight, 0) / 2;
  let passed = 0;
  for (const [index, { priceE8, weight }] of sorted.entries()) {
    passed += weight;
    if (passed > half) return priceE8;
    const next = sorted[index + 1];
    if (passed === half && next !== undefined) return Math.round((priceE8 + next.priceE8) / 2);
  }
  return 0;
}
