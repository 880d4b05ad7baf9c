import type { ExplorerTx } from '@oddlot/protocol';
import {
  Subscription,
  type StreamContext,
  type StreamListener,
  type StreamOptions,
} from './subscription.ts';

/** What `explorerTxs` takes. */
export type ExplorerTxsChannel = Readonly<Record<never, never>>;

/** Every signed request that was executed, block by block. */
export function explorerTxs(
  context: StreamContext,
  parameters: ExplorerTxsChannel,
  listener?: StreamListener<ExplorerTx[]>,
  options?: StreamOptions,
): Subscription<ExplorerTx[]> {
  return new Subscription(
    context,
    { type: 'explorerTxs', ...parameters },
    { listener, ...options },
  );
}
