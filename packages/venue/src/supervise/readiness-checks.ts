import { oracleAges, type State } from '@oddlot/engine';
import type { ReadinessCheck } from '@oddlot/host/health';
import type { DiskState } from './disk-watch.ts';
import type { MoneySide } from '../settlement/money-side.ts';

/** What has to be right before anybody can trade, each by itself. */

/** The process is not about to go. */
export function stoppingCheck(isStopping: boolean): ReadinessCheck {
  return { name: 'stopping', ok: !isStopping, why: 'stopping' };
}

/** The log takes entries: time alone brings one every second. */
export function logCheck({
  ageMsMax,
  lastBlockMs,
  nowMs,
}: {
  /** Undefined while the log is replayed. */
  readonly lastBlockMs: number | undefined;
  readonly nowMs: number;
  readonly ageMsMax: number;
}): ReadinessCheck {
  if (lastBlockMs === undefined) return { name: 'log', ok: false, why: 'replaying the log' };
  const ageMs = nowMs - lastBlockMs;
  return { name: 'log', ok: ageMs <= ageMsMax, why: `the last block is ${ageMs} ms old` };
}

/** R-disk: there is room for what is asked. */
export function diskCheck(state: DiskState, freeBytes: number): ReadinessCheck {
  const why = `the disk is ${state === 'full' ? 'full' : 'nearly full'}: ${freeBytes} bytes free`;
  return { name: 'disk', ok: state === 'roomy', why };
}

/** The log is the one that the bridge has paid by, as far as anybody knows. */
export function bridgeCheck(settlement: Pick<MoneySide, 'status'> | undefined): ReadinessCheck {
  const { error = 'the bridge does not belong to this log', foreign } =
    settlement?.status?.watch ?? {};
  return { name: 'bridge', ok: foreign === undefined, why: error };
}

/** Queries on the past are answered. A balancer sends traders, and those need none. */
export function historyCheck(trouble: string | undefined): ReadinessCheck {
  return { name: 'history', ok: trouble === undefined, why: trouble ?? '', isSpared: true };
}

/** R-oracle-stale: everything that is listed and not halted has a price that counts. */
export function pricesCheck(state: State, nowMs: number): ReadinessCheck {
  if (state.parameters === undefined)
    return { name: 'prices', ok: false, why: 'no perp is listed' };
  const stale = oracleAges(state, nowMs).filter(({ isAwaited, isStale }) => isAwaited && isStale);
  const each = stale.map(({ ageMs, name }) =>
    ageMs === undefined ? `${name} has no price` : `the price of ${name} is ${ageMs} ms old`,
  );
  return { name: 'prices', ok: stale.length === 0, why: each.join(', ') };
}
