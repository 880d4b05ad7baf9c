import { present } from '@oddlot/units';
import { parametersOf } from './execution.ts';
import { isUnjudged } from './perp.ts';
import type { State } from './state.ts';

/** Whether somebody holds a position in a market that nobody can judge now. */
export function hasUnjudged(state: State): boolean {
  return state.perpIds.some((id) => {
    const perp = present(state.perps.get(id), 'a listed perp');
    if (perp.openInterest === 0) return false;
    return isUnjudged(perp, state.timeMs, parametersOf(state).oracleStaleMs);
  });
}
