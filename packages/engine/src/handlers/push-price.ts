import { timeMs } from '@oddlot/units';
import type { CommandResult, SkippedEntry } from '../messages/block.ts';
import type { PushPriceCommand, ReferencePrice } from '../messages/command.ts';
import { LIMITS } from '../messages/limits.ts';
import { observe } from '../outcome/price-feed.ts';
import type { Execution } from '../state/execution.ts';
import { priceFeedKey } from '../state/price-feed.ts';

/** Takes reference prices, each on its own: one that does not count does not stop the others. */
export function pushPrice(execution: Execution, command: PushPriceCommand): CommandResult {
  const skipped: SkippedEntry[] = [];
  for (const [index, price] of command.prices.entries()) {
    const why = takePrice(execution, price);
    if (why !== undefined) skipped.push({ index, why });
  }
  return skipped.length === 0 ? {} : { skipped };
}

function takePrice(
  { commandIndex, events, state }: Execution,
  { observedMs, priceE8, source, symbol }: ReferencePrice,
): SkippedEntry['why'] | undefined {
  if (!Number.isSafeInteger(priceE8) || priceE8 <= 0) return 'priceOutOfRange';
  if (observedMs > state.timeMs + LIMITS.observationAheadMs) return 'stale';
  const atMs = Math.min(observedMs, state.timeMs);
  const { prices } = state.outcomes;
  const key = priceFeedKey(symbol, source);
  let feed = prices.get(key);
  if (feed === undefined) {
    if (prices.size >= LIMITS.priceFeeds) return 'instrumentUnknown';
    feed = { symbol, source, lastMs: 0, seconds: [] };
    prices.set(key, feed);
  }
  if (atMs < feed.lastMs) return 'stale';
  feed.lastMs = atMs;
  // R-series: no price is filled in afterwards. One that comes later is for readers alone.
  if (state.timeMs - atMs <= LIMITS.observationLateMs) observe(feed, atMs, priceE8);
  state.digest.text(key);
  state.digest.number(priceE8);
  state.digest.number(atMs);
  const taken = { symbol, source, priceE8, observedMs: timeMs(atMs) };
  events.push({ type: 'referencePriceTaken', commandIndex, ...taken });
  return undefined;
}
