import type { L2Book } from '@oddlot/protocol';
import {
  Subscription,
  type StreamContext,
  type StreamListener,
  type StreamOptions,
} from './subscription.ts';

/** What `l2Book` takes. */
export type L2BookChannel = { readonly coin: string; readonly tick?: string | undefined };

/** The book of an instrument: all of it in every event, at most every 100 ms. */
export function l2Book(
  context: StreamContext,
  parameters: L2BookChannel,
  listener?: StreamListener<L2Book>,
  options?: StreamOptions,
): Subscription<L2Book> {
  return new Subscription(context, { type: 'l2Book', ...parameters }, { listener, ...options });
}
