import { nearestNumber, RATE_ONE } from '@oddlot/units';
import { paperProfit } from '../perp/blind.ts';
import { isInsuranceFund } from '../perp/insurance-fund.ts';
import type { Holding } from '../state/account.ts';
import { parametersOf } from '../state/execution.ts';
import { DISTANCE_MAX, ROUNDING, type Scope, TRAVEL_ONE } from '../state/risk-index.ts';
import type { State } from '../state/state.ts';
import { tierOf } from '../state/tiers.ts';

/**
 * Of all amounts that a sum is made of, the part that it may be wrong by. A number keeps 53 bits, and
 * each operation loses half of the last: 2^20 of them together stay below this.
 */
const INEXACT = 2 ** 32;

/**
 * How far marks may travel before a scope has to be looked at again, in plain numbers: what
 * `safeDistance` says of the exact sums, or a little less, never more. 0 where it takes the exact ones
 * to tell. A price passes very many scopes that it puts in no danger; for those this keeps nothing and
 * leaves nothing to be collected, where exact sums would be several amounts for each of them.
 */
export function roughDistance(state: State, scope: Scope): number {
  const { account, holding } = scope;
  const isIsolated = holding !== undefined;
  if (holding?.isIsolated === false || isInsuranceFund(state, account)) return 0;
  let value = nearestNumber(isIsolated ? holding.isolatedMargin : account.perpBalance);
  let gross = Math.abs(value);
  let notional = 0;
  let maintenance = 0;
  for (const each of isIsolated ? [holding] : account.holdings.values()) {
    if (each.isIsolated !== isIsolated || each.size === 0) continue;
    const worth = each.perp.mark * each.size;
    const cost = nearestNumber(each.cost);
    value += worth - cost;
    gross += Math.abs(worth) + Math.abs(cost);
    notional += Math.abs(worth);
    maintenance += maintenanceOf(each);
  }
  if (notional === 0) return 0;
  const fee = Math.ceil((notional * parametersOf(state).liquidationFeeE8) / RATE_ONE);
  const risk = maintenance + fee;
  const onPaper = state.hasUnjudged ? Number(paperProfit(state, scope)) : 0;
  const room = value - onPaper - risk - ROUNDING - Math.ceil((gross + onPaper) / INEXACT);
  if (!(room > 0)) return 0;
  const distance = Math.floor((2 * room * TRAVEL_ONE) / (2 * (notional + risk + 1) + room));
  return Math.max(0, Math.min(distance - 1, DISTANCE_MAX));
}

/** R-tiers, rounded up. */
function maintenanceOf({ perp, size }: Holding): number {
  if (size === 0) return 0;
  const lots = Math.abs(size);
  const { deductionNumber, mmrE8 } = tierOf(perp.tiers, lots);
  return Math.ceil(((lots * mmrE8 - deductionNumber) * perp.mark) / RATE_ONE);
}
