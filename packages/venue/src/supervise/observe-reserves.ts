import { bridgeView, type State } from '@oddlot/engine';
import type { Metrics } from '@oddlot/host/metrics';
import { differenceOf } from '../reserves/reserve-figures.ts';
import type { ReservesWorker } from '../settlement/reserves/reserves-worker.ts';

const MICRO_USDC = 1e6;
const MS = 1_000;

/** What the operator watches of what is owed and what there is. */
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
