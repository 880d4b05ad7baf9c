import type { Scope } from '../state/risk-index.ts';
import type { State } from '../state/state.ts';
import { roughDistance } from './rough-distance.ts';

/**
 * The scopes to look at now, less those that a rough look shows to be safe: they wait on, whoever
 * they are, and it has cost nothing that stays. What is under liquidation is always among the rest.
 */
export function takeEndangered(state: State): Scope[] {
  return state.risk.take().filter((scope) => {
    if (state.liquidations.has(scope)) return true;
    const distance = roughDistance(state, scope);
    if (distance === 0) return true;
    state.risk.wait(scope, distance);
    return false;
  });
}
