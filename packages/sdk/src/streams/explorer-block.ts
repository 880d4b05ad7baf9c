import type { ExplorerBlock } from '@oddlot/protocol';
import {
  Subscription,
  type StreamContext,
  type StreamListener,
  type StreamOptions,
} from './subscription.ts';

/** What `explorerBlock` takes. */
export type ExplorerBlockChannel = Readonly<Record<never, never>>;

/** Every block, as it is made. */
export function explorerBlock(
  context: StreamContext,
  parameters: ExplorerBlockChannel,
  listener?: StreamListener<ExplorerBlock[]>,
  options?: StreamOptions,
): Subscription<ExplorerBlock[]> {
  return new Subscription(
    context,
    { type: 'explorerBlock', ...parameters },
    { listener, ...options },
  );
}
