import type { Readiness } from '@oddlot/host/health';
import type { HealthCheck, SettlementHealth, VenueHealth } from '@oddlot/protocol';
import type { OpenedSettlement } from '../settlement/open-settlement.ts';

type HealthParts = {
  readonly clock: { nowMs(): number };
  readonly replica: {
    readonly head: { readonly height: number; readonly timeMs: number };
    readonly queued: number;
  };
  readonly archivist: { readonly stats: { readonly lag: number } };
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
 * How this process does, for everybody. Of what is not well only its name is told: reasons name endpoints and
 * disks, and are for the operator's own port.
 */
export function venueHealth(parts: HealthParts): VenueHealth {
  const { archivist, clock, isReady, money, replica, sockets } = parts;
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
    historyLag: archivist.stats.lag,
    connections,
    streams,
    settlement: money === undefined ? null : settlementHealth(money.settlement),
  };
}

function settlementHealth({ brief, client }: OpenedSettlement['settlement']): SettlementHealth {
  const { chainId } = client;
  // Whoever works on the chain says nothing, or nobody does.
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
