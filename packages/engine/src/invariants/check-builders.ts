import { type Address, assert, RATE_ONE } from '@oddlot/units';
import { HAS_BUILDER, NONE } from '../book/order-pool.ts';
import { readSlotInt } from '../book/read-slot.ts';
import { LIMITS } from '../messages/limits.ts';
import type { State } from '../state/state.ts';

/** What must hold after every block for builders; part of `checkInvariants`. */
export function checkBuilders(state: State): void {
  const { pool } = state;
  for (const [orderId, { feeTenthsBp, makerOwed, takerOwed }] of state.orderBuilders) {
    const slot = pool.find(orderId);
    const isKnown = slot !== NONE && (readSlotInt(pool.flags, slot) & HAS_BUILDER) !== 0;
    assert(isKnown, 'a builder charges for a live order that knows of it');
    assert(feeTenthsBp > 0, 'a builder that charges nothing is none');
    for (const owed of [takerOwed, makerOwed]) {
      assert(owed >= 0 && owed < RATE_ONE, 'less than one micro-USDC is owed to a builder');
    }
  }
  const approvals = new Map<Address, number>();
  for (const { address, builders } of state.accounts) {
    assert(builders.size <= LIMITS.buildersPerAccount, `${address} has its number of builders`);
    for (const builder of builders.keys()) {
      approvals.set(builder, (approvals.get(builder) ?? 0) + 1);
    }
  }
  for (const [builder, rewards] of state.builderRewards) {
    const { claimed, earned } = rewards;
    assert(claimed >= 0n && claimed <= earned, `${builder} has claimed what it earned at most`);
    assert(rewards.approvals === (approvals.get(builder) ?? 0), `the approvals of ${builder}`);
    assert(earned > 0n || rewards.approvals > 0, `${builder} is a builder`);
    approvals.delete(builder);
  }
  assert(approvals.size === 0, 'every approved account is known as a builder');
}
