import { isInsuranceFund } from '../perp/insurance-fund.ts';
import { type Account, type Holding, holdingKey } from '../state/account.ts';
import type { Execution } from '../state/execution.ts';
import type { Perp } from '../state/perp.ts';
import { healthOf, isDeep, isLiquidatable, scopeOf } from './scope.ts';
import { takeOver } from './take-over.ts';

/**
 * R-delist: before a market's positions close at its settlement price, those of scopes that this
 * price ruins go to the fund or to the other side once more. The market is halted by then, so its
 * positions are worked all the same.
 */
export function liquidateForSettlement(execution: Execution, perp: Perp): void {
  const { state } = execution;
  for (const account of state.accounts) {
    if (isInsuranceFund(state, account)) continue;
    for (const holding of holdingsIn(account, perp)) {
      const scope = scopeOf(account, holding);
      const health = healthOf(state, scope);
      if (isLiquidatable(health) && isDeep(health)) takeOver(execution, scope, [holding]);
    }
  }
}

function holdingsIn(account: Account, perp: Perp): Holding[] {
  return ([0, 1] as const).flatMap((leg) => {
    const holding = account.holdings.get(holdingKey(perp.definition.instrumentId, leg));
    return holding === undefined || holding.size === 0 ? [] : [holding];
  });
}
