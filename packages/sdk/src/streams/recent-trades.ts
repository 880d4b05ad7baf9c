import type { RecentTradesUpdate } from '@oddlot/protocol';
import {
  Subscription,
  type StreamContext,
  type StreamListener,
  type StreamOptions,
} from './subscription.ts';

/** What `recentTrades` takes. */
export type RecentTradesChannel = {
  readonly coin: string;
  /** How many to begin with: 50 by default, at most 200. */
  readonly limit?: number | undefined;
};

/** The trades of an instrument: the last ones first, then the new ones. */
export function recentTrades(
  context: StreamContext,
  parameters: RecentTradesChannel,
  listener?: StreamListener<RecentTradesUpdate>,
  options?: StreamOptions,
): Subscription<RecentTradesUpdate> {
  return new Subscription(
    context,
    { type: 'recentTrades', ...parameters },
    { listener, ...options },
  );
}
