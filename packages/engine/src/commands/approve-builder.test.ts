import { describe, expect, test } from 'vitest';
import { ZERO_ADDRESS } from '../auth/agents.ts';
import { checkCommand } from './commands.ts';
import { dump, restore } from '../dump/dump.ts';
import { isBuilder } from '../ledger/builders.ts';
import { approvedBuilders, builderState } from '../read/read-permissions.ts';
import {
  approve,
  builder,
  earned,
  oneThrough,
  revoke,
  setBalance,
} from '@oddlot/testing/engine/builders';
import { actor, alice, bob, Scenario } from '@oddlot/testing/engine/scenario';
import { act, sign } from '@oddlot/testing/engine/waiting';

const PRICE = 1_000_000;
const agent = actor(0xa9e27);
const vault = actor(0x7a17);

function open(): Scenario {
  return Scenario.open({ accounts: [alice, bob, builder] });
}

describe('R-builder: an account approves each builder up to a rate', () => {
  // The rows follow the order of the checks; each row passes the checks tested by all rows below
  // it.
  test.each([
    ['builderInvalid', 'the zero address', ZERO_ADDRESS, undefined],
    ['builderInvalid', 'a vault', vault, undefined],
    ['builderIsSelf', 'oneself', alice, undefined],
    ['builderFeeInvalid', 'no rate', builder, undefined],
    ['builderFeeInvalid', 'nothing', builder, 0],
    ['builderFeeInvalid', 'less', builder, -1],
    ['builderFeeInvalid', 'more than 1 %', builder, 1_000_001],
    [undefined, '1 %', builder, 1_000_000],
    [undefined, 'the least', builder, 1],
    [undefined, 'an address without an account', actor(0xdead), 1],
  ])(
    'an approval is rejected with %s (%s) at admission and at execution',
    (reason, _, address, maxFeeE8) => {
      const venue = open();
      venue.block({ type: 'registerVault', vault, leader: bob, name: 'V' });
      const command = sign(venue, alice, {
        type: 'approveBuilder',
        builder: address,
        maxFeeText: 'x',
        ...(maxFeeE8 === undefined ? {} : { maxFeeE8 }),
      });
      const admitted = checkCommand(venue.state, command, venue.nowMs);
      expect(admitted.reject?.reason).toBe(reason);
      expect(venue.account(alice).builders.size).toBe(0);
      expect(venue.outcome(command).reject?.reason).toBe(reason);
      expect(venue.account(alice).builders.size).toBe(reason === undefined ? 1 : 0);
    },
  );

  test('an account can approve 20 builders, and changing the rate of one of them uses no additional slot', () => {
    const venue = open();
    for (let n = 0; n < 20; n++)
      expect(approve(venue, alice, 5, actor(n + 1)).reject).toBe(undefined);
    expect(approve(venue, alice, 5, actor(21)).reject?.reason).toBe('buildersFull');
    venue.wait(10);
    expect(approve(venue, alice, 7, actor(20)).reject).toBe(undefined);
    const builders = approvedBuilders(venue.state, alice);
    expect(builders.map((each) => each.builder)).toEqual(
      Array.from({ length: 20 }, (_, n) => actor(n + 1)),
    );
    expect(builders.at(-1)).toEqual({
      builder: actor(20),
      maxFeeE8: 7_000,
      maxFeeText: '0.007%',
      updatedMs: venue.nowMs,
    });
    revoke(venue, alice, actor(3));
    expect(approve(venue, alice, 5, actor(21)).reject).toBe(undefined);
  });

  test('approving and revoking a builder emits events', () => {
    const venue = open();
    const approval = {
      type: 'approveBuilder',
      builder,
      maxFeeE8: 50,
      maxFeeText: '0.00005%',
    } as const;
    const changed = { type: 'builderChanged', commandIndex: 0, account: alice, builder };
    expect(act(venue, alice, approval).events).toEqual([{ ...changed, maxFeeE8: 50 }]);
    const { events } = act(venue, alice, { type: 'revokeBuilder', builder });
    expect(events).toEqual([{ ...changed, maxFeeE8: undefined }]);
    expect(approvedBuilders(venue.state, alice)).toEqual([]);
  });

  test('revoking a builder that is not approved is rejected', () => {
    const venue = open();
    const command = sign(venue, alice, { type: 'revokeBuilder', builder });
    const refused = { account: alice, reject: { reason: 'builderUnknown' } };
    expect(checkCommand(venue.state, command, venue.nowMs)).toEqual(refused);
    expect(venue.outcome(command)).toEqual(refused);
    approve(venue, bob, 5);
    expect(revoke(venue, alice)).toEqual(refused);
  });

  test('R-agents: an agent can neither approve nor revoke builders', () => {
    const venue = open();
    venue.approve(alice, agent);
    expect(approve(venue, agent, 5).reject?.reason).toBe('accountUnknown');
    approve(venue, alice, 5);
    expect(revoke(venue, agent).reject?.reason).toBe('accountUnknown');
  });

  test('the digest includes the rate of a builder and its revocation', () => {
    const digests = [5, 6, 0].map((tenthsBp) => {
      const venue = open();
      approve(venue, alice, 5);
      if (tenthsBp === 0) revoke(venue, alice);
      else approve(venue, alice, tenthsBp);
      return venue.state.digest.hex();
    });
    expect(new Set(digests).size).toBe(3);
  });
});

describe('an address counts as a builder while it has approvals or has ever earned fees', () => {
  test('an address remains a builder after a restart', () => {
    const venue = open();
    const seen = (): boolean[] =>
      [venue.state, restore(JSON.parse(JSON.stringify(dump(venue.state))))].map((state) =>
        isBuilder(state, builder),
      );
    expect(seen()).toEqual([false, false]);
    approve(venue, alice, 10);
    approve(venue, bob, 10);
    revoke(venue, alice);
    expect(seen()).toEqual([true, true]);
    revoke(venue, bob);
    expect(seen()).toEqual([false, false]);
    approve(venue, alice, 10);
    venue.one(bob, { isBuy: false, price: PRICE, size: 100 });
    oneThrough(venue, alice, 10, { price: PRICE, size: 100 });
    revoke(venue, alice);
    expect(seen()).toEqual([true, true]);
  });
});

describe('R-builder: a builder can claim its rewards', () => {
  /** Returns a venue in which alice has paid 0.01% of 100 USDC to the builder as a fee. */
  function earning(): Scenario {
    const venue = open();
    approve(venue, alice, 10);
    venue.one(bob, { isBuy: false, price: PRICE, size: 100 });
    oneThrough(venue, alice, 10, { price: PRICE, size: 100 });
    expect(earned(venue)).toBe(10_000n);
    return venue;
  }

  test('a claim pays out all rewards, and a second claim is rejected', () => {
    const venue = earning();
    const claim = { type: 'claimBuilderRewards' } as const;
    const command = sign(venue, builder, claim);
    expect(checkCommand(venue.state, command, venue.nowMs)).toEqual({ account: builder });
    const { events, outcomes } = venue.block(command);
    expect(outcomes).toEqual([{ account: builder }]);
    expect(events).toEqual([
      { type: 'builderRewardsClaimed', commandIndex: 0, account: builder, amount: 10_000n },
    ]);
    expect(venue.balance(builder)).toBe(1_000_010_000n);
    expect(builderState(venue.state, builder)).toMatchObject({
      earned: 10_000n,
      claimed: 10_000n,
      unclaimed: 0n,
    });
    const again = sign(venue, builder, claim);
    const refused = { account: builder, reject: { reason: 'builderRewardsNone' } };
    expect(checkCommand(venue.state, again, venue.nowMs)).toEqual(refused);
    expect(venue.outcome(again)).toEqual(refused);
  });

  test('an agent can claim for its owner, and an account without earnings cannot claim', () => {
    const venue = earning();
    venue.approve(builder, agent);
    const claim = { type: 'claimBuilderRewards' } as const;
    expect(act(venue, alice, claim).outcomes[0]?.reject?.reason).toBe('builderRewardsNone');
    expect(act(venue, agent, claim).outcomes).toEqual([{ account: builder }]);
    expect(venue.balance(builder)).toBe(1_000_010_000n);
  });
});

describe('the state of a builder shows its eligibility and totals', () => {
  test('a builder is eligible if its balance is at least 100 USDC', () => {
    const venue = open();
    setBalance(venue, builder, 99_999_999);
    const shown = {
      builder,
      unclaimed: 0n,
      earned: 0n,
      claimed: 0n,
      perpBalance: 99_999_999n,
      minPerpBalance: 100_000_000n,
      isEligible: false,
    };
    expect(builderState(venue.state, builder)).toEqual(shown);
    setBalance(venue, builder, 100_000_000);
    expect(builderState(venue.state, builder)).toEqual({
      ...shown,
      perpBalance: 100_000_000n,
      isEligible: true,
    });
  });

  test('the builder state of an unknown address has zero amounts and no approvals', () => {
    const { state } = open();
    expect(builderState(state, actor(0xdead))).toMatchObject({
      earned: 0n,
      perpBalance: 0n,
      isEligible: false,
    });
    expect(approvedBuilders(state, actor(0xdead))).toEqual([]);
  });
});
