import type { Clock } from '@oddlot/host/clock';
import type { ReadinessCheck } from '@oddlot/host/health';
import type { Archivist } from '../history/archivist/archivist.ts';
import type { Replica } from '../replica/replica.ts';
import type { OpenedSettlement } from '../settlement/open-settlement.ts';
import type { ClockWatch } from './clock-watch.ts';
import { clusterCheck, type JoinedCluster } from './cluster-status.ts';
import type { DiskWatch } from './disk-watch.ts';
import {
  bridgeCheck,
  diskCheck,
  historyCheck,
  logCheck,
  pricesCheck,
  stoppingCheck,
} from './readiness-checks.ts';

type CheckedParts = {
  readonly clock: Clock;
  readonly clockWatch: ClockWatch;
  readonly disk: DiskWatch;
  readonly replica: Replica & { readonly isReplaying: boolean };
  readonly money: OpenedSettlement | undefined;
  readonly archivist: Pick<Archivist, 'trouble'>;
  readonly cluster: Pick<JoinedCluster, 'divergence' | 'trouble'> | undefined;
};

/** The log carries time at least every second; five times that means that it stands still. */
const BLOCK_AGE_MS_MAX = 5_000;

/** What must be well for the venue to be ready. */
export function checksOf(
  { archivist, clock, clockWatch, cluster, disk, money, replica }: CheckedParts,
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
    () => historyCheck(archivist.trouble),
  ];
}
