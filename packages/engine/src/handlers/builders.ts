import { type Address, timeMs } from '@oddlot/units';
import { ZERO_ADDRESS } from '../auth/agents.ts';
import {
  addApproval,
  postBuilderClaim,
  removeApproval,
  unclaimedRewards,
} from '../ledger/builders.ts';
import type { CommandResult } from '../messages/block.ts';
import type {
  ApproveBuilderCommand,
  ClaimBuilderRewardsCommand,
  RevokeBuilderCommand,
} from '../messages/command.ts';
import { LIMITS } from '../messages/limits.ts';
import type { Reject } from '../messages/reject.ts';
import type { Account } from '../state/account.ts';
import type { Execution } from '../state/execution.ts';
import type { State } from '../state/state.ts';

/** Lets a builder charge the account up to a rate, or changes the rate (R-builder). */
export function approveBuilder(
  execution: Execution,
  account: Account,
  command: ApproveBuilderCommand,
): CommandResult {
  const { state } = execution;
  const { builder, maxFeeE8, maxFeeText } = command;
  const reject = checkApproveBuilder(state, account, command);
  if (reject !== undefined || maxFeeE8 === undefined) {
    return { account: account.address, reject: reject ?? { reason: 'builderFeeInvalid' } };
  }
  if (!account.builders.has(builder)) addApproval(state, builder);
  account.builders.set(builder, { maxFeeE8, maxFeeText, updatedMs: timeMs(state.timeMs) });
  state.digest.text(maxFeeText);
  emitBuilder(execution, account, builder, maxFeeE8);
  return { account: account.address };
}

/** Judges it: the address, whose it is, the rate, the number of builders. */
export function checkApproveBuilder(
  state: State,
  account: Account,
  { builder, maxFeeE8 }: ApproveBuilderCommand,
): Reject | undefined {
  if (builder === ZERO_ADDRESS || state.vaults.has(builder)) return { reason: 'builderInvalid' };
  if (builder === account.address) return { reason: 'builderIsSelf' };
  if (maxFeeE8 === undefined || maxFeeE8 <= 0 || maxFeeE8 > LIMITS.builderRateMaxE8) {
    return { reason: 'builderFeeInvalid' };
  }
  // A new rate for a builder that is approved takes no other place.
  const isFull = account.builders.size >= LIMITS.buildersPerAccount;
  return isFull && !account.builders.has(builder) ? { reason: 'buildersFull' } : undefined;
}

/** Tells that an approval changed; without a rate it is gone. */
function emitBuilder(
  execution: Execution,
  { address, index }: Account,
  builder: Address,
  maxFeeE8: number | undefined,
): void {
  const { commandIndex, events, state } = execution;
  state.digest.word(index);
  state.digest.text(builder);
  state.digest.number(maxFeeE8 ?? 0);
  events.push({ type: 'builderChanged', commandIndex, account: address, builder, maxFeeE8 });
}

/** Takes a builder's approval back; its fee ends with it, on resting orders too (R-builder). */
export function revokeBuilder(
  execution: Execution,
  account: Account,
  command: RevokeBuilderCommand,
): CommandResult {
  const { state } = execution;
  const reject = checkRevokeBuilder(state, account, command);
  if (reject !== undefined) return { account: account.address, reject };
  account.builders.delete(command.builder);
  removeApproval(state, command.builder);
  emitBuilder(execution, account, command.builder, undefined);
  return { account: account.address };
}

/** Judges it; changes nothing. */
export function checkRevokeBuilder(
  _state: State,
  account: Account,
  { builder }: RevokeBuilderCommand,
): Reject | undefined {
  return account.builders.has(builder) ? undefined : { reason: 'builderUnknown' };
}

/** Moves all that the account earned as a builder into its perp balance (R-builder). */
export function claimBuilderRewards(
  execution: Execution,
  account: Account,
  command: ClaimBuilderRewardsCommand,
): CommandResult {
  const { commandIndex, events, state } = execution;
  const reject = checkClaimBuilderRewards(state, account, command);
  if (reject !== undefined) return { account: account.address, reject };
  const amount = postBuilderClaim(state, account);
  const type = 'builderRewardsClaimed';
  events.push({ type, commandIndex, account: account.address, amount });
  return { account: account.address };
}

/** Judges it; changes nothing. */
export function checkClaimBuilderRewards(
  state: State,
  account: Account,
  _command: ClaimBuilderRewardsCommand,
): Reject | undefined {
  const isNone = unclaimedRewards(state, account.address) === 0n;
  return isNone ? { reason: 'builderRewardsNone' } : undefined;
}
