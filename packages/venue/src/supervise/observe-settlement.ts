import { owedMicroUsdc, type State } from '@oddlot/engine';
import type { Metrics } from '@oddlot/host/metrics';
import type { MoneySide } from '../settlement/money-side.ts';
import { observePayouts, observeVitals } from './observe-payouts.ts';

const MICRO_USDC = 1e6;

/** What the operator watches of the settlement chain; without one there is nothing to see. */
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
