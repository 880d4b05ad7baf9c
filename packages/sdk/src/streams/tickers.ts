import type { TickersUpdate } from '@oddlot/protocol';
import {
  Subscription,
  type StreamContext,
  type StreamListener,
  type StreamOptions,
} from './subscription.ts';

/** What `tickers` takes. */
export type TickersChannel = {
  readonly accountType?: 'perp' | 'outcome' | undefined;
  /** Up to 50; all that trade when it is absent. */
  readonly instrumentIds?: readonly number[] | undefined;
};

/** Instruments at a glance: all first, then those that changed. */
export function tickers(
  context: StreamContext,
  parameters: TickersChannel,
  listener?: StreamListener<TickersUpdate>,
  options?: StreamOptions,
): Subscription<TickersUpdate> {
  return new Subscription(context, { type: 'tickers', ...parameters }, { listener, ...options });
}
