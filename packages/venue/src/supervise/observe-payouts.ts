import type { Metrics } from '@oddlot/host/metrics';
import type { PayoutsStatus } from '../settlement/payout/payout-worker.ts';
import type { Vitals } from '../settlement/vitals.ts';

const MS_PER_SECOND = 1_000;

/** What the operator watches of withdrawals on their way to the settlement chain. */
export function observePayouts(
  metrics: Metrics,
  status: () => PayoutsStatus | undefined,
  nowMs: () => number,
): void {
  metrics.gauge('withdrawals_open', 'Withdrawals not yet settled on the bridge.', () => {
    return status()?.open ?? 0;
  });
  metrics.gauge(
    'withdrawals_oldest_seconds',
    'Age of the oldest open withdrawal in seconds.',
    () => {
      const oldestMs = status()?.oldestMs;
      return oldestMs === undefined ? 0 : Math.max(0, nowMs() - oldestMs) / MS_PER_SECOND;
    },
  );
  metrics.gauge('withdrawals_troubled', 'Open withdrawals with an error.', () => {
    return status()?.troubled.length ?? 0;
  });
  metrics.gauge(
    'withdrawals_lost',
    'Settled withdrawals whose block a reorganisation removed.',
    () => {
      return status()?.troubled.filter(({ isLost }) => isLost).length ?? 0;
    },
  );
}

const MICRO_USDC = 1e6;

/** What payouts live on; not a number as long as nobody has looked. */
export function observeVitals(metrics: Metrics, vitals: () => Vitals | undefined): void {
  metrics.gauge(
    'settlement_relayer_ether',
    "Ether balance of the key that sends the venue's transactions.",
    () => {
      return Number(vitals()?.relayer?.ether ?? Number.NaN);
    },
  );
  metrics.gauge('settlement_bridge_usdc', 'USDC balance of the bridge.', () => {
    return Number(vitals()?.bridgeMicroUsdc ?? Number.NaN) / MICRO_USDC;
  });
  metrics.gauge('settlement_bridge_paused', '1 while the bridge is paused.', () => {
    return vitals()?.isPaused === true ? 1 : 0;
  });
}
