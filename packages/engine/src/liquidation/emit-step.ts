import type { LiquidationStep } from '../messages/event.ts';
import type { Holding } from '../state/account.ts';
import type { Execution } from '../state/execution.ts';
import type { Scope } from '../state/risk-index.ts';
import type { Health } from './scope.ts';

/** Records a step with the mark, equity and maintenance that caused it. */
export function emitStep(
  execution: Execution,
  scope: Scope,
  health: Health,
  step: LiquidationStep['step'],
  positions: readonly Holding[],
  price?: number,
): void {
  const { commandIndex, events, state } = execution;
  state.digest.word(scope.account.index);
  state.digest.text(step);
  state.digest.amount(health.equity);
  state.digest.number(price ?? 0);
  events.push({
    type: 'liquidationStep',
    commandIndex,
    account: scope.account.address,
    marginMode: scope.holding === undefined ? 'cross' : 'isolated',
    step,
    positions: positions.map(({ perp, size }) => ({
      instrumentId: perp.definition.instrumentId,
      size,
    })),
    notional: health.notional,
    equity: health.equity,
    maintenance: health.maintenance,
    mark: positions[0]?.perp.mark ?? 0,
    price,
  });
}
