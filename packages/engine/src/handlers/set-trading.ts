import { present } from '@oddlot/units';
import type { CommandResult } from '../messages/block.ts';
import type { SetTradingCommand } from '../messages/command.ts';
import type { MarketPhase } from '../messages/outcome-terms.ts';
import type { Reject } from '../messages/reject.ts';
import { changePhase, closeMarket } from '../outcome/market-phase.ts';
import type { Execution } from '../state/execution.ts';
import type { State } from '../state/state.ts';

/** From where each phase can be entered by hand (R-phases). */
const FROM: Record<SetTradingCommand['to'], readonly MarketPhase[]> = {
  open: ['upcoming', 'halted'],
  halted: ['open'],
  closed: ['upcoming', 'open', 'halted'],
};

/** Opens, halts or closes markets, all of them or none. */
export function setTrading(execution: Execution, command: SetTradingCommand): CommandResult {
  const { state } = execution;
  const reject = checkSetTrading(state, command);
  if (reject !== undefined) return { reject };
  for (const id of command.instrumentIds) {
    const market = present(state.outcomes.markets.get(id), 'a judged market');
    if (command.to === 'closed') closeMarket(execution, market);
    else if (market.phase !== command.to) changePhase(execution, market, command.to);
  }
  return {};
}

/** Judges the change for each market. */
export function checkSetTrading(
  { outcomes }: State,
  { instrumentIds, to }: SetTradingCommand,
): Reject | undefined {
  for (const instrumentId of instrumentIds) {
    const market = outcomes.markets.get(instrumentId);
    const isSettled = outcomes.settled.has(instrumentId);
    if (market === undefined && !isSettled) return { reason: 'instrumentUnknown', instrumentId };
    const from = market?.phase ?? 'resolved';
    if (!FROM[to].includes(from)) return { reason: 'phaseChangeInvalid', instrumentId, from, to };
  }
  return undefined;
}
