import { bridgeView, owedMicroUsdc, type State } from '@oddlot/engine';
import type { Metrics } from '@oddlot/host/metrics';
import type { MoneySide, SettlementBalances } from '@oddlot/settlement/money-side';
import type { PayoutsStatus } from '@oddlot/settlement/payout/payout-worker';
import { differenceOf } from '@oddlot/history/reserves/read-proof';
import type { ReservesWorker } from '@oddlot/settlement/reserves/reserves-worker';

const MICRO_USDC = 1e6;

export function observeSettlement(
  metrics: Metrics,
  settlement: Pick<MoneySide, 'status'> | undefined,
  state: () => State,
): void {
  const watch = () => settlement?.status?.watch;
  metrics.gauges(
    'settlement_state',
    'State of the chain reader; 1 for the current one.',
    'state',
    () => {
      const now = watch()?.state;
      return now === undefined ? {} : { [now]: 1 };
    },
  );
  metrics.gauge('settlement_head', 'Newest block of the chain.', () => watch()?.head ?? 0);
  metrics.gauge('settlement_block', 'Block up to which deposits are credited.', () => {
    return watch()?.block ?? 0;
  });
  metrics.gauges(
    'settlement_endpoint_ok',
    '1 if the endpoint agrees with the others.',
    'endpoint',
    () => {
      const endpoints = settlement?.status?.endpoints ?? [];
      return Object.fromEntries(
        endpoints.map(({ name, state: is }) => [name, is === 'ok' ? 1 : 0]),
      );
    },
  );
  metrics.gauges('settlement_aside_usdc', 'Uncredited USDC, by reason.', 'reason', () => {
    const sums: Record<string, number> = {};
    for (const { amount, reason, returned } of watch()?.book.aside ?? []) {
      if (returned !== undefined) continue;
      sums[reason] = (sums[reason] ?? 0) + Number(amount) / MICRO_USDC;
    }
    const pots = Object.values(watch()?.book.pots ?? {});
    const small = pots.reduce((sum, { amount }) => sum + amount, 0);
    const dust = Number(watch()?.book.dust.amount ?? 0);
    return {
      ...sums,
      ...(small === 0 ? {} : { belowMinimum: small / MICRO_USDC }),
      ...(dust === 0 ? {} : { dust: dust / MICRO_USDC }),
    };
  });
  metrics.gauge(
    'settlement_vanished_usdc',
    'Credited deposits that are no longer on the chain, in USDC.',
    () => {
      const { book, reorganisation } = watch() ?? {};
      const all = [...(book?.vanished ?? []), ...(reorganisation?.vanished ?? [])];
      return all.reduce((sum, { amount }) => sum + Number(amount), 0) / MICRO_USDC;
    },
  );
  metrics.gauge('settlement_sends_waiting', 'Transactions dropped by the chain.', () => {
    return settlement?.status?.waiting.length ?? 0;
  });
  observePayouts(
    metrics,
    () => settlement?.status?.payouts,
    () => state().timeMs,
  );
  observeVitals(metrics, () => settlement?.status?.vitals);
  metrics.gauge('settlement_owed_usdc', 'Deposits minus payouts.', () => {
    return Number(owedMicroUsdc(state())) / MICRO_USDC;
  });
}

const MS_PER_SECOND = 1_000;

function observePayouts(
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

/** Publishes the balances that payouts need, with NaN before the first query. */
function observeVitals(metrics: Metrics, vitals: () => SettlementBalances | undefined): void {
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

const MS = 1_000;

export function observeReserves(
  metrics: Metrics,
  reserves: Pick<ReservesWorker, 'current'> | undefined,
  state: () => State,
): void {
  metrics.gauge(
    'reserves_difference_usdc',
    'Bridge balance minus the amount owed, in USDC.',
    () => {
      const current = reserves?.current;
      return current === undefined ? 0 : Number(differenceOf(current)) / MICRO_USDC;
    },
  );
  metrics.gauge(
    'reserves_published_seconds',
    'Unix time of the last publication of reserves.',
    () => {
      return (bridgeView(state())?.reserves?.publishedMs ?? 0) / MS;
    },
  );
}
