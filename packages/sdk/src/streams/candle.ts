import type { Candle, INTERVALS } from '@oddlot/protocol';
import {
  Subscription,
  type StreamContext,
  type StreamListener,
  type StreamOptions,
} from './subscription.ts';

/** What `candle` takes. */
export type CandleChannel = {
  readonly coin: string;
  readonly interval: (typeof INTERVALS)[number];
};

/** The running candle of an instrument; when its interval ends, as it ended, and then the next one. */
export function candle(
  context: StreamContext,
  parameters: CandleChannel,
  listener?: StreamListener<Candle>,
  options?: StreamOptions,
): Subscription<Candle> {
  return new Subscription(context, { type: 'candle', ...parameters }, { listener, ...options });
}
