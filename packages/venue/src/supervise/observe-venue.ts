import { join } from 'node:path';
import { oracleAges, venueMoney } from '@oddlot/engine';
import type { Metrics } from '@oddlot/host/metrics';
import { bytesIn, newestSnapshot } from '@oddlot/host/operate';
import type { AppliedBlock } from '@oddlot/replica/block';
import type { Indexer } from '@oddlot/history/indexer/indexer';
import type { Receipts } from '@oddlot/history/receipts';
import type { LocalReplica } from '@oddlot/replica/local-replica';

type Observed = {
  readonly replica: LocalReplica;
  readonly receipts: Receipts;
  readonly indexer: Pick<Indexer, 'stats'>;
  readonly pool: { readonly length: number };
  readonly http: {
    readonly inFlight: number;
    readonly bodies: { readonly bytes: number };
    readonly connections: Readonly<Record<'open' | 'refused' | 'evicted', number>>;
  };
  readonly exports: { readonly total: number };
  readonly sockets: {
    readonly stats: {
      readonly connections: Readonly<Record<string, number>>;
      readonly streams: number;
      readonly framesSent: number;
      readonly heldBytes: number;
    };
  };
  readonly disk: { readonly freeBytes: number };
  readonly data: string;
  readonly clock: { nowMs(): number; distanceMs(): number };
  /** Returns the wall clock time, which file times are based on. */
  readonly wallMs: () => number;
};

const MICRO_USDC = 1e6;

/** Counts blocks as they arrive, and reads queue lengths at each scrape. */
export function observeVenue(metrics: Metrics, observed: Observed): void {
  const { http, pool, receipts, replica, sockets } = observed;
  replica.onBlock(({ commands, height, result, timeMs }) => {
    if (replica.isReplaying) return;
    let trades = 0;
    for (const event of result.events) {
      if (event.type === 'tradeExecuted') trades += 1;
      else if (event.type === 'liquidationStep') metrics.liquidation(event.step);
      else if (event.type === 'deleveraged') metrics.deleveraged();
    }
    metrics.block({ height, timeMs, commands: commands.length, trades });
    countOrders(metrics, result.outcomes);
  });
  metrics.gauge('propose_queue', 'Commands waiting for a block.', () => replica.queued);
  metrics.gauge('pending_actions', 'Actions waiting for their block.', () => receipts.pendingCount);
  metrics.gauge('recover_queue', 'Signatures waiting to be recovered.', () => pool.length);
  metrics.gauge('receipt_backlog', 'Receipts waiting to be stored.', () => receipts.backlog);
  metrics.gauge('http_in_flight', 'Requests being answered.', () => http.inFlight);
  metrics.gauge(
    'http_body_bytes',
    'Bytes of request bodies being processed.',
    () => http.bodies.bytes,
  );
  metrics.gauge(
    'ws_held_bytes',
    'Bytes queued for slow stream clients.',
    () => sockets.stats.heldBytes,
  );
  metrics.gauge('live_orders', 'Resting orders.', () => replica.state.pool.size);
  metrics.gauge('accounts', 'Accounts on the venue.', () => replica.state.accounts.length);
  metrics.gauge('ws_streams', 'Open streams.', () => sockets.stats.streams);
  metrics.gauge('ws_frames_sent', 'Frames sent since the start.', () => sockets.stats.framesSent);
  metrics.gauges('ws_connections', 'Open WebSocket connections.', 'endpoint', () => ({
    ...sockets.stats.connections,
  }));
  const { clock } = observed;
  metrics.gauge(
    'clock_offset_seconds',
    'Seconds by which the wall clock is ahead of the venue time.',
    () => clock.distanceMs() / 1000,
  );
  observeMoney(metrics, observed);
  observeData(metrics, observed);
  observeHistory(metrics, observed);
  observeConnections(metrics, observed);
}

/**
 * Aggregates the orders by state first, because updating a counter is expensive and a block can
 * contain hundreds of orders.
 */
function countOrders(metrics: Metrics, outcomes: AppliedBlock['result']['outcomes']): void {
  const counts = new Map<string, number>();
  for (const { entries = [] } of outcomes) {
    for (const { state } of entries) counts.set(state, (counts.get(state) ?? 0) + 1);
  }
  for (const [state, count] of counts) metrics.orders(state, count);
}

function observeHistory(metrics: Metrics, { indexer, exports }: Observed): void {
  metrics.gauge('history_height', 'Highest block whose rows are stored in the history.', () => {
    return indexer.stats.height;
  });
  metrics.gauge(
    'history_lag_blocks',
    'Blocks by which the history indexer is behind the log.',
    () => {
      return indexer.stats.lag;
    },
  );
  metrics.gauge('history_missing_blocks', 'Blocks whose rows still have to be recomputed.', () => {
    return indexer.stats.missing;
  });
  metrics.gauges('history_rows_total', 'Rows in the history, by table.', 'table', () => ({
    ...indexer.stats.rows,
  }));
  metrics.gauge('history_bytes', 'Size of the history store in bytes.', () => {
    return indexer.stats.bytes;
  });
  metrics.gauge('history_questions_total', 'Queries to the history since the start.', () => {
    return indexer.stats.asked;
  });
  metrics.gauge('history_questions_waiting', 'History queries not answered yet.', () => {
    return indexer.stats.waiting;
  });
  metrics.gauge('exports_running', 'Exports in progress.', () => exports.total);
  metrics.gauge(
    'states_compared_total',
    'Blocks for which two threads computed the same state.',
    () => {
      return indexer.stats.compared;
    },
  );
}

function observeMoney(metrics: Metrics, { clock, replica }: Observed): void {
  metrics.gauges(
    'oracle_age_seconds',
    "Age of each perp's oracle price in seconds.",
    'instrument',
    () => {
      const nowMs = Math.max(clock.nowMs(), replica.state.timeMs);
      const ages = oracleAges(replica.state, nowMs).filter(({ isAwaited }) => isAwaited);
      return Object.fromEntries(ages.map(({ ageMs, name }) => [name, (ageMs ?? Infinity) / 1000]));
    },
  );
  const money = (read: keyof ReturnType<typeof venueMoney>) => (): number =>
    Number(venueMoney(replica.state)[read]) / MICRO_USDC;
  metrics.gauge(
    'insurance_fund_usdc',
    'Account value of the insurance fund in USDC.',
    money('insuranceFund'),
  );
  metrics.gauge(
    'insurance_target_usdc',
    'Target account value of the insurance fund in USDC.',
    money('insuranceTarget'),
  );
  metrics.gauge('treasury_usdc', 'Fees collected but not paid out, in USDC.', money('treasury'));
}

function observeData(metrics: Metrics, { data, disk, wallMs }: Observed): void {
  const snapshots = join(data, 'snapshots');
  metrics.gauge(
    'disk_free_bytes',
    'Free disk space for the data folder in bytes.',
    () => disk.freeBytes,
  );
  metrics.gauge('log_bytes', 'Size of the journal in bytes.', () => bytesIn(join(data, 'journal')));
  metrics.gauge(
    'log_compressed_bytes',
    'Size of the compressed part of the journal in bytes.',
    () => bytesIn(join(data, 'journal'), '.zst'),
  );
  metrics.gauge('snapshot_age_seconds', 'Age of the newest snapshot in seconds.', async () => {
    const newest = await newestSnapshot(snapshots);
    return newest === undefined ? Number.NaN : (wallMs() - newest.writtenMs) / 1000;
  });
  metrics.gauge('snapshot_bytes', 'Size of the newest snapshot in bytes.', async () => {
    return (await newestSnapshot(snapshots))?.bytes ?? Number.NaN;
  });
}

function observeConnections(metrics: Metrics, { http }: Observed): void {
  metrics.gauge(
    'connections',
    'Connections accepted by the public port, WebSockets included.',
    () => http.connections.open,
  );
  metrics.gauges(
    'connections_turned_away',
    'Connections rejected because a budget was exhausted.',
    'how',
    () => ({
      refused: http.connections.refused,
      evicted: http.connections.evicted,
    }),
  );
}
