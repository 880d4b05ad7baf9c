import { postBuilderClaim, unclaimedRewards } from '../ledger/builders.ts';
import type { CommandResult } from '../messages/block.ts';
import type { ClaimBuilderRewardsCommand } from '../messages/command.ts';
import type { Reject } from '../messages/reject.ts';
import type { Account } from '../state/account.ts';
import type { Execution } from '../state/execution.ts';
import type { State } from '../state/state.ts';

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
