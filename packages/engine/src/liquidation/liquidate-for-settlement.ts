import { isInsuranceFund } from '../perp/insurance-fund.ts';
import type { Execution } from '../state/execution.ts';
import { holdersOf } from '../state/holders.ts';
import type { Perp } from '../state/perp.ts';
import { Rankings } from './rankings.ts';
import { healthOf, isDeep, isLiquidatable, scopeOf } from './scope.ts';
import { takeOver } from './take-over.ts';

/**
 * R-delist: before a market's positions close at its settlement price, those of scopes that this
 * price ruins go to the fund or to the other side once more. The market is halted by then, so its
 * positions are worked all the same.
 */
export function liquidateForSettlement(execution: Execution, perp: Perp): void {
  const { state } = execution;
  const rankings = new Rankings(state);
  for (const { account, holding } of holdersOf(state, perp)) {
    // The take-over of another may have closed it.
    if (holding.size === 0 || isInsuranceFund(state, account)) continue;
    const scope = scopeOf(account, holding);
    const health = healthOf(state, scope);
    if (isLiquidatable(health) && isDeep(health)) takeOver(execution, scope, [holding], rankings);
  }
}
