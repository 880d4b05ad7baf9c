import { changePhase, closeMarket } from '../outcome/market-phase.ts';
import type { Execution } from '../state/execution.ts';

/** Step (1) of a block: markets open and close by themselves (R-phases), by time, then instrument. */
export function advancePhases(execution: Execution): void {
  const { outcomes, timeMs } = execution.state;
  for (;;) {
    const id = outcomes.phaseClock.popDue(timeMs);
    if (id === undefined) return;
    const market = outcomes.markets.get(id);
    if (market === undefined) continue;
    const { endMs } = market.definition;
    if (timeMs >= endMs) closeMarket(execution, market);
    else if (market.phase === 'upcoming') changePhase(execution, market, 'open');
  }
}
