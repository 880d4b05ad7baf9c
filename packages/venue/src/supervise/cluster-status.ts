import type { ReadinessCheck } from '@oddlot/host/health';
import type { Metrics } from '@oddlot/host/metrics';
import type { LogTrouble } from '@oddlot/cluster/cluster-log';
import type { DivergenceWatch } from './divergence-watch.ts';
import type { Cluster } from '@oddlot/cluster/open-cluster';

export type JoinedCluster = Cluster & {
  /** Returns why blocks cannot be written, or undefined if they can. */
  trouble(): LogTrouble | undefined;
  /** Compares the states of the other replicas with that of this one. */
  readonly divergence: DivergenceWatch;
};

type Head = { readonly height: number; readonly hash: string };

/**
 * Returns ready if the stream accepts blocks and contains all known ones, and all replicas have
 * computed the same state.
 */
export function clusterCheck(
  cluster: Pick<JoinedCluster, 'divergence' | 'trouble'> | undefined,
): ReadinessCheck {
  const trouble = cluster?.trouble();
  if (trouble !== undefined) return { name: 'cluster', ok: false, why: troubleText(trouble) };
  const { height, kind } = cluster?.divergence.look() ?? { kind: 'agreed', height: 0 };
  return { name: 'cluster', ok: kind === 'agreed', why: `replicas differ at block ${height}` };
}

export function clusterStatus(cluster: JoinedCluster, head: Head): object {
  const trouble = cluster.trouble();
  return {
    replica: cluster.replica,
    height: head.height,
    hash: head.hash,
    lagBlocks: lagOf(cluster, head),
    trouble: trouble === undefined ? null : troubleText(trouble),
    agreement: agreementOf(cluster),
    leases: [...cluster.lease.held].filter(([, isHeld]) => isHeld).map(([name]) => name),
    replicas: cluster.board.entries.map(({ aheadMs, silentMs, ...entry }) => ({
      ...entry,
      clockAheadMs: aheadMs,
      silentMs: Number.isFinite(silentMs) ? Math.round(silentMs) : null,
    })),
  };
}

function agreementOf({ divergence }: JoinedCluster): object {
  const { height, kind, own, votes } = divergence.look();
  return { kind, height, own, votes: Object.fromEntries(votes) };
}

export function observeCluster(
  metrics: Metrics,
  cluster: JoinedCluster | undefined,
  head: () => Head,
): void {
  if (cluster === undefined) return;
  const { board, lease } = cluster;
  metrics.gauge('cluster_replicas', 'Running replicas.', () => board.present.length);
  metrics.gauge('cluster_highest_block', 'Highest block reported by any replica.', () =>
    Math.max(head().height, board.highest?.height ?? 0),
  );
  metrics.gauge(
    'cluster_lag_blocks',
    'Blocks by which this replica is behind the highest one.',
    () => lagOf(cluster, head()),
  );
  metrics.gauge(
    'cluster_log_silent_seconds',
    'Seconds for which the log has had no quorum.',
    () => {
      const trouble = cluster.trouble();
      return trouble?.kind === 'silent' ? trouble.sinceMs / 1000 : 0;
    },
  );
  metrics.gauge('cluster_log_lost', '1 while the stream lacks blocks that a replica has.', () =>
    cluster.trouble()?.kind === 'lost' ? 1 : 0,
  );
  metrics.gauge('cluster_attested_block', 'Newest block whose hash was compared.', () => {
    return cluster.divergence.look().height;
  });
  metrics.gauge('cluster_hashes_differing', 'Replicas with a different hash of that block.', () => {
    const { own, votes } = cluster.divergence.look();
    return [...votes.values()].filter((hash) => hash !== own).length;
  });
  metrics.gauges('cluster_leases_held', '1 for each lease that this replica holds.', 'lease', () =>
    Object.fromEntries([...lease.held].map(([name, isHeld]) => [name, isHeld ? 1 : 0])),
  );
  metrics.gauge(
    'cluster_lease_changes_total',
    'Times that a lease was gained or lost.',
    () => lease.changes,
  );
  metrics.gauge(
    'cluster_clock_apart_seconds',
    'Seconds by which this clock is ahead of the clocks of most replicas.',
    () => cluster.clockApartMs() / 1000,
  );
}

/**
 * Returns how many blocks this replica is behind the highest one. Running replicas report their
 * height every second, so a short lag does not count.
 */
function lagOf({ board }: Pick<Cluster, 'board'>, { height }: Head): number {
  return Math.max(0, (board.highest?.height ?? 0) - height);
}

export function troubleText(trouble: LogTrouble | undefined): string {
  if (trouble === undefined) return '';
  if (trouble.kind === 'lost') return trouble.error.message;
  return `the log has had no quorum for ${Math.round(trouble.sinceMs)} ms`;
}
