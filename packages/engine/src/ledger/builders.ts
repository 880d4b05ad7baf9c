import { type Address, addUsdc, assert, type MicroUsdc, subUsdc, ZERO_USDC } from '@oddlot/units';
import type { Account, BuilderRewards } from '../state/account.ts';
import type { State } from '../state/state.ts';
import { postToBalance } from './post.ts';

/**
 * Returns true if an account approves the address as a builder, or if the address has ever earned
 * builder fees.
 */
export function isBuilder(state: State, address: Address): boolean {
  return state.builderRewards.has(address);
}

export function addApproval(state: State, builder: Address): void {
  rewardsOf(state, builder).approvals += 1;
}

/**
 * Decrements a builder's approval count, and removes the builder if it has no approvals or earnings
 * left.
 */
export function removeApproval(state: State, builder: Address): void {
  const rewards = rewardsOf(state, builder);
  rewards.approvals -= 1;
  assert(rewards.approvals >= 0, 'an approval that is taken back was given');
  if (rewards.approvals === 0 && rewards.earned === 0n) state.builderRewards.delete(builder);
}

/**
 * Credits a builder with a fee already debited by the caller from one side of a fill (R-builder).
 */
export function postBuilderFee(state: State, builder: Address, fee: MicroUsdc): void {
  const rewards = rewardsOf(state, builder);
  rewards.earned = addUsdc(rewards.earned, fee);
  state.digest.text(builder);
  state.digest.amount(rewards.earned);
}

export function unclaimedRewards(state: State, builder: Address): MicroUsdc {
  const rewards = state.builderRewards.get(builder);
  return rewards === undefined ? ZERO_USDC : subUsdc(rewards.earned, rewards.claimed);
}

export function postBuilderClaim(state: State, account: Account): MicroUsdc {
  const amount = unclaimedRewards(state, account.address);
  const rewards = rewardsOf(state, account.address);
  rewards.claimed = rewards.earned;
  state.digest.amount(rewards.claimed);
  postToBalance(state, account, amount);
  return amount;
}

function rewardsOf(state: State, builder: Address): BuilderRewards {
  const known = state.builderRewards.get(builder);
  if (known !== undefined) return known;
  const rewards = { earned: ZERO_USDC, claimed: ZERO_USDC, approvals: 0 };
  state.builderRewards.set(builder, rewards);
  return rewards;
}
