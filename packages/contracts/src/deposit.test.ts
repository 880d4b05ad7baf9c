import { beforeEach, describe, expect, test } from 'vitest';
import {
  ALICE,
  UNPRIVILEGED_KEY,
  BOB,
  BridgeWorld,
  GUARDIAN,
  MINTER,
  refused,
} from '@oddlot/testing/contracts/bridge-world';

let world: BridgeWorld;

beforeEach(async () => {
  world = await BridgeWorld.open();
  await world.fund(ALICE, 100_000_000n);
});

describe('users can deposit into the bridge', () => {
  test('a deposit transfers the approved amount and emits the account to credit', async () => {
    await world.tokenCall(ALICE, 'approve', [world.bridge.address, 60_000_000n]);
    const own = await world.call(ALICE, 'deposit', [20_000_000n]);
    expect(own.events).toEqual([
      { name: 'Deposit', args: { user: ALICE.address, usd: 20_000_000n } },
    ]);
    const gift = await world.call(ALICE, 'depositFor', [BOB.address, 40_000_000n]);
    expect(gift.events).toEqual([
      { name: 'Deposit', args: { user: BOB.address, usd: 40_000_000n } },
    ]);
    expect(await world.balanceOf(world.bridge.address)).toBe(60_000_000n);
    expect(await world.balanceOf(ALICE.address)).toBe(40_000_000n);
  });

  test('a deposit without allowance or funds reverts and moves no tokens', async () => {
    const without = await world.call(ALICE, 'deposit', [1n]);
    expect(without.ok).toBe(false);
    await world.tokenCall(ALICE, 'approve', [world.bridge.address, 10n ** 12n]);
    const tooMuch = await world.call(ALICE, 'deposit', [100_000_001n]);
    expect(tooMuch.ok).toBe(false);
    expect(await world.balanceOf(world.bridge.address)).toBe(0n);
  });

  test.each([
    ['nothing', 'depositFor', () => [ALICE.address, 0n]],
    ['the zero address', 'depositFor', () => [`0x${'0'.repeat(40)}`, 5n]],
    ['the bridge', 'depositFor', () => [world.bridge.address, 5n]],
    ['the token', 'depositFor', () => [world.token.address, 5n]],
    ['a zero amount for oneself', 'deposit', () => [0n]],
  ])('a deposit of or for %s is rejected', async (_, name, args) => {
    await world.tokenCall(ALICE, 'approve', [world.bridge.address, 5n]);
    const { error } = await world.call(ALICE, name, args());
    expect(error).toBe(refused('INVALID_REQUEST'));
  });

  test('deposits are rejected only while the bridge is paused', async () => {
    await world.tokenCall(ALICE, 'approve', [world.bridge.address, 5n]);
    await world.call(GUARDIAN, 'pause');
    for (const [name, args] of [
      ['deposit', [5n]],
      ['depositFor', [BOB.address, 5n]],
      ['batchedDepositWithPermit', [[]]],
    ] as const) {
      const { error } = await world.call(ALICE, name, args);
      expect(error, name).toBe('EnforcedPause()');
    }
    await world.call(GUARDIAN, 'unpause');
    expect((await world.call(ALICE, 'deposit', [5n])).ok).toBe(true);
  });
});

test('only the minter can mint tokens and maintain the blacklist', async () => {
  for (const name of ['blacklist', 'unBlacklist']) {
    const args = [BOB.address];
    const refusal = await world.evm.send(UNPRIVILEGED_KEY, world.token, { name, args });
    expect(refusal.error).toBe('NotTheMinter()');
    const { events } = await world.evm.send(MINTER, world.token, { name, args });
    expect(events).toHaveLength(1);
  }
  const minted = { name: 'mint', args: [UNPRIVILEGED_KEY.address, 1n] };
  expect((await world.evm.send(UNPRIVILEGED_KEY, world.token, minted)).error).toBe(
    'NotTheMinter()',
  );
});
