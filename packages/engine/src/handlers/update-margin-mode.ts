import type { CommandResult } from '../messages/block.ts';
import type { UpdateMarginModeCommand } from '../messages/command.ts';
import type { Reject } from '../messages/reject.ts';
import { hasPosition, workingOrders } from '../perp-orders/working-orders.ts';
import { type Account, settingsChanged, settingsOf } from '../state/account.ts';
import { type Execution, parametersOf } from '../state/execution.ts';
import type { State } from '../state/state.ts';
import { emitSettings } from './emit-settings.ts';

/** Switches an instrument between cross and isolated; only without position and orders there. */
export function updateMarginMode(
  execution: Execution,
  account: Account,
  command: UpdateMarginModeCommand,
): CommandResult {
  const { state } = execution;
  const reject = checkUpdateMarginMode(state, account, command);
  if (reject !== undefined) return { account: account.address, reject };
  const perp = state.perps.get(command.instrumentId);
  if (perp === undefined) return { account: account.address };
  const settings = settingsOf(account, perp, parametersOf(state).defaultLeverage);
  settings.isIsolated = command.marginMode === 'isolated';
  settingsChanged(account, perp, settings);
  emitSettings(execution, account);
  return { account: account.address };
}

/** Judges a switch of the margin mode; setting the current one always succeeds. */
export function checkUpdateMarginMode(
  state: State,
  account: Account,
  { instrumentId, marginMode }: UpdateMarginModeCommand,
): Reject | undefined {
  const perp = state.perps.get(instrumentId);
  if (perp === undefined) return { reason: 'instrumentUnknown', instrumentId };
  const current = account.settings.get(instrumentId)?.isIsolated ?? perp.definition.onlyIsolated;
  if ((marginMode === 'isolated') === current) return undefined;
  if (marginMode === 'cross' && perp.definition.onlyIsolated) {
    return { reason: 'onlyIsolated', instrumentId };
  }
  if (hasPosition(account, instrumentId)) return { reason: 'marginModeOpenPositions' };
  const working = workingOrders(state, account, instrumentId);
  const count = working.resting + working.tpsl + working.triggers;
  return count > 0 ? { reason: 'marginModeOpenOrders' } : undefined;
}
