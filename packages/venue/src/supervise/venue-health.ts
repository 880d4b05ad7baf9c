import type { Readiness, ReadinessCheck } from '@oddlot/host/health';
import type { HealthCheck, SettlementHealth, VenueHealth } from '@oddlot/protocol';
import type { OpenedSettlement } from '@oddlot/settlement/open-settlement';
import type { Clock } from '@oddlot/host/clock';
import type { Indexer } from '@oddlot/history/indexer/indexer';
import type { Replica } from '@oddlot/replica/replica';
import type { ClockWatch } from './clock-watch.ts';
import { clusterCheck, type JoinedCluster } from './cluster-status.ts';
import type { DiskState, DiskWatch } from './disk-watch.ts';
import { oracleAges, type State } from '@oddlot/engine';
import type { MoneySide } from '@oddlot/settlement/money-side';

type HealthParts = {
  readonly clock: { nowMs(): number };
  readonly replica: {
    readonly head: { readonly height: number; readonly timeMs: number };
    readonly queued: number;
  };
  readonly indexer: { readonly stats: { readonly lag: number } };
  readonly sockets: {
    readonly stats: {
      readonly connections: VenueHealth['connections'];
      readonly streams: number;
    };
  };
  readonly isReady: Readiness;
  readonly money: OpenedSettlement | undefined;
};

/**
 * Returns the public health of this process. It includes only the names of failed checks. The
 * reasons are available only on the operations port, because they reveal endpoints and disk
 * details.
 */
export function venueHealth(parts: HealthParts): VenueHealth {
  const { indexer, clock, isReady, money, replica, sockets } = parts;
  const { connections, streams } = sockets.stats;
  const { failing, ready } = isReady();
  const { height, timeMs } = replica.head;
  return {
    time: clock.nowMs(),
    height,
    blockAgeMs: Math.max(0, clock.nowMs() - timeMs),
    ready,
    failing: failing.map(({ name }) => name as HealthCheck),
    waitingCommands: replica.queued,
    historyLag: indexer.stats.lag,
    connections,
    streams,
    settlement: money === undefined ? null : settlementHealth(money.settlement),
  };
}

function settlementHealth({ brief, client }: OpenedSettlement['settlement']): SettlementHealth {
  const { chainId } = client;
  // No status has been received from the process that holds the settlement lease.
  if (brief === undefined) {
    return { chainId, state: 'unavailable', head: 0, readTo: 0, current: false, paused: null };
  }
  const { isPaused = null, watch } = brief;
  return {
    chainId,
    state: watch.state,
    head: watch.head,
    readTo: watch.block,
    current: watch.isCurrent,
    paused: isPaused,
  };
}

type CheckedParts = {
  readonly clock: Clock;
  readonly clockWatch: ClockWatch;
  readonly disk: DiskWatch;
  readonly replica: Replica & { readonly isReplaying: boolean };
  readonly money: OpenedSettlement | undefined;
  readonly indexer: Pick<Indexer, 'trouble'>;
  readonly cluster: Pick<JoinedCluster, 'divergence' | 'trouble'> | undefined;
};

/**
 * The log advances at least every second. If its last block is older than five seconds, the log has
 * stopped.
 */
const BLOCK_AGE_MS_MAX = 5_000;

/** Returns the checks that must pass for the venue to be ready. */
export function checksOf(
  { indexer, clock, clockWatch, cluster, disk, money, replica }: CheckedParts,
  isStopping: () => boolean,
): readonly (() => ReadinessCheck)[] {
  const now = (): number => clock.nowMs();
  return [
    () => stoppingCheck(isStopping()),
    () =>
      logCheck({
        nowMs: now(),
        lastBlockMs: replica.isReplaying ? undefined : replica.head.timeMs,
        ageMsMax: BLOCK_AGE_MS_MAX,
      }),
    () => clusterCheck(cluster),
    () => diskCheck(disk.state, disk.freeBytes),
    () => clockWatch.check(),
    () => bridgeCheck(money?.settlement),
    () => pricesCheck(replica.state, Math.max(now(), replica.state.timeMs)),
    () => historyCheck(indexer.trouble),
  ];
}

export function stoppingCheck(isStopping: boolean): ReadinessCheck {
  return { name: 'stopping', ok: !isStopping, why: 'stopping' };
}

/** Returns ready if the last block is recent: the clock alone adds a block every second. */
export function logCheck({
  ageMsMax,
  lastBlockMs,
  nowMs,
}: {
  /** Undefined while the log is being replayed. */
  readonly lastBlockMs: number | undefined;
  readonly nowMs: number;
  readonly ageMsMax: number;
}): ReadinessCheck {
  if (lastBlockMs === undefined) return { name: 'log', ok: false, why: 'replaying the log' };
  const ageMs = nowMs - lastBlockMs;
  return { name: 'log', ok: ageMs <= ageMsMax, why: `the last block is ${ageMs} ms old` };
}

function diskCheck(state: DiskState, freeBytes: number): ReadinessCheck {
  const why = `the disk is ${state === 'full' ? 'full' : 'nearly full'}: ${freeBytes} bytes free`;
  return { name: 'disk', ok: state === 'roomy', why };
}

/** Returns ready unless the bridge's payouts contradict the log. */
function bridgeCheck(settlement: Pick<MoneySide, 'status'> | undefined): ReadinessCheck {
  const { error = 'the bridge does not belong to this log', foreign } =
    settlement?.status?.watch ?? {};
  return { name: 'bridge', ok: foreign === undefined, why: error };
}

/**
 * Returns ready if the history can be queried. Load balancers ignore this check, because trading
 * does not depend on the history.
 */
export function historyCheck(trouble: string | undefined): ReadinessCheck {
  return { name: 'history', ok: trouble === undefined, why: trouble ?? '', isSpared: true };
}

/**
 * Returns ready if every listed instrument that is not halted has a valid price (R-oracle-stale).
 */
function pricesCheck(state: State, nowMs: number): ReadinessCheck {
  if (state.parameters === undefined)
    return { name: 'prices', ok: false, why: 'no perp is listed' };
  const stale = oracleAges(state, nowMs).filter(({ isAwaited, isStale }) => isAwaited && isStale);
  const each = stale.map(({ ageMs, name }) =>
    ageMs === undefined ? `${name} has no price` : `the price of ${name} is ${ageMs} ms old`,
  );
  return { name: 'prices', ok: stale.length === 0, why: each.join(', ') };
}
