import type { OutcomeBbosUpdate } from '@oddlot/protocol';
import {
  Subscription,
  type StreamContext,
  type StreamListener,
  type StreamOptions,
} from './subscription.ts';

/** What `outcomeBbos` takes. */
export type OutcomeBbosChannel = { /** Up to 50. */ readonly instrumentIds: readonly number[] };

/** Best bid and ask of a group of outcome markets, in YES prices: all first, then the changed ones. */
export function outcomeBbos(
  context: StreamContext,
  parameters: OutcomeBbosChannel,
  listener?: StreamListener<OutcomeBbosUpdate>,
  options?: StreamOptions,
): Subscription<OutcomeBbosUpdate> {
  return new Subscription(
    context,
    { type: 'outcomeBbos', ...parameters },
    { listener, ...options },
  );
}
