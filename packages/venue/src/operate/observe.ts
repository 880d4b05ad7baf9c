import type { Receipts } from '../replica/receipts.ts';
import type { LocalReplica } from '../replica/local-replica.ts';
import type { Metrics } from './metrics.ts';

/** What the operator watches. */
export type Observed = {
  readonly replica: LocalReplica;
  readonly receipts: Receipts;
  readonly store: { readonly backlog: number };
  readonly pool: { readonly length: number };
  readonly http: {
    readonly inFlight: number;
    readonly bodies: { readonly bytes: number };
    readonly connections: Readonly<Record<'open' | 'refused' | 'evicted', number>>;
  };
  readonly sockets: {
    readonly stats: {
      readonly connections: Readonly<Record<string, number>>;
      readonly streams: number;
      readonly framesSent: number;
      readonly heldBytes: number;
    };
  };
};

/** Counts blocks as they come, and reads queue lengths when somebody scrapes. */
export function observeVenue(metrics: Metrics, observed: Observed): void {
  const { http, pool, receipts, replica, sockets, store } = observed;
  replica.onBlock(({ commands, height, result, timeMs }) => {
    if (replica.isReplaying) return;
    let trades = 0;
    for (const event of result.events) if (event.type === 'tradeExecuted') trades += 1;
    metrics.block({ height, timeMs, commands: commands.length, trades });
    for (const outcome of result.outcomes) {
      for (const entry of outcome.entries ?? []) metrics.order(entry.state);
    }
  });
  metrics.gauge('propose_queue', 'Commands that wait for a block.', () => replica.queued);
  metrics.gauge(
    'pending_actions',
    'Actions that wait for their block.',
    () => receipts.pendingCount,
  );
  metrics.gauge('recover_queue', 'Signatures that wait for recovery.', () => pool.length);
  metrics.gauge('receipt_backlog', 'Receipts that wait to be stored.', () => store.backlog);
  metrics.gauge('http_in_flight', 'Requests being answered.', () => http.inFlight);
  metrics.gauge('http_body_bytes', 'Bytes of bodies in flight.', () => http.bodies.bytes);
  metrics.gauges('connections', 'Connections of the public port.', 'state', () => ({
    ...http.connections,
  }));
  metrics.gauge('ws_held_bytes', 'Bytes that wait for readers.', () => sockets.stats.heldBytes);
  metrics.gauge('live_orders', 'Resting orders.', () => replica.state.pool.size);
  metrics.gauge('accounts', 'Accounts.', () => replica.state.accounts.length);
  metrics.gauge('ws_streams', 'Streams kept.', () => sockets.stats.streams);
  metrics.gauge('ws_frames_sent', 'Frames sent since the start.', () => sockets.stats.framesSent);
  metrics.gauges('ws_connections', 'Open sockets.', 'endpoint', () => ({
    ...sockets.stats.connections,
  }));
}
