import { LIMITS } from '../messages/limits.ts';
import type { TwapInputs } from '../messages/outcome-terms.ts';
import type { PriceFeed, PricePoint } from '../state/price-feed.ts';

const SECOND_MS = 1_000;

/** Takes an observation that is not older than the last one. */
export function observe(feed: PriceFeed, observedMs: number, priceE8: number): void {
  const secondMs = Math.ceil(observedMs / SECOND_MS) * SECOND_MS;
  const { seconds } = feed;
  if (seconds.at(-1)?.secondMs === secondMs) seconds.pop();
  seconds.push({ secondMs, observedMs, priceE8 });
  if (seconds.length > LIMITS.priceSecondsKept) seconds.shift();
}

/**
 * R-series: the samples of the window before an instant, one for each whole second: the last
 * observation at or before it, not older than 5 s. Undefined when too many seconds have none.
 */
export function twapBefore(
  feed: PriceFeed,
  atMs: number,
  windowSeconds: number,
): TwapInputs | undefined {
  const samples: { atMs: number; priceE8: number }[] = [];
  let sum = 0n;
  let next = 0;
  let last: PricePoint | undefined;
  for (let second = windowSeconds; second >= 1; second--) {
    const secondMs = atMs - second * SECOND_MS;
    for (; next < feed.seconds.length; next++) {
      const point = feed.seconds[next];
      if (point === undefined || point.secondMs > secondMs) break;
      last = point;
    }
    if (last === undefined || secondMs - last.observedMs > LIMITS.observationAgeMs) continue;
    samples.push({ atMs: secondMs, priceE8: last.priceE8 });
    sum += BigInt(last.priceE8);
  }
  const isCovered = samples.length * 100 >= windowSeconds * LIMITS.twapCoveragePercent;
  return isCovered ? { sumE8: String(sum), samples } : undefined;
}
