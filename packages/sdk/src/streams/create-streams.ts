import { activeAssetCtx } from './active-asset-ctx.ts';
import { clearinghouseState } from './clearinghouse-state.ts';
import { l2Book } from './l2-book.ts';
import { orderUpdates } from './order-updates.ts';
import { trades } from './trades.ts';
import { userFundings } from './user-fundings.ts';
import type { StreamContext } from './subscription.ts';

/** The channels of the venue's sockets, bound to a venue. */
export type StreamsClient = ReturnType<typeof createStreams>;

/** Binds the channels to a venue. All of them share one connection, which is opened when needed. */
export function createStreams(context: StreamContext) {
  const bind =
    <Rest extends unknown[], Answer>(open: (context: StreamContext, ...rest: Rest) => Answer) =>
    (...rest: Rest): Answer =>
      open(context, ...rest);
  return {
    l2Book: bind(l2Book),
    trades: bind(trades),
    orderUpdates: bind(orderUpdates),
    clearinghouseState: bind(clearinghouseState),
    activeAssetCtx: bind(activeAssetCtx),
    userFundings: bind(userFundings),
    /** Whether there is a connection. */
    get status() {
      return context.socket.status;
    },
    /** Ends all subscriptions and the connection. */
    close: () => context.socket.close(),
  };
}
