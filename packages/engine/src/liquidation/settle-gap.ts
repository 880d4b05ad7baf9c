import type { Execution } from '../state/execution.ts';
import type { State } from '../state/state.ts';
import { Rankings } from './rankings.ts';
import { settleInsolvent } from './settle-insolvent.ts';
import { takeEndangered } from './take-endangered.ts';

/** Step (6) begins: ranks and lots are those of this moment until the block's liquidations end. */
export function beginLiquidations(state: State): Rankings {
  state.entry.countLots();
  return new Rankings(state);
}

/**
 * Settles what the marks of this block have ruined. Only scopes that the index would have looked at can
 * be ruined, and they are looked at again in step (7).
 */
export function settleGap(execution: Execution, rankings: Rankings): void {
  const { state } = execution;
  const due = takeEndangered(state);
  for (const { account, holding } of due) state.risk.changed(account, holding);
  if (due.length === 0 && state.liquidations.size === 0) return;
  const underWay = state.liquidations.all().map(({ scope }) => scope);
  settleInsolvent(execution, [...due, ...underWay], rankings);
}
