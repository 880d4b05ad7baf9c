import { assert } from '@oddlot/units';
import type { CommandOutcome } from '../block.ts';
import type { RegisterPerpCommand } from '../command.ts';
import { type Execution, parametersOf } from '../execution.ts';
import { createPerp } from '../perp/perp.ts';
import { tierTableFault } from '../perp/tiers.ts';

/** Lists a perpetual. Its definition comes from the venue's own configuration, so a fault stops. */
export function registerPerp(execution: Execution, command: RegisterPerpCommand): CommandOutcome {
  const { commandIndex, events, state } = execution;
  const { perp } = command;
  const { instrumentId, takerFeeE8, tiers } = perp;
  const fault = tierTableFault(tiers, parametersOf(state).liquidationFeeE8, takerFeeE8);
  assert(fault === undefined, `the margin table of ${perp.name} is valid: ${fault ?? ''}`);
  assert(!state.perps.has(instrumentId), `instrument ${instrumentId} is new`);
  state.perps.set(instrumentId, createPerp(perp, state.pool));
  state.perpIds.push(instrumentId);
  state.perpIds.sort((a, b) => a - b);
  state.digest.number(instrumentId);
  state.digest.text(perp.name);
  events.push({ type: 'perpRegistered', commandIndex, instrumentId });
  return {};
}
