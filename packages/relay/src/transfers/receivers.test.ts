import type { RelayTransfer } from '@oddlot/protocol';
import type { Hex } from 'viem';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { BRIDGE, TOKEN } from '@oddlot/testing/relay/model-chain';
import { FLOAT, KEYS, RelayRig, USER_USDC, USERS } from '@oddlot/testing/relay/relay-rig';
import { relayStatus } from '../port/relay-status.ts';

/** The relay does not pay a receiver that cannot use the money (R-transfer). */

const [alice, bob] = USERS as [Hex, Hex];
const INTO = { srcChain: 'base', dstChain: 'oddlot', asset: 'USDC' };
const OUT = { srcChain: 'oddlot', asset: 'USDC' };

let rig: RelayRig;
beforeEach(() => {
  rig = new RelayRig();
});
afterEach(() => rig.close());

function transfersOf(user: Hex): readonly RelayTransfer[] {
  const answer = rig.service.transfers([['user', user]]);
  if (!answer.ok) throw new Error(answer.error.message);
  return answer.data.items;
}

test("no chain accepts contracts or the relay's own addresses as receivers", async () => {
  const deposit = await rig.service.depositAddress({ ...INTO, dstAddr: alice });
  const peg = await rig.service.pegAddress({ ...OUT, dstChain: 'base', dstAddr: alice });
  if (!deposit.ok || !peg.ok) throw new Error('an address was refused');
  rig.start();
  const own = [FLOAT, KEYS.address('minter'), deposit.data.address, peg.data.pegAddress];
  const refused = {
    ok: false,
    error: { code: 10014, message: 'Invalid address', httpStatus: 400 },
  };
  for (const each of [`0x${'0'.repeat(40)}`, BRIDGE, TOKEN, ...own]) {
    const shouted = `0x${each.slice(2).toUpperCase()}`;
    for (const dstChain of ['base', 'arbitrum']) {
      const answer = await rig.service.pegAddress({ ...OUT, dstChain, dstAddr: shouted });
      expect(answer, `${each} on ${dstChain}`).toMatchObject(refused);
    }
    const answer = await rig.service.depositAddress({ ...INTO, dstAddr: shouted });
    expect(answer, each).toMatchObject(refused);
  }
  expect(rig.book.addresses('peg')).toHaveLength(1);
});

/** Adds an address that was assigned under an earlier configuration. */
function given(kind: 'deposit' | 'peg', chain: string): Hex {
  const address = KEYS.address(kind, 0);
  const terms = { minMicro: '2000000', feeMicro: '100000', accountType: 'perp' } as const;
  const times = { createMs: rig.nowMs, expireMs: rig.nowMs + 1_000_000_000 };
  const what = { kind, id: `${kind}-1`, index: 0, address, chain, dstAddr: BRIDGE };
  rig.book.addAddress({ ...what, ...terms, ...times });
  return address;
}

test('money sent to an existing peg whose receiver is the bridge is returned in full', async () => {
  const peg = given('peg', 'arbitrum');
  rig.venue.send(alice, peg, 50_000_000n);
  await rig.settle();
  expect(transfersOf(alice)).toMatchObject([{ status: 'refunded', amount: '50' }]);
  expect(rig.venue.balanceOf(alice)).toBe(USER_USDC);
  expect(rig.venue.balanceOf(FLOAT)).toBe(0n);
});

test('money that cannot be returned because its sender is unknown waits and is reported', async () => {
  const peg = given('peg', 'arbitrum');
  const address = given('deposit', 'base');
  rig.venue.deposit(peg, `0x${'7'.repeat(64)}`, 30_000_000n);
  rig.chains.base.pay(bob, address, 40_000_000n);
  await rig.settle();
  const trouble = 'This address cannot receive funds';
  expect(transfersOf(peg)).toMatchObject([{ id: 'peg-1', status: 'relaying', trouble }]);
  expect(rig.venue.balanceOf(peg)).toBe(30_000_000n);
  expect(rig.venue.balanceOf(BRIDGE)).toBe(0n);
  const { troubled } = await relayStatus(rig.parts);
  expect(troubled.map(({ id, what }) => [id, what]).toSorted()).toEqual([
    ['deposit-1', 'receiver'],
    ['peg-1', 'receiver'],
  ]);
});

test('a deposit to a peg through the bridge is found by peg and by receiver, even after a restart', async () => {
  const answer = await rig.service.pegAddress({ ...OUT, dstChain: 'base', dstAddr: bob });
  if (!answer.ok) throw new Error(answer.error.message);
  const peg = answer.data.pegAddress as Hex;
  rig.venue.deposit(peg, `0x${'7'.repeat(64)}`, 30_000_000n);
  await rig.settle();
  rig.start();
  for (const user of [peg, bob]) {
    expect(transfersOf(user)).toMatchObject([{ id: 'peg-1', status: 'completed', amount: '30' }]);
  }
});
