import { addUsdc, microUsdc, negUsdc } from '@oddlot/units';
import { postToBalance } from '../ledger/post.ts';
import type { CommandResult } from '../messages/block.ts';
import type { UpdateIsolatedMarginCommand } from '../messages/command.ts';
import type { Reject } from '../messages/reject.ts';
import { freeInCross, removableMargin } from '../perp/doors.ts';
import { type Account, type Holding, holdingKey } from '../state/account.ts';
import type { Execution } from '../state/execution.ts';
import type { State } from '../state/state.ts';
import { emitSettings } from './emit-settings.ts';

/** Adds margin to an isolated position out of what is free in cross, or takes free margin back. */
export function updateIsolatedMargin(
  execution: Execution,
  account: Account,
  command: UpdateIsolatedMarginCommand,
): CommandResult {
  const { state } = execution;
  const reject = checkUpdateIsolatedMargin(state, account, command);
  if (reject !== undefined) return { account: account.address, reject };
  const holding = isolatedHolding(account, command);
  if (holding === undefined) return { account: account.address };
  const amount = microUsdc(command.amountMicroUsdc);
  holding.isolatedMargin = addUsdc(holding.isolatedMargin, amount);
  state.risk.changed(account, holding);
  postToBalance(state, account, negUsdc(amount));
  state.digest.amount(holding.isolatedMargin);
  emitSettings(execution, account);
  return { account: account.address };
}

/** Judges a change of isolated margin; changes nothing. */
export function checkUpdateIsolatedMargin(
  state: State,
  account: Account,
  command: UpdateIsolatedMarginCommand,
): Reject | undefined {
  const { instrumentId } = command;
  if (!state.perps.has(instrumentId)) return { reason: 'instrumentUnknown', instrumentId };
  const holding = isolatedHolding(account, command);
  if (holding === undefined) return { reason: 'isolatedPositionMissing', instrumentId };
  const amount = microUsdc(command.amountMicroUsdc);
  if (amount > 0n) {
    const available = freeInCross(state, account);
    return amount <= available
      ? undefined
      : { reason: 'balanceInsufficient', required: amount, available };
  }
  const available = removableMargin(state, account, holding);
  const required = negUsdc(amount);
  return required <= available ? undefined : { reason: 'marginNotFree', required, available };
}

function isolatedHolding(
  account: Account,
  { instrumentId, isBuy }: UpdateIsolatedMarginCommand,
): Holding | undefined {
  const leg = account.positionMode === 'hedge' && !isBuy ? 1 : 0;
  const holding = account.holdings.get(holdingKey(instrumentId, leg));
  return holding !== undefined && holding.isIsolated && holding.size !== 0 ? holding : undefined;
}
