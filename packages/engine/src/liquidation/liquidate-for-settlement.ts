import { isInsuranceFund } from '../perp/insurance-fund.ts';
import type { Execution } from '../state/execution.ts';
import { holdersOf } from '../state/holders.ts';
import type { Perp } from '../state/perp.ts';
import { scopeOf } from '../state/risk-index.ts';
import { Rankings } from './rankings.ts';
import { byScope, compareRatio, type Health, healthOf, isDeep, isLiquidatable } from './scope.ts';
import { settleInsolvent } from './settle-insolvent.ts';
import { takeOver } from './take-over.ts';

/**
 * R-delist: before a market's positions close at its settlement price, those of scopes that this
 * price ruins go to the fund or to the other side once more: insolvent ones as after a gap, then the
 * lowest ratio first, then the address. Its price is final by then, so its positions are worked although trading has ended.
 */
export function liquidateForSettlement(execution: Execution, perp: Perp): void {
  const { state } = execution;
  // At another mark than the block's, so in another order.
  const rankings = new Rankings(state);
  const scopes = holdersOf(state, perp).map(({ account, holding }) => scopeOf(account, holding));
  settleInsolvent(execution, scopes, rankings);
  const failing = holdersOf(state, perp)
    .filter(({ account }) => !isInsuranceFund(state, account))
    .map(({ account, holding }) => {
      const scope = scopeOf(account, holding);
      return { holding, scope, health: healthOf(state, scope) };
    })
    .filter(({ health }) => isFailing(health))
    .sort(
      (a, b) =>
        compareRatio(a.health, b.health) ||
        byScope(a.scope, b.scope) ||
        a.holding.leg - b.holding.leg,
    );
  for (const { holding, scope } of failing) {
    // What was done for another may have closed it, or made it well again.
    if (holding.size === 0 || !isFailing(healthOf(state, scope))) continue;
    takeOver(execution, scope, [holding], { rankings });
  }
}

function isFailing(health: Health): boolean {
  return isLiquidatable(health) && isDeep(health);
}
